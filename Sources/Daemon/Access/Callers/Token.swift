internal import Digests

/// A secret by which a caller proves what the kernel cannot know: its name and its hash.
///
/// The secret itself is nowhere in it, and does not come out by printing it.
public final class Token: Equatable, Sendable, CustomStringConvertible {
    /// Its name in rules.
    public let name: String
    /// The SHA-256 of the secret.
    let digest: [UInt8]

    init(name: String, digest: [UInt8]) {
        self.name = name
        self.digest = digest
    }

    /// Whether both are the same secret under the same name.
    public static func == (left: Token, right: Token) -> Bool {
        left === right || (left.name == right.name && Digest.areEqual(left.digest, right.digest))
    }

    /// `token NAME`.
    public var description: String { "token \(name)" }

    /// A new secret, and the line of a tokens file that lets it in.
    ///
    /// - Parameter generator: Where the randomness comes from; the kernel's, unless a test says.
    /// - Throws: If the name has a form that no token may have.
    public static func make(
        named name: String, using generator: inout some RandomNumberGenerator
    ) throws(AccessError) -> (secret: String, line: String) {
        guard TokenName.isValid(name) else { throw AccessError(TokenName.form) }
        let random = (0..<AccessLimits.tokenRandomBytes).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        // The alphabet of RFC 4648 section 5: no shell, header or URL takes offence at it.
        let text = Base64.text(random).utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        let secret = "belfry_" + String(decoding: text, as: UTF8.self)
        let digest = Array(secret.utf8).withUnsafeBytes { Digest.sha256($0) }
        return (secret, "\(name) \(TokenTable.scheme)\(TokenTable.hexadecimal(digest))")
    }
}
