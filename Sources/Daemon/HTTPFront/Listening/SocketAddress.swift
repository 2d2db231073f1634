internal import Glibc

/// An IPv4 or IPv6 address with its port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// Which protocol the address belongs to.
    public enum Family: Sendable {
        /// IPv4.
        case ipv4
        /// IPv6, and IPv4 as mapped into it (`::ffff:127.0.0.1`).
        case ipv6
    }

    /// Which protocol the address belongs to.
    public let family: Family

    /// The port, as a number.
    public let port: UInt16

    /// The address in network order; IPv4 uses the first four bytes.
    let bytes: SIMD16<UInt8>

    init(family: Family, bytes: SIMD16<UInt8>, port: UInt16) {
        self.family = family
        self.bytes = bytes
        self.port = port
    }

    /// The address that a `sockaddr` of `count` bytes holds, or nil for other families.
    public init?(_ address: UnsafeRawPointer, count: Int) {
        guard count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where count >= MemoryLayout<sockaddr_in>.size:
            let value = address.loadUnaligned(as: sockaddr_in.self)
            var bytes = SIMD16<UInt8>()
            withUnsafeBytes(of: value.sin_addr) { for index in 0..<4 { bytes[index] = $0[index] } }
            self.init(family: .ipv4, bytes: bytes, port: UInt16(bigEndian: value.sin_port))
        case AF_INET6 where count >= MemoryLayout<sockaddr_in6>.size:
            let value = address.loadUnaligned(as: sockaddr_in6.self)
            var bytes = SIMD16<UInt8>()
            withUnsafeBytes(of: value.sin6_addr) {
                for index in 0..<16 { bytes[index] = $0[index] }
            }
            self.init(family: .ipv6, bytes: bytes, port: UInt16(bigEndian: value.sin6_port))
        default: return nil
        }
    }

    /// The address of this end of a connected or bound socket, or nil for other families.
    public init?(localOf descriptor: Int32) {
        self.init(of: descriptor, getsockname)
    }

    /// The address of the other end of a connected socket, or nil for other families.
    public init?(remoteOf descriptor: Int32) {
        self.init(of: descriptor, getpeername)
    }

    private init?(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &count) }
        }
        guard result == 0 else { return nil }
        guard
            let address = withUnsafeBytes(of: storage, { Self($0.baseAddress!, count: Int(count)) })
        else { return nil }
        self = address
    }

    /// Whether only this machine can reach the address: 127.0.0.0/8, `::1`, and IPv4 loopback
    /// mapped into IPv6.
    public var isLoopback: Bool {
        let address = unmapped
        return switch address.family {
        case .ipv4: address.bytes[0] == 127
        case .ipv6: address.bytes == Self.ipv6Loopback
        }
    }

    /// Whether it stands for every address of this machine: `0.0.0.0` and `::`.
    // By words: a comparison of vectors of bytes is one of each byte.
    var isWildcard: Bool {
        let words = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        return words.x | words.y == 0
    }

    /// The IPv4 address that a mapped IPv6 one stands for; any other address itself.
    public var unmapped: SocketAddress {
        guard family == .ipv6, bytes.lowHalf == Self.mappedPrefix.lowHalf,
            bytes.highHalf.lowHalf == Self.mappedPrefix.highHalf.lowHalf
        else { return self }
        var ipv4 = SIMD16<UInt8>()
        for index in 0..<4 { ipv4[index] = bytes[12 + index] }
        return SocketAddress(family: .ipv4, bytes: ipv4, port: port)
    }

    /// `127.0.0.1:7464` or `[::1]:7464`.
    public var description: String {
        withUnsafeBytes(of: bytes) { raw in
            switch family {
            case .ipv4: "\(Self.text(of: raw.baseAddress!, family: AF_INET)):\(port)"
            case .ipv6: "[\(Self.text(of: raw.baseAddress!, family: AF_INET6))]:\(port)"
            }
        }
    }

    /// Calls `body` with the `sockaddr` to bind or connect to.
    public func withSockaddr<Result>(_ body: (UnsafeRawPointer, Int) -> Result) -> Result {
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { copy(into: $0) }
            return body(&address, MemoryLayout<sockaddr_in>.size)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { copy(into: $0) }
            return body(&address, MemoryLayout<sockaddr_in6>.size)
        }
    }

    /// The address in numbers, without brackets and port.
    static func text(of address: UnsafeRawPointer, family: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            inet_ntop(family, address, text.baseAddress!, socklen_t(text.count))
            return String(cString: text.baseAddress!)
        }
    }

    private func copy(into target: UnsafeMutableRawBufferPointer) {
        for index in 0..<target.count { target[index] = bytes[index] }
    }

    private static let ipv6Loopback = SIMD16<UInt8>(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    private static let mappedPrefix = SIMD16<UInt8>(
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0)
}
