@testable import HTTPFront

extension ParserCheck {
    /// What is known as a repetition of a publish with another plain name at the end of its path,
    /// read anew, means the same but for that name; and every plain name is known, no other.
    ///
    /// Input: a target, then headers, one a line, then a NUL and a name.
    static let repeatedName = ParserCheck("repeated-name", bytesMax: 1024) { input in
        guard let kept = KeptPublish(input, name: \.lastSegmentRange) else { return }
        let (post, head, body, pattern) = (kept.request, kept.head, kept.body, kept.pattern)
        let (lines, name) = (post.lines, kept.rest)
        // A longer length is never known again.
        guard pattern.places.value.count <= 16 else { return }
        let first = String(decoding: post.bytes[pattern.places.name], as: UTF8.self)
        try agree(known(post.bytes + body, by: pattern), first, "the name it was made of")
        guard !first.isEmpty else { return }
        try agree(head.target.path.last, first, "the last of the path")

        let range = head.target.lastSegmentRange
        let target = lines[0][..<range.lowerBound] + name + lines[0][range.upperBound...]
        let other = RequestLines(method: "POST", lines: [Array(target)] + lines.dropFirst())
        let text = String(decoding: name, as: UTF8.self)
        try agree(known(other.bytes + body, by: pattern), isPlain(name) ? text : nil, "a name")
        guard isPlain(name) else { return }
        guard let again = other.head else {
            throw Broken(description: "with another name it is refused")
        }
        try agree(again.target.path, head.target.path.dropLast() + [text], "the path")
        try agree(again.target.form, head.target.form, "the form of the target")
        try agree(pairs(again), pairs(head), "the parameters")
        try agree(again.headers.count, head.headers.count, "the headers")
        try agree(again.bodyLength, head.bodyLength, "the length")
    }

    private static func pairs(_ head: RequestHead) -> [String] {
        head.target.query.map { "\($0.name)=\($0.value)" }
    }

    private static func isPlain(_ name: [UInt8]) -> Bool {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
        return (1...HTTPFrontLimits.keptHeadBytesMax).contains(name.count)
            && name[0] != UInt8(ascii: ".") && name.allSatisfy(letters.contains)
    }

    private static func known(_ bytes: [UInt8], by pattern: HeadPattern) throws -> String? {
        try bytes.withUnsafeBytes { bytes in
            try pattern.known(bytes).map { String(decoding: bytes[$0.name], as: UTF8.self) }
        }
    }
}
