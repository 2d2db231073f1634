/// The settings of a server; their defaults are in `HTTPFrontLimits`.
public struct HTTPServerConfiguration: Sendable {
    /// The addresses at which it is reached.
    public var listen: [ListenAddress]

    /// How many event loops it runs, 1 to `loopsMax`.
    public var loops = 1

    /// Seconds from a request's first byte to the end of its headers.
    public var headerSeconds = HTTPFrontLimits.headerSeconds

    /// Seconds from the end of the headers to the end of the body.
    public var bodySeconds = HTTPFrontLimits.bodySeconds

    /// Seconds a connection may lie idle between two requests.
    public var idleSeconds = HTTPFrontLimits.idleSeconds

    /// Connections open at one time, parked ones included.
    public var connectionsMax = HTTPFrontLimits.connectionsMax

    /// Connections among these of one user, and of all unknown callers together.
    public var connectionsPerUIDMax = HTTPFrontLimits.connectionsMax

    /// Bytes of one request's line and headers.
    public var headerBytesMax = HTTPFrontLimits.headerBytesMax

    /// Bytes of a refused body that are read so that the client gets the answer.
    public var discardBytesMax = HTTPFrontLimits.discardBytesMax

    /// Bytes of the kernel's send buffer of one connection.
    public var socketSendBufferBytes = HTTPFrontLimits.socketSendBufferBytes

    /// The longest pause, in seconds, before a half-closed connection is looked at again. Only
    /// tests change it.
    var halfClosedRecheckSeconds = HTTPFrontLimits.halfClosedRecheckSeconds

    /// Seconds after which a peer that reads no byte of its answer or stream is given up.
    public var sendProgressSeconds = HTTPFrontLimits.sendProgressSeconds

    /// Seconds in which a WebSocket's peer must answer a close. Only tests change it.
    var webSocketCloseSeconds = HTTPFrontLimits.webSocketCloseSeconds

    /// Milliseconds that a drain gives a new connection for its first request. Only tests change it.
    var firstRequestMilliseconds = HTTPFrontLimits.firstRequestMilliseconds

    /// Milliseconds that a request may wait for its body before its head is taken alone.
    /// Only tests change it.
    var bodyAwaitedMilliseconds = HTTPFrontLimits.bodyAwaitedMilliseconds

    /// The sink that gets a record of every request that has ended; nil for none.
    public var accessSink: (any AccessSink)?

    /// The host names that it answers to.
    public var hosts = HostPolicy()

    /// The prefix in front of the path of every request.
    public var prefix = PathPrefix()

    /// The web pages that may talk to it.
    public var origins = OriginPolicy()

    /// The directory that knows the groups of callers over TCP. Without one, their groups are
    /// unknown.
    public var peerGroups: (any PeerGroups)?

    /// Milliseconds that a new connection waits for its user's groups. Only tests change it.
    var peerGroupsMilliseconds = HTTPFrontLimits.peerGroupsMilliseconds

    /// A server at these addresses, all else by default.
    public init(listen: [ListenAddress]) {
        self.listen = listen
    }
}
