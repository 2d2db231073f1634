internal import Digests

/// The tokens that let callers in, from a file of lines `NAME sha256:HEX`.
///
/// Several lines may have the same name: then each of the secrets is that token, so that one can be
/// replaced without a moment in which neither works. Empty lines and those that begin with `#` say
/// nothing.
public struct TokenTable: Equatable, Sendable {
    private let tokens: [Token]

    static let scheme = "sha256:"

    /// No tokens.
    public init() {
        tokens = []
    }

    /// The tokens of a file's text.
    ///
    /// - Throws: An error with the problem and the number of its line. The line itself is not
    ///   repeated, as somebody may have written a secret there.
    /// - Complexity: O(bytes).
    public init(_ text: some Sequence<UInt8>) throws(AccessError) {
        var tokens: [Token] = []
        let lines = Array(text).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            guard words.count == 2 else {
                throw AccessError(
                    "a token is a line `NAME sha256:HEX`, as belfryd --make-token prints it",
                    line: index + 1)
            }
            let name = String(decoding: first, as: UTF8.self)
            guard TokenName.isValid(name) else {
                throw AccessError(TokenName.form, line: index + 1)
            }
            guard let digest = Self.digest(words[1]) else {
                throw AccessError(
                    "the hash is not `sha256:` and 64 hexadecimal digits: give a token's hash, "
                        + "never the token itself", line: index + 1)
            }
            tokens.append(Token(name: name, digest: digest))
            guard tokens.count <= AccessLimits.tokensMax else {
                throw AccessError(
                    "there are more than \(AccessLimits.tokensMax) tokens", line: index + 1)
            }
        }
        self.tokens = tokens
    }

    /// How many there are.
    public var count: Int { tokens.count }

    /// Their names, each once, sorted.
    public var names: [String] { Set(tokens.map(\.name)).sorted() }

    /// The token that some bytes are the secret of; nil if there is none.
    ///
    /// Takes the same time whichever it is and however near the bytes come to one: they are hashed,
    /// and the hash is compared with all.
    ///
    /// - Complexity: O(tokens).
    func token(of secret: UnsafeRawBufferPointer) -> Token? {
        guard (1...AccessLimits.tokenBytesMax).contains(secret.count) else { return nil }
        let digest = Digest.sha256(secret)
        var found: Token?
        for token in tokens where Digest.areEqual(token.digest, digest) { found = token }
        return found
    }

    /// Whether a token that was let in once still is.
    func contains(_ token: Token) -> Bool { tokens.contains { $0 == token } }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digest(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        guard word.starts(with: scheme.utf8) else { return nil }
        let digits = word.dropFirst(scheme.utf8.count).map(value)
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        return stride(from: 0, to: 64, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
