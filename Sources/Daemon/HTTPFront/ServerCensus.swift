/// How many of what a server holds, over all loops.
///
/// Each number is right by itself; while the loops work they may belong to different moments.
public struct ServerCensus: Sendable, Equatable {
    /// Connections open, wherever they are.
    public var connections = 0
    /// Connections that are parked: waits, streams and WebSockets.
    public var parked = 0
    /// Requests whose answer is awaited though nothing is parked.
    public var pending = 0
}
