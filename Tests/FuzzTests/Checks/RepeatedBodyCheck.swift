@testable import HTTPFront

extension ParserCheck {
    /// What is known as a repetition of a publish is its head with another Content-Length and exactly
    /// so much body, and the head read anew means the same but for that length.
    ///
    /// Input: a target, then headers, one a line, then a NUL and a body, which is tried as all that
    /// comes next on the connection too.
    static let repeatedBody = ParserCheck("repeated-body", bytesMax: 1024) { input in
        guard let kept = KeptPublish(input) else { return }
        let (post, head, model, body) = (kept.request, kept.head, kept.model, kept.rest)
        let (lines, first) = (post.lines, post.bytes)
        let seen = first + kept.body

        try agree(known(seen, by: model), Array(seen[first.count...]), "the body it was made of")

        let before = Array(first[..<model.places.value.lowerBound])
        let after = Array(first[model.places.value.upperBound...])
        let digits = Array("\(body.count)".utf8)
        let next = before + digits + after + body
        try agree(known(next, by: model), body, "another body")
        try agree(known(next + [0x78], by: model), nil, "a body with something behind it")
        try agree(known(next.dropLast(), by: model), nil, "a piece")

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

        guard let rest = known(body, by: model) else { return }
        let value = body.dropFirst(before.count).dropLast(after.count + rest.count)
        try agree(body, before + value + after + rest, "what comes next")
        try agree(
            Int(String(decoding: value, as: UTF8.self)), rest.count, "the length of what comes next"
        )
    }

    private static func known(_ bytes: some Sequence<UInt8>, by model: RequestModel) -> [UInt8]? {
        Array(bytes).withUnsafeBytes { bytes in
            model.parts(of: bytes).map { Array(bytes[$0.body]) }
        }
    }
}
