/// How many of what a server holds, over all loops.
///
/// Each number is right by itself; while the loops work they may belong to different moments.
public struct ServerCensus: Sendable, Equatable {
    /// Connections open, wherever they are.
    public var connections = 0
    /// Connections parked outside the parser: waits, streams and WebSockets.
    public var parked = 0
    /// Requests whose answer is awaited while the parser keeps their connection.
    public var pending = 0
}
