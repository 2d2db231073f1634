internal import CSystemd
internal import Glibc
internal import Protection

/// Listening sockets that systemd hands over (`sd_listen_fds(3)`).
public enum InheritedSockets {
    /// Takes them over and removes their variables from the environment, so that no child takes
    /// them for its own. Called once, before there are other threads.
    ///
    /// - Returns: the descriptors, in the order of the socket unit; none if it has none for us.
    /// - Throws: the descriptor that is no listening stream socket.
    public static func take() throws(DaemonError) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else {
            throw DaemonError(
                detail: "the passed sockets cannot be used: \(Errno(-count))")
        }
        let first: Int32 = 3  // SD_LISTEN_FDS_START, a macro that Swift does not see
        let descriptors = Array(first..<first + count)
        for descriptor in descriptors
        where sd_is_socket(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1) <= 0 {
            throw DaemonError(
                detail: "descriptor \(descriptor) was passed, but is not a listening stream "
                    + "socket: the socket unit needs ListenStream= alone")
        }
        return descriptors
    }
}
