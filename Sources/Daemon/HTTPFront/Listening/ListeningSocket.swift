internal import CLinux
internal import Glibc

/// A socket that connections are accepted from.
///
/// One that was opened here closes with its last reference, which is the server's or a loop's; one
/// that was handed over stays open.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let address: BoundAddress
    private let isInherited: Bool
    private let file: SocketFile?
    private let mode: UInt32

    private init(
        descriptor: Int32, address: BoundAddress, isInherited: Bool = false,
        file: SocketFile? = nil, mode: UInt32 = 0
    ) {
        self.descriptor = descriptor
        self.address = address
        self.isInherited = isInherited
        self.file = file
        self.mode = mode
    }

    deinit {
        guard !isInherited else { return }
        // A child that was forked and has not yet called `exec` holds the descriptor too, and would
        // let clients wait for an answer that nobody gives.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Opens the socket of a configured address; nil for an optional one that this machine lacks.
    static func open(
        _ address: ListenAddress, sendBufferBytes: Int
    ) throws(ServerError) -> ListeningSocket? {
        switch address {
        case .tcp(let address, let isOptional):
            return try openTCP(address, isOptional, sendBufferBytes: sendBufferBytes)
        case .unix(let path, let mode):
            try SocketFile.clear(path)
            return try openUnix(path, mode: mode)
        case .inherited(let descriptor):
            return try adopt(descriptor, sendBufferBytes: sendBufferBytes)
        }
    }

    /// The file that is now at the path of a unix socket that was opened here; nil for any other
    /// socket.
    var sight: SocketFile.Sight? { file?.sight }

    /// Another socket at the path and with the rights of a unix socket that was opened here.
    ///
    /// - Throws: When there is a file already, be it of any owner, or none can be made.
    func openAnew() throws(ServerError) -> ListeningSocket? {
        guard file != nil, case .unix(let path) = address else { return nil }
        return try Self.openUnix(path, mode: mode)
    }

    /// Removes the file of a unix socket that was opened here, if it is still that socket's.
    func removeFile() {
        file?.remove()
    }

    private static func openTCP(
        _ address: SocketAddress, _ isOptional: Bool, sendBufferBytes: Int
    ) throws(ServerError) -> ListeningSocket? {
        let family = address.family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Self.streamType, 0)
        guard descriptor >= 0 else {
            if isOptional, errno == EAFNOSUPPORT { return nil }
            throw ServerError(doing: "opening a socket for \(address)")
        }
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        prepareForTCP(descriptor, sendBufferBytes: sendBufferBytes)
        let result = address.withSockaddr { pointer, count in
            bind(descriptor, pointer.assumingMemoryBound(to: sockaddr.self), socklen_t(count))
        }
        guard result == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let code = errno
            close(descriptor)
            if isOptional, code == EADDRNOTAVAIL { return nil }
            throw ServerError(doing: "listening on \(address)", code: code)
        }
        let bound = SocketAddress(localOf: descriptor) ?? address
        return ListeningSocket(descriptor: descriptor, address: .tcp(bound))
    }

    private static func openUnix(
        _ path: String, mode: UInt32
    ) throws(ServerError) -> ListeningSocket {
        let descriptor = socket(AF_UNIX, Self.streamType, 0)
        guard descriptor >= 0 else {
            throw ServerError(doing: "opening a socket for unix:\(path)")
        }
        let result = SocketFile.withAddress(of: path) {
            clinux_bind_with_mode(descriptor, $0, $1, mode)
        }
        guard result == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let code = result == 0 ? errno : -result
            close(descriptor)
            throw ServerError(doing: "listening on unix:\(path)", code: code)
        }
        return ListeningSocket(
            descriptor: descriptor, address: .unix(path: path), file: SocketFile(path),
            mode: mode)
    }

    private static func adopt(
        _ descriptor: Int32, sendBufferBytes: Int
    ) throws(ServerError) -> ListeningSocket {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard
            getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
            isListening != 0
        else {
            throw ServerError(
                "descriptor \(descriptor) was passed as a listening socket, but is not one")
        }
        let prepared = clinux_prepare_descriptor(descriptor)
        guard prepared == 0 else {
            throw ServerError(doing: "preparing descriptor \(descriptor)", code: -prepared)
        }
        let address: BoundAddress
        if let bound = SocketAddress(localOf: descriptor) {
            prepareForTCP(descriptor, sendBufferBytes: sendBufferBytes)
            address = .tcp(bound)
        } else {
            address = .unix(path: SocketFile.path(of: descriptor))
        }
        return ListeningSocket(descriptor: descriptor, address: address, isInherited: true)
    }

    /// Accepted sockets take these over from their listener.
    private static func prepareForTCP(_ descriptor: Int32, sendBufferBytes: Int) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: sendBufferBytes))
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static let streamType =
        Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
}
