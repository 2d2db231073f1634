import Digests

@testable import Access

extension ParserCheck {
    /// Only a secret whose hash stands in the file is let in, and one that is added is.
    ///
    /// Input: the value of an `Authorization` header, then a line feed and the file.
    static let tokens = ParserCheck("tokens", bytesMax: 400) { input in
        let parts = input.parts(2)
        let file = parts.count > 1 ? Array(parts[1]) : []
        let table = try? TokenTable(file)
        let added = "\nadded sha256:\(hash(of: Array("secret".utf8)))\n"
        let longer = try? TokenTable(file + added.utf8)
        try agree(longer != nil, table != nil, "a file, and with a line more")
        guard let table, let longer else { return }
        try agree(longer.count, table.count + 1, "tokens")
        try agree(longer.names, Set(table.names + ["added"]).sorted(), "names")
        let lines = file.split(separator: 0x0A)
        try agree(
            try TokenTable(lines.reversed().joined(separator: [0x0A])).names, table.names, "names")

        let shown = Array("bEaReR \t secret".utf8)
        try agree(try token(shown, longer)?.name, "added", "the token that was added")
        let password = "Basic \(Base64.text(Array("any:secret".utf8)))"
        try agree(try token(Array(password.utf8), longer)?.name, "added", "the same by Basic")
        let value = Array(parts[0])
        guard let token = try? token(value, longer) else { return }
        let secret = try secret(of: value)
        let text = String(decoding: file + added.utf8, as: UTF8.self).lowercased()
        try hold(text.contains(hash(of: Array(secret))), "a secret that nobody gave out")
        try hold(longer.names.contains(token.name), "a token of another name")
    }

    private static func token(_ value: [UInt8], _ table: TokenTable) throws -> Token? {
        try value.withUnsafeBytes {
            try AccessPolicy(tokens: table, administrator: 42).token(
                shownBy: Authorization($0))
        }
    }

    /// What stands behind the scheme, or as the password behind Basic.
    private static func secret(of value: [UInt8]) throws -> [UInt8] {
        let isBasic = String(decoding: value.prefix(5), as: UTF8.self).lowercased() == "basic"
        let scheme = isBasic ? "basic" : "bearer"
        let rest = Array(value.dropFirst(scheme.utf8.count).drop { $0 == 0x20 || $0 == 0x09 })
        guard isBasic else { return rest }
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bits = rest.filter { $0 != UInt8(ascii: "=") }.flatMap { byte in
            let digit = alphabet.firstIndex(of: byte) ?? 0
            return (0..<6).map { digit >> (5 - $0) & 1 }
        }
        let text = (0..<bits.count / 8).map { index in
            bits[index * 8..<index * 8 + 8].reduce(0 as UInt8) { $0 << 1 | UInt8($1) }
        }
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
        try hold(colon != nil, "Basic without a colon")
        return Array(text[(colon! + 1)...])
    }

    private static func hash(of secret: [UInt8]) -> String {
        secret.withUnsafeBytes { TokenTable.hexadecimal(Digest.sha256($0)) }
    }
}
