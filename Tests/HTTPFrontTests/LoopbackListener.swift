import Glibc
import TestSupport
import Testing

@testable import HTTPFront

/// A listening socket on loopback or a unix path, for tests that need a real peer.
final class LoopbackListener {
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case ipv4, ipv6, mapped, unix

        var testDescription: String { "\(self)" }
    }

    let descriptor: Int32
    let address: RawClient.Address
    private let path: String?

    init(_ kind: Kind) throws {
        switch kind {
        case .ipv4:
            descriptor = try Self.listen(on: "127.0.0.1")
            path = nil
            address = .tcp(SocketAddress(localOf: descriptor)!.port)
        case .ipv6:
            descriptor = try Self.listen(on: "[::1]")
            path = nil
            address = .tcp6(SocketAddress(localOf: descriptor)!.port)
        case .mapped:
            descriptor = try Self.listen(on: "[::ffff:127.0.0.1]")
            path = nil
            address = .tcp(SocketAddress(localOf: descriptor)!.port)
        case .unix:
            var template = Array("/tmp/front-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else {
                throw RawClient.Failure.system("mkdtemp", errno)
            }
            let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + "/s"
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            try Self.listen(descriptor, &target, MemoryLayout<sockaddr_un>.size)
            self.path = path
            address = .unix(path)
        }
    }

    deinit {
        close(descriptor)
        if let path {
            unlink(path)
            rmdir(String(path.dropLast(2)))
        }
    }

    /// A client and the server's end of its connection.
    func connect() throws -> (client: RawClient, server: ServerEnd) {
        let client = try RawClient(address)
        return (client, try accept())
    }

    func accept() throws -> ServerEnd {
        let bound = SocketAddress(localOf: descriptor).map(BoundAddress.tcp) ?? .unix(path: path!)
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw RawClient.Failure.system("accept", errno) }
        return ServerEnd(accepted, of: bound)
    }

    private static func listen(on address: String) throws -> Int32 {
        let address = SocketAddress(numeric: address, port: 0)!
        let family = address.family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        try address.withSockaddr { pointer, count in
            Result { try listen(descriptor, pointer, count) }
        }.get()
        return descriptor
    }

    private static func listen(
        _ descriptor: Int32, _ address: UnsafeRawPointer, _ count: Int
    ) throws {
        let address = address.assumingMemoryBound(to: sockaddr.self)
        guard bind(descriptor, address, socklen_t(count)) == 0,
            Glibc.listen(descriptor, 16) == 0
        else { throw RawClient.Failure.system("listen", errno) }
    }

    /// Whether this machine has IPv6 loopback.
    static let hasIPv6 = (try? LoopbackListener(.ipv6)) != nil
    static let usable = Kind.allCases.filter { $0 == .ipv4 || $0 == .unix || hasIPv6 }
    static let usableTCP = usable.filter { $0 != .unix }
}

/// The server's end of a connection, closed with its last reference.
final class ServerEnd {
    let descriptor: Int32
    /// What the server knows of it.
    let accepted: AcceptedSocket

    init(_ descriptor: Int32, of listener: BoundAddress) {
        self.descriptor = descriptor
        accepted = AcceptedSocket(
            descriptor: descriptor, listener: listener,
            remote: SocketAddress(remoteOf: descriptor))
    }

    deinit {
        close(descriptor)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits until `count` bytes can be read, and reads none.
    func awaitBytes(_ count: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &buffer, count, Int32(MSG_PEEK | MSG_WAITALL))
            == count
    }

    func read(_ count: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: count)
        let read = recv(descriptor, &buffer, count, 0)
        return String(decoding: buffer.prefix(max(0, read)), as: UTF8.self)
    }

    /// Waits until the peer's end of sending, or worse, has arrived.
    func awaitEnd() -> Bool {
        let readHangUp: Int16 = 0x2000  // POLLRDHUP, which Glibc's module lacks
        var entry = pollfd(fd: descriptor, events: readHangUp, revents: 0)
        return poll(&entry, 1, 5000) == 1
    }
}
