internal import CSystemd
internal import Glibc
internal import Telemetry

/// Tells systemd how the service stands (`sd_notify(3)`); does nothing where nobody listens, and does
/// not wait long for a supervisor that reads nothing.
///
/// Sends to the socket that the environment names, so only the program itself uses it.
public struct SystemdNotifier: Sendable {
    /// A notifier of this process.
    public init() {}

    /// The daemon serves, at these addresses.
    public func ready(_ addresses: String) {
        send("READY=1\nSTATUS=Serving at \(addresses)")
    }

    /// How often systemd wants to hear that the daemon lives, in microseconds; nil where it does not
    /// (`sd_watchdog_enabled(3)`).
    public var watchdogMicroseconds: UInt64? {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? microseconds : nil
    }

    /// How the daemon that serves at these addresses does, and that it lives unless something hangs.
    func tell(_ vitals: Vitals, at addresses: String) {
        send(Self.message(vitals, at: addresses))
    }

    static func message(_ vitals: Vitals, at addresses: String) -> String {
        let status = "STATUS=Serving at \(addresses): \(vitals.status)"
        return vitals.hanging.isEmpty ? "WATCHDOG=1\n\(status)" : status
    }

    /// The configuration is being read again; `ready` ends it.
    public func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.microseconds())")
    }

    /// The daemon answers all waiting requests and will then end.
    public func stopping() {
        send("STOPPING=1\nSTATUS=Draining")
    }

    /// Sends as the protocol of sd_notify(3) says, whose own call waits for ever where the supervisor
    /// reads nothing.
    private func send(_ state: String) {
        guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return }
        // Of other kinds is the socket of a virtual machine's host.
        guard name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count < 108 else {
            sd_notify(0, state)
            return
        }
        let type = Int32(
            SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard Self.connect(descriptor, to: name) else { return }
        let bytes = Array(state.utf8)
        if Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0,
            errno == EAGAIN
        {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&entry, 1, Limits.notificationMilliseconds)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    private static func connect(_ descriptor: Int32, to name: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name.utf8)
            // An abstract name begins with a zero, and ends where the address does.
            if name.hasPrefix("@") { path[0] = 0 }
        }
        let size = MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(size)) == 0
            }
        }
    }
}
