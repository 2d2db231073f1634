/// A message of a client.
public enum WebSocketMessage {
    /// Text, which is UTF-8.
    case text(UnsafeRawBufferPointer)
    /// Bytes.
    case binary(UnsafeRawBufferPointer)
}

/// Hears of the messages and the end of a WebSocket, and of its deadlines; called on its loop's
/// thread.
///
/// No verb of a `WebSocket` calls its owner back.
public protocol WebSocketOwner: AnyObject {
    /// A whole message came. Its bytes are valid until this returns.
    func received(_ message: WebSocketMessage, on socket: WebSocket)

    /// The socket is writable again: the pending bytes are with the kernel, or its next turn has
    /// come. Write until a write answers false.
    func writable(_ socket: WebSocket)

    /// The peer has not read a byte of the pending ones for `sendProgressSeconds`, or has sent
    /// nothing since the last ping: close the socket.
    func stalled(_ socket: WebSocket)

    /// The deadline that the owner set has passed.
    func timedOut(_ socket: WebSocket)

    /// The closing handshake is over, the peer broke the protocol, it is gone, or the server
    /// stopped. The socket is closed already; nothing of it is called again.
    func closed(_ socket: WebSocket)
}
