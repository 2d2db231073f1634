internal import CSystemd
internal import Telemetry

/// Tells systemd how the service stands (`sd_notify(3)`); does nothing where nobody listens.
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

    /// The daemon answers those who wait and will then end.
    public func stopping() {
        send("STOPPING=1\nSTATUS=Draining")
    }

    private func send(_ state: String) {
        sd_notify(0, state)
    }
}
