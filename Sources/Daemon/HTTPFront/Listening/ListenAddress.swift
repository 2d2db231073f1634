internal import Glibc

/// An address at which a server is to be reached.
public enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A TCP address; port 0 picks a free one. An optional one is left out in silence where its
    /// protocol is switched off.
    case tcp(SocketAddress, optional: Bool)
    /// A unix socket at a path, with these permission bits.
    case unix(path: String, mode: UInt32)
    /// A listening socket that was handed over, by its descriptor.
    case inherited(descriptor: Int32)

    /// The permission bits of a unix socket unless configured. Everybody on the machine may
    /// connect, and the kernel names the user of each connection.
    public static let unixModeDefault: UInt32 = 0o666

    /// Reads `ADDRESS:PORT`, `[ADDRESS]:PORT` or `unix:PATH`.
    ///
    /// Names are not looked up, since the addresses of a server must not depend on a resolver.
    ///
    /// - Throws: `ConfigurationError`, which names the text to write instead.
    public init(_ text: String) throws(ConfigurationError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            try Self.check(path: path)
            self = .unix(path: path, mode: Self.unixModeDefault)
            return
        }
        guard let colon = text.lastIndex(of: ":") else {
            throw ConfigurationError(
                "`\(text)` has no port: write ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH.")
        }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.decimalValue != nil }),
            let port = UInt16(digits)
        else {
            throw ConfigurationError("`\(digits)` is not a port: write a number from 0 to 65535.")
        }
        guard let address = SocketAddress(numeric: String(text[..<colon]), port: port) else {
            throw ConfigurationError(
                "`\(text[..<colon])` is not an address in numbers: write one such as 127.0.0.1 "
                    + "or [::1].")
        }
        self = .tcp(address, optional: false)
    }

    /// The form that `init` reads; `fd:N` for a socket that was handed over.
    public var description: String {
        switch self {
        case .tcp(let address, _): address.description
        case .unix(let path, _): "unix:\(path)"
        case .inherited(let descriptor): "fd:\(descriptor)"
        }
    }

    private static func check(path: String) throws(ConfigurationError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ConfigurationError("unix: needs the path of a socket behind it.")
        }
        guard path.utf8.count <= HTTPFrontLimits.unixPathBytesMax else {
            throw ConfigurationError(
                "The socket's path has \(path.utf8.count) bytes; the system takes "
                    + "\(HTTPFrontLimits.unixPathBytesMax).")
        }
    }
}

extension SocketAddress {
    /// An address in numbers; IPv6 in brackets. Nil for anything else.
    public init?(numeric text: String, port: UInt16) {
        var bytes = SIMD16<UInt8>()
        if text.hasPrefix("["), text.hasSuffix("]") {
            guard inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &bytes) == 1 else {
                return nil
            }
            self.init(family: .ipv6, bytes: bytes, port: port)
        } else {
            guard inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
            self.init(family: .ipv4, bytes: bytes, port: port)
        }
    }
}
