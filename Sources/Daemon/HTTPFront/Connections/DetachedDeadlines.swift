/// The times at which a detached socket is looked at again, one for each reason. They are in
/// monotonic milliseconds, `.max` for never.
struct DetachedDeadlines {
    /// The time at which its owner hears `timedOut`.
    var owner = UInt64.max
    /// The time at which the owner of a stream without progress hears `stalled`.
    var stall = UInt64.max
    /// The time by which a WebSocket's message that has begun must have come to its end.
    var input = UInt64.max
    /// The time at which a half-closed peer is looked at again.
    private(set) var recheck = UInt64.max
    /// Milliseconds of the last pause before a half-closed peer was looked at.
    private var recheckPause: UInt64 = 0

    /// The earliest of these times.
    var first: UInt64 { min(min(owner, stall), min(input, recheck)) }

    /// Sets the time at which a half-closed peer is looked at again. Nobody tells when it leaves,
    /// and most that leave do so soon, so that the pauses become longer, up to `pauseMax`.
    mutating func recheckLater(_ now: UInt64, pauseMax: UInt64) {
        recheckPause = min(
            max(2 * recheckPause, HTTPFrontLimits.halfClosedFirstRecheckMilliseconds), pauseMax)
        recheck = now + recheckPause
    }

    /// A half-closed peer is not looked at any more.
    mutating func endRechecks() { recheck = .max }
}
