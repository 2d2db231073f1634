/// The other end of a socket that was detached, and how long ago that was.
public struct SocketOrigin: Sendable {
    /// The other end.
    public let peer: Peer
    /// Milliseconds since it was detached, as of the loop's turn.
    public let milliseconds: Int
}
