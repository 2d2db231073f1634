/// The other end of a connection, as far as the kernel tells.
public struct Peer: Sendable, Equatable {
    /// How the peer reached us.
    public enum Transport: Sendable, Equatable {
        /// TCP: this end and the other.
        case tcp(local: SocketAddress, remote: SocketAddress)
        /// A unix socket.
        case unix
    }

    /// How the peer reached us.
    public let transport: Transport

    /// The user, or nil when unknown; never a guess.
    public let uid: UInt32?

    /// The groups that the peer's user is in, the supplementary ones included, as they were when it
    /// connected; nil when unknown or not looked up.
    public internal(set) var groups: [UInt32]?

    /// The process, or nil when unknown; TCP gives none.
    public let pid: Int32?

    /// A peer of which this much is known.
    public init(
        transport: Transport, uid: UInt32? = nil, groups: [UInt32]? = nil, pid: Int32? = nil
    ) {
        self.transport = transport
        self.uid = uid
        self.groups = groups
        self.pid = pid
    }

    /// Our port that the peer connected to, or nil on a unix socket.
    public var localPort: UInt16? {
        switch transport {
        case .tcp(let local, _): local.port
        case .unix: nil
        }
    }
}
