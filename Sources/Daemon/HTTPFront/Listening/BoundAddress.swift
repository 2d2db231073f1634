/// An address at which a server is really reached, once bound.
public enum BoundAddress: Sendable, Equatable, CustomStringConvertible {
    /// A TCP address with the port that was picked.
    case tcp(SocketAddress)
    /// A unix socket's path.
    case unix(path: String)

    /// `tcp=127.0.0.1:7464` or `unix=/run/belfry/belfry.sock`, as the ready line has it.
    public var description: String {
        switch self {
        case .tcp(let address): "tcp=\(address)"
        case .unix(let path): "unix=\(path)"
        }
    }

    /// The address of the page for a browser on this machine; nil for a unix socket, and for the
    /// address of a network.
    public var page: String? {
        guard case .tcp(let address) = self, address.isLoopback else { return nil }
        return "http://\(address)/"
    }

    /// The TCP port, or nil for a unix socket.
    public var port: UInt16? {
        switch self {
        case .tcp(let address): address.port
        case .unix: nil
        }
    }
}
