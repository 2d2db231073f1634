internal import CLinux
internal import Glibc

/// A connection as its listener gave it, with the addresses that are known without asking.
struct AcceptedSocket {
    let descriptor: Int32
    /// The address of the listener that accepted it.
    let listener: BoundAddress
    /// The other end; nil on a unix socket.
    let remote: SocketAddress?

    /// This end; nil on a unix socket. It is the listener's, unless that takes connections to every
    /// address.
    var local: SocketAddress? {
        switch listener {
        case .unix: nil
        case .tcp(let bound): bound.isWildcard ? SocketAddress(localOf: descriptor) : bound
        }
    }

    /// The result of `accept`.
    enum Outcome {
        case accepted(AcceptedSocket)
        case failed(code: Int32)
    }

    /// Takes the next connection that waits at a listener.
    static func next(at listener: ListeningSocket) -> Outcome {
        var storage = sockaddr_storage()
        var size = UInt32(MemoryLayout<sockaddr_storage>.size)
        let descriptor = clinux_accept(listener.descriptor, &storage, &size)
        guard descriptor >= 0 else { return .failed(code: -descriptor) }
        let remote = withUnsafeBytes(of: storage) {
            SocketAddress($0.baseAddress!, count: Int(size))
        }
        return .accepted(
            AcceptedSocket(descriptor: descriptor, listener: listener.address, remote: remote))
    }
}
