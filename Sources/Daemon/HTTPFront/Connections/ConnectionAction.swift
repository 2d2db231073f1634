/// The action that a loop is to take on a connection.
enum ConnectionAction: Equatable {
    case none
    /// Go on with the request that has begun.
    case serve
    /// Arm the deadline of an idle connection.
    case idle
    /// Give it a moment for its first request, then close it.
    case expectFirstRequest
    /// Send more of the answer.
    case sendRest
    /// Ask whether anybody still reads.
    case examinePeer
    /// Let the owner of a stream or WebSocket know.
    case tellStream
    /// Look for the deadline of the owner that has passed.
    case tellDeadline
    /// Throw away the bytes that have come. Close the socket if there are none and the connection
    /// is over.
    case discard(isOver: Bool)
    /// Tell the peer that nothing more comes, and read it to its end.
    case linger
    /// Serve it without the groups of its user.
    case giveUpGroups
    /// Answer 408, and close it.
    case refuseLate
    /// Close the socket: its time is over.
    case timeOut
    /// Close the socket, and tell its owner: the peer has gone.
    case lose
    /// Close the socket, and tell its owner.
    case close
}
