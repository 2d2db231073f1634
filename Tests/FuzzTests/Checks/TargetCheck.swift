@testable import HTTPFront

extension ParserCheck {
    /// The target of a request agrees with a reading of its text by way of the standard library.
    static let target = ParserCheck("target", bytesMax: 256) { input in
        let target = try? RequestTarget(input)
        let expected = TargetText(input)
        try agree(target?.path, expected?.path, "path")
        try agree(target?.query.map(\.name), expected?.query.map(\.name), "names")
        try agree(target?.query.map(\.value), expected?.query.map(\.value), "values")
        guard let target else { return }
        try agree(target.raw, input.text, "raw")
    }
}

/// A target, taken apart by splitting.
private struct TargetText {
    typealias Bytes = ArraySlice<UInt8>

    let path: [String]
    let query: [(name: String, value: String)]

    init?(_ input: UnsafeRawBufferPointer) {
        let isForbidden: (UInt8) -> Bool = { $0 <= 0x20 || $0 == 0x7F || $0 == 0x23 }
        guard input.utf8 != nil, !input.isEmpty, !input.contains(where: isForbidden) else {
            return nil
        }
        let halves = Self.split(Array(input)[...], "?", once: true)
        var front = halves[0]
        if input.text == "*" {
            front = []
        } else if front.first != UInt8(ascii: "/") {
            let scheme = String(decoding: front.prefix(7), as: UTF8.self)
            guard scheme.lowercased() == "http://" else { return nil }
            let host = front.dropFirst(7).prefix { $0 != UInt8(ascii: "/") }
            guard Authority(String(decoding: host, as: UTF8.self)) != nil else { return nil }
            front = front[host.endIndex...]
        }
        let segments = front.count > 1 ? Self.split(front.dropFirst(), "/") : []
        let pieces = halves.count < 2 ? [] : Self.split(halves[1], "&").filter { !$0.isEmpty }
        let items = pieces.map { Self.split(Self.spaced($0), "=", once: true) }
        guard let path = Self.decoded(segments, refusing: "/\0"),
            let names = Self.decoded(items.map { $0[0] }, refusing: "\0"),
            let values = Self.decoded(items.map { $0.count > 1 ? $0[1] : [] }, refusing: "\0"),
            names.count <= HTTPFrontLimits.queryItemsMax
        else { return nil }
        self.path = path
        query = zip(names, values).map { ($0, $1) }
    }

    private static func split(
        _ bytes: Bytes, _ border: Unicode.Scalar, once: Bool = false
    ) -> [Bytes] {
        bytes.split(
            separator: UInt8(ascii: border), maxSplits: once ? 1 : .max,
            omittingEmptySubsequences: false)
    }

    private static func spaced(_ piece: Bytes) -> Bytes {
        piece.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }[...]
    }

    private static func decoded(_ parts: [Bytes], refusing refused: String) -> [String]? {
        let decoded = parts.compactMap { part in
            unescaped(part).flatMap { text in
                text.utf8.contains { refused.utf8.contains($0) } ? nil : text
            }
        }
        return decoded.count == parts.count ? decoded : nil
    }

    private static func unescaped(_ text: Bytes) -> String? {
        let pieces = split(text, "%")
        var bytes = Array(pieces[0])
        for piece in pieces.dropFirst() {
            let digits = String(decoding: piece.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                return nil
            }
            bytes.append(UInt8(digits, radix: 16)!)
            bytes += piece.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
