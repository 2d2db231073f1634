/// The address of a bus: one of HTTP, or a unix socket.
public struct BusAddress: Hashable, Sendable, CustomStringConvertible {
    /// The beginning of every URL, to which a path is appended; without a slash at its end.
    let base: String
    /// The unix socket to connect to; nil if `base` names the host and port.
    let socketPath: String?

    /// The bus at the unix socket of this path.
    public static func socket(_ path: String) -> BusAddress {
        BusAddress(base: "http://localhost", socketPath: path)
    }

    /// The bus of this machine at its usual port.
    public static let loopback = BusAddress(base: "http://127.0.0.1:7464", socketPath: nil)

    private init(base: String, socketPath: String?) {
        self.base = base
        self.socketPath = socketPath
    }

    /// The address that `text` spells: `http://HOST:PORT`, `https://…`, `unix:PATH`, or a path
    /// that begins with a slash; nil for anything else.
    public init?(_ text: String) {
        if text.hasPrefix("/") {
            self = .socket(text)
        } else if text.hasPrefix("unix:/") {
            self = .socket(String(text.dropFirst(5)))
        } else if text.hasPrefix("http://") || text.hasPrefix("https://") {
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") })
            else { return nil }
            var base = Substring(text)
            while base.hasSuffix("/") { base = base.dropLast() }
            guard base.contains("://") else { return nil }
            self.init(base: String(base), socketPath: nil)
        } else {
            return nil
        }
    }

    /// Whether a certificate names the other end of a connection.
    var isCertified: Bool { socketPath == nil && base.hasPrefix("https://") }

    /// The address as a person would write it.
    public var description: String { socketPath.map { "unix:\($0)" } ?? base }
}
