/// The numbers of connections and requests that a server holds, over all loops.
///
/// Each number is right by itself. While the loops run, the numbers may belong to different
/// moments.
public struct ServerCensus: Sendable, Equatable {
    /// Connections that are open, in any phase.
    public var connections = 0
    /// Connections that are parked: waits, streams and WebSockets.
    public var parked = 0
    /// Requests that await their answer though nothing is parked.
    public var pending = 0
}
