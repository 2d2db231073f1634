internal import CLinux
internal import Glibc

/// Identifies the peer of an accepted connection, and finds out whether it is still there.
///
/// Unix sockets: `SO_PEERCRED` and `SO_PEERGROUPS`, the process that connected. Loopback TCP: the
/// owner of the peer's own socket, found by its exact addresses; a socket without an inode is
/// closed or orphaned, is reported by the kernel as root's, and counts for nobody.
///
/// Belongs to one loop; not Sendable.
final class PeerIdentity {
    /// The uid that stands for every user a namespace cannot name.
    static let overflowUID: UInt32 = 65_534

    private let table = SocketTable()
    private var lastGroups: [UInt32] = []

    /// The peer of a connection; nil when its addresses cannot be had.
    func peer(of accepted: AcceptedSocket) -> Peer? {
        switch accepted.listener {
        case .unix: return unixPeer(of: accepted.descriptor)
        case .tcp:
            guard let local = accepted.local, let remote = accepted.remote else { return nil }
            return Peer(
                transport: .tcp(local: local, remote: remote),
                uid: uid(at: remote, connectedTo: local))
        }
    }

    /// The state of a connected socket's peer, which sends no more.
    func liveness(of descriptor: Int32) -> PeerLiveness {
        PeerLiveness(of: descriptor, table: table)
    }

    /// The user that owns a socket, by its row of the socket table. Nil unless the socket is a
    /// living end of a connection, or if the user is unknown.
    static func uid(of row: SocketTable.Row) -> UInt32? {
        switch UInt32(row.state) {
        case CLINUX_TCP_ESTABLISHED.rawValue, CLINUX_TCP_FIN_WAIT1.rawValue,
            CLINUX_TCP_FIN_WAIT2.rawValue, CLINUX_TCP_CLOSE_WAIT.rawValue:
            return row.inode == 0 ? nil : known(row.uid)
        default: return nil
        }
    }

    private func uid(at remote: SocketAddress, connectedTo local: SocketAddress) -> UInt32? {
        guard remote.isLoopback, local.isLoopback,
            case .found(let row) = table.row(ofPeerAt: remote, connectedTo: local)
        else { return nil }
        return Self.uid(of: row)
    }

    private func unixPeer(of descriptor: Int32) -> Peer {
        var credentials = clinux_credentials()
        guard clinux_peer_credentials(descriptor, &credentials) == 0 else {
            return Peer(transport: .unix)
        }
        return Peer(
            transport: .unix, uid: Self.known(credentials.uid),
            groups: groups(of: descriptor, first: credentials.gid),
            pid: credentials.pid > 0 ? credentials.pid : nil)
    }

    /// The groups of a unix peer's process: its effective one and the supplementary ones. Most
    /// callers have those of the caller before, and then share them with it.
    private func groups(of descriptor: Int32, first: UInt32) -> [UInt32]? {
        var capacity = HTTPFrontLimits.peerGroupsExpected
        while true {
            var groups = [UInt32](repeating: 0, count: capacity)
            let count = Int(clinux_peer_groups(descriptor, &groups, Int32(capacity)))
            if count >= 0 {
                let all = [first] + groups[..<count].filter { $0 != first }
                let known = all.filter { Self.known($0) != nil }
                if known != lastGroups { lastGroups = known }
                return lastGroups
            }
            guard count == -Int(ERANGE), capacity < HTTPFrontLimits.peerGroupsMax else {
                return nil
            }
            capacity = HTTPFrontLimits.peerGroupsMax
        }
    }

    /// The id unless it stands for nobody: the overflow id, or -1.
    private static func known(_ id: UInt32) -> UInt32? {
        id == overflowUID || id == .max ? nil : id
    }
}
