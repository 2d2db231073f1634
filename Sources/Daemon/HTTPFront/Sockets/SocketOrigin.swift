/// The other end of a socket that has left the parser, and how long ago that was.
public struct SocketOrigin: Sendable {
    /// The other end.
    public let peer: Peer
    /// Milliseconds since it left the parser, as of the loop's turn.
    public let milliseconds: Int
}
