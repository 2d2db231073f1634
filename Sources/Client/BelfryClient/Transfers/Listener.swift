internal import CLinux
internal import Glibc

/// A socket of this machine that listens, as the kernel's table of sockets has it
/// (`NETLINK_SOCK_DIAG`, which needs no privilege).
///
/// `/proc/net/tcp` has the same rows, but all of them, and leaves it to the reader which listener a
/// connection comes to: one of the address or of every address, of one family or of both. Asked for
/// one address, the kernel looks as it does for a connection.
struct Listener: Equatable {
    /// The kernel's answer to a search for a listener.
    enum Answer: Equatable {
        case found(Listener)
        /// Nobody of this machine listens there.
        case none
        /// It could not be asked, with the `errno`.
        case failed(Int32)
    }

    /// The user that owns the socket.
    let uid: UInt32
    /// The inode of the socket, which no other socket has at the same time.
    let inode: UInt32

    /// The listener that a connection to this address comes to.
    static func find(at address: PeerAddress) -> Answer {
        var bytes = [UInt8](repeating: 0, count: 16)
        var family = AF_INET
        if inet_pton(AF_INET, address.ip, &bytes) != 1 {
            guard inet_pton(AF_INET6, address.ip, &bytes) == 1 else { return .none }
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            if bytes.starts(with: mapped) {
                bytes.removeFirst(mapped.count)
            } else {
                family = AF_INET6
            }
        }
        let netlink = clinux_sock_diag_open()
        guard netlink >= 0 else { return .failed(netlink) }
        defer { close(netlink) }
        var row = clinux_tcp_row()
        // No connection has the port 0 at its other end.
        let code = clinux_tcp_row_find(
            netlink, family, bytes, address.port, bytes, 0,
            Int32(Limits.socketTableMillisecondsMax), 1, &row)
        switch code {
        case 0 where UInt32(row.state) == CLINUX_TCP_LISTEN.rawValue && row.inode != 0:
            return .found(Listener(uid: row.uid, inode: row.inode))
        case 0, -ENOENT: return .none
        default: return .failed(code)
        }
    }
}
