@testable import HTTPFront

extension ParserCheck {
    /// What is known as a repetition of a publish is its head with another Content-Length and exactly
    /// so much body, and the head read anew means the same but for that length. Of a piece that has the
    /// head it is known how much is missing.
    ///
    /// Input: a target, then headers, one a line, then a NUL and a body, which is tried as all that
    /// comes next on the connection too.
    static let repeatedBody = ParserCheck("repeated-body", bytesMax: 1024) { input in
        guard let kept = KeptPublish(input) else { return }
        let (post, head, pattern, body) = (kept.request, kept.head, kept.pattern, kept.rest)
        let (lines, first) = (post.lines, post.bytes)
        let seen = first + kept.body

        try agree(known(seen, by: pattern), Array(seen[first.count...]), "the body it was made of")

        let before = Array(first[..<pattern.places.value.lowerBound])
        let after = Array(first[pattern.places.value.upperBound...])
        let digits = Array("\(body.count)".utf8)
        let next = before + digits + after + body
        try agree(known(next, by: pattern), body, "another body")
        try agree(known(next + [0x78], by: pattern), nil, "a body with something behind it")
        try agree(known(next.dropLast(), by: pattern), nil, "a piece")
        for count in [1, 4, body.count] {
            let lack = next.dropLast(count).withUnsafeBytes { pattern.parts(of: $0)?.missingBytes }
            try agree(lack, count <= body.count ? count : nil, "what a piece lacks")
        }

        let names = lines.map { line in
            line.prefix(15).map { $0 | 0x20 }.elementsEqual("content-length:".utf8)
        }
        let others = zip(lines, names).map { line, isLength in
            isLength ? Array("Content-Length:".utf8) + digits : line
        }
        guard let again = RequestLines(method: "POST", lines: others).head else {
            throw Broken(description: "with another length it is refused")
        }
        let length =
            body.isEmpty ? RequestHead.BodyLength.none : .counted(UInt64(body.count))
        try agree(again.bodyLength, length, "the length")
        try agree(again.target.raw, head.target.raw, "the target")
        try agree(again.headers.count, head.headers.count, "the headers")

        guard let rest = try known(body, by: pattern) else { return }
        let value = body.dropFirst(before.count).dropLast(after.count + rest.count)
        let traced = pattern.withOwnTrace(body, bodyBytes: rest.count)
        try agree(traced, before + value + after + rest, "what comes next")
        try agree(
            Int(String(decoding: value, as: UTF8.self)), rest.count, "the length of what comes next"
        )
    }

    private static func known(
        _ bytes: some Sequence<UInt8>, by pattern: HeadPattern
    ) throws -> [UInt8]? {
        try Array(bytes).withUnsafeBytes { bytes in
            try pattern.known(bytes).map { Array(bytes[$0.body]) }
        }
    }
}
