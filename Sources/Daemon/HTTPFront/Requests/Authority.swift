internal import Glibc

/// A host and perhaps a port, as in Host or in an absolute target, normalised for comparing.
///
/// Letters are lower case, one final dot is gone, and an IPv6 address has its canonical spelling
/// in brackets; whether a name means anything is `HostPolicy`'s to say.
public struct Authority: Sendable, Hashable, CustomStringConvertible {
    /// The normalised host; IPv6 addresses keep their brackets.
    public let host: String

    /// The port, if one was written.
    public let port: UInt16?

    /// Host and port as they are written in an address.
    public var description: String { port.map { "\(host):\($0)" } ?? host }

    /// A host that is already normalised.
    init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; nil for anything else, with user
    /// information and percent escapes among it.
    ///
    /// - Complexity: O(bytes).
    public init?(_ text: UnsafeRawBufferPointer) {
        guard let first = text.first else { return nil }
        if first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")),
                let host = Self.canonicalIPv6(UnsafeRawBufferPointer(rebasing: text[1..<end]))
            else { return nil }
            let rest = UnsafeRawBufferPointer(rebasing: text[(end + 1)...])
            guard rest.isEmpty || rest[0] == UInt8(ascii: ":") else { return nil }
            guard case .some(let port) = Self.port(rest.dropFirst()) else { return nil }
            self.init(host: host, port: port)
            return
        }
        var end = 0
        while end < text.count, text[end] != UInt8(ascii: ":") {
            guard text[end].isPlain || text[end] == UInt8(ascii: "~") else { return nil }
            end += 1
        }
        guard case .some(let port) = Self.port(text.dropFirst(end + 1)) else { return nil }
        if end > 0, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        guard end > 0 else { return nil }
        let host = String(unsafeUninitializedCapacity: end) { bytes in
            for index in 0..<end { bytes[index] = text[index].lowercased }
            return end
        }
        self.init(host: host, port: port)
    }

    /// Reads an authority from text, as configuration has it.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ Authority(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = value
    }

    /// `.some(nil)` without digits, nil when they are no port.
    private static func port(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt16?? {
        guard !digits.isEmpty else { return .some(nil) }
        guard digits.count <= 5 else { return nil }
        var value = 0
        for byte in digits {
            guard let digit = byte.decimalValue else { return nil }
            value = value * 10 + Int(digit)
        }
        return UInt16(exactly: value).map { .some($0) }
    }

    private static func canonicalIPv6(_ text: UnsafeRawBufferPointer) -> String? {
        guard text.count <= 45, !text.contains(0) else { return nil }
        let spelled = String(decoding: text, as: UTF8.self)
        var address = in6_addr()
        guard inet_pton(AF_INET6, spelled, &address) == 1 else { return nil }
        return "[\(SocketAddress.text(of: &address, family: AF_INET6))]"
    }
}
