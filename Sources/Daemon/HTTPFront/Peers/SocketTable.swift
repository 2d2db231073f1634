internal import CLinux
internal import Glibc

/// The kernel's table of TCP sockets (`NETLINK_SOCK_DIAG`), asked for one connection at a time.
///
/// One per loop: its netlink socket is opened at the first question and reused. It needs no
/// privilege. Not Sendable, for an answer is told from another by a running number.
final class SocketTable {
    /// The kernel's facts about one socket.
    struct Row: Equatable {
        let uid: UInt32
        let inode: UInt32
        let state: UInt8
    }

    /// An answer of the kernel.
    enum Answer: Equatable {
        case found(Row)
        /// There is no such socket on this machine.
        case none
        /// The kernel could not be asked.
        case failed
    }

    private var netlink: Int32 = -1
    private var sequence: UInt32 = 0

    deinit {
        if netlink >= 0 { close(netlink) }
    }

    /// Asks for the socket at the other end of a connection between `local` (ours) and `remote`.
    func row(ofPeerAt remote: SocketAddress, connectedTo local: SocketAddress) -> Answer {
        // A mapped address is asked for as IPv4, where the kernel finds sockets of both kinds.
        let (source, target) = (remote.unmapped, local.unmapped)
        guard source.family == target.family else { return .failed }
        if netlink < 0 {
            netlink = clinux_sock_diag_open()
            guard netlink >= 0 else { return .failed }
        }
        sequence &+= 1
        var row = clinux_tcp_row()
        let result = withUnsafeBytes(of: source.bytes) { sourceBytes in
            withUnsafeBytes(of: target.bytes) { targetBytes in
                clinux_tcp_row_find(
                    netlink, source.family == .ipv4 ? AF_INET : AF_INET6,
                    sourceBytes.baseAddress, source.port, targetBytes.baseAddress, target.port,
                    Int32(HTTPFrontLimits.socketTableMillisecondsMax), sequence, &row)
            }
        }
        switch result {
        case 0: return .found(Row(uid: row.uid, inode: row.inode, state: row.state))
        case -ENOENT: return .none
        default: return .failed
        }
    }
}
