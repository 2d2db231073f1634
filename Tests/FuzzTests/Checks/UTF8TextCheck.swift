@testable import HTTPFront

extension ParserCheck {
    /// The check of text in pieces agrees with the standard library's of the whole, and says no at
    /// the first byte that no text can have there.
    ///
    /// Input: a byte that says where to cut, then the text.
    static let utf8 = ParserCheck("utf8", bytesMax: 64) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let isText = String(validating: bytes, as: UTF8.self) != nil
        try agree(isWhole(bytes, pieces: bytes.count), isText, "UTF-8")
        try agree(isWhole(bytes, pieces: Int(first % 16) + 1), isText, "UTF-8, in pieces")

        var check = UTF8Check()
        let end = bytes.indices.first { !accept([bytes[$0]], &check) } ?? bytes.endIndex
        try hold(canGoOn(bytes[..<end]), "refused too late, behind byte \(end)")
        if end < bytes.endIndex {
            try hold(!canGoOn(bytes[...end]), "refused too early, at byte \(end)")
        }
    }

    private static func isWhole(_ bytes: [UInt8], pieces: Int) -> Bool {
        var check = UTF8Check()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(piece.count)
            guard accept(Array(piece), &check) else { return false }
        }
        return check.isComplete
    }

    private static func accept(_ bytes: [UInt8], _ check: inout UTF8Check) -> Bool {
        bytes.withUnsafeBytes { check.accept($0) }
    }

    /// Whether some text begins so: up to three bytes would complete it, of which only the first
    /// is bound to a narrower range, and never to both ends of it.
    private static func canGoOn(_ bytes: ArraySlice<UInt8>) -> Bool {
        let endings: [[UInt8]] =
            [[]]
            + [0x80, 0xBF].flatMap { first -> [[UInt8]] in
                [[first], [first, 0x80], [first, 0x80, 0x80]]
            }
        return endings.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }
}
