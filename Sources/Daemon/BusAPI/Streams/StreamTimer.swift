/// The two deadlines of a stream, which share the one of its socket: the next heartbeat, and the
/// end of a wait without an event.
///
/// Has no clock: its owner reports that the time it asked for has passed.
struct StreamTimer {
    private let wait: Int?
    private var heartbeatLeft = 0
    private var waitLeft: Int?
    private var armed = 0

    /// A timer of a stream that ends after `wait` milliseconds without an event; `nil` for never.
    init(wait: Int?) {
        self.wait = wait
        waitLeft = wait
    }

    /// Whether events put off the end of the stream.
    var hasWait: Bool { wait != nil }

    /// Begins both anew, as after an event.
    mutating func restart(heartbeat: Int) {
        heartbeatLeft = heartbeat
        waitLeft = wait
    }

    /// How many milliseconds to sleep until something is due.
    mutating func arm() -> Int {
        armed = max(0, min(heartbeatLeft, waitLeft ?? .max))
        return armed
    }

    /// Ends a sleep: returns which deadlines are due, and begins these anew.
    mutating func pass(heartbeat: Int) -> (heartbeat: Bool, wait: Bool) {
        heartbeatLeft -= armed
        let isHeartbeatDue = heartbeatLeft <= 0
        if isHeartbeatDue { heartbeatLeft = heartbeat }
        guard let left = waitLeft else { return (isHeartbeatDue, false) }
        waitLeft = left > armed ? left - armed : wait
        return (isHeartbeatDue, left <= armed)
    }
}
