internal import CSystemd
internal import Glibc

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

    /// The configuration is being read again; `ready` ends it.
    public func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    /// The daemon answers those who wait and will then end.
    public func stopping() {
        send("STOPPING=1\nSTATUS=Draining")
    }

    private func send(_ state: String) {
        sd_notify(0, state)
    }
}
