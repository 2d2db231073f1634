internal import Digests

/// The value of an `Authorization` header, as far as a token may be in it.
///
/// `Bearer TOKEN` (RFC 6750 section 2.1), and `Basic` with the token as the password of any user
/// (RFC 7617 section 2), which is all that many programs can send.
public struct Authorization {
    /// How the header says it.
    public enum Scheme: Sendable {
        /// `Bearer TOKEN`.
        case bearer
        /// `Basic` and the Base64 of `USER:TOKEN`.
        case basic
    }

    /// How the header says it; nil for a scheme that is somebody else's.
    public let scheme: Scheme?
    private let credentials: UnsafeRawBufferPointer

    /// Reads the scheme of a header's value, whose bytes have to stay valid.
    public init(_ value: UnsafeRawBufferPointer) {
        let end = value.firstIndex { Self.isBlank($0) } ?? value.endIndex
        scheme =
            Self.isEqual(value[..<end], "bearer")
            ? .bearer : Self.isEqual(value[..<end], "basic") ? .basic : nil
        credentials = UnsafeRawBufferPointer(rebasing: value[end...].drop { Self.isBlank($0) })
    }

    /// Calls `body` with the bytes that should be the secret of a token, and returns its result.
    ///
    /// - Throws: If `Basic` does not go on with the Base64 of a user, a colon and a password.
    func withSecret<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(AccessError) -> Result {
        guard scheme == .basic else { return body(credentials) }
        guard let decoded = Base64.decode(credentials) else {
            throw AccessError(
                "What follows 'Basic' is not Base64. Send that of USER:TOKEN, with any user name, "
                    + "as `curl -u any:TOKEN` does, or 'Authorization: Bearer TOKEN'.")
        }
        guard let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else {
            throw AccessError(
                "The Basic credentials have no colon. Send the Base64 of USER:TOKEN, with any user "
                    + "name, as `curl -u any:TOKEN` does, or 'Authorization: Bearer TOKEN'.")
        }
        return decoded[(colon + 1)...].withUnsafeBytes(body)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether these bytes are `scheme`, which is in lower case, in any case.
    private static func isEqual(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ scheme: String
    ) -> Bool {
        bytes.count == scheme.utf8.count && zip(bytes, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}
