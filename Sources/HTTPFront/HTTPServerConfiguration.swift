/// How a server is set up; the defaults are `HTTPFrontLimits`.
public struct HTTPServerConfiguration: Sendable {
    /// Where it is reached.
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

    /// Bytes of one request's line and headers.
    public var headerBytesMax = HTTPFrontLimits.headerBytesMax

    /// Bytes of a refused body that are read so that the client gets the answer.
    public var discardBytesMax = HTTPFrontLimits.discardBytesMax

    /// Bytes of the kernel's send buffer of one connection.
    public var socketSendBufferBytes = HTTPFrontLimits.socketSendBufferBytes

    /// Seconds after which a half-closed connection is looked at again. Only tests change it.
    var halfClosedRecheckSeconds = HTTPFrontLimits.halfClosedRecheckSeconds

    /// Seconds without a byte read after which a peer that is being answered is given up. Only
    /// tests change it.
    var sendProgressSeconds = HTTPFrontLimits.sendProgressSeconds

    /// By which names it lets itself be called.
    public var hosts = HostPolicy()

    /// Which web pages may talk to it.
    public var origins = OriginPolicy()

    /// A server at these addresses, all else by default.
    public init(listen: [ListenAddress]) {
        self.listen = listen
    }
}
