@testable import HTTPFront

extension ParserCheck {
    /// A head like one that was parsed means what it means when it is read by its lines, or is refused in the
    /// same words.
    ///
    /// Input: a target, then headers, one a line, then a NUL and what comes next on the connection.
    static let knownHead = ParserCheck("known-head", bytesMax: 1024) { input in
        let halves = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let request = RequestLines(UnsafeRawBufferPointer(rebasing: halves[0]))
        guard let known = request.known() else { return }
        let first = try meaning(of: request.bytes, like: known)
        try agree(first?.isSameTarget, true, "whether it is like itself")
        try agree(first?.read.headers.count, known.meaning.headers.count, "its own headers")
        if halves.count > 1 { _ = try meaning(of: Array(halves[1]), like: known) }
    }

    private struct Meaning {
        let read: RequestHead
        let isSameTarget: Bool
    }

    /// What bytes mean as a head like a known one; nil where they are none, or break a rule.
    private static func meaning(of bytes: [UInt8], like known: KnownHead) throws -> Meaning? {
        try bytes.withUnsafeBytes { input in
            var match = KnownHead.Match.none
            guard known.match(input, &match) else { return nil }
            try agree(HeadHash(of: input)?.value, known.hash, "the hash")
            let lines = RequestHeadReader(input)
            try agree(match.headBytes, lines.headBytes, "the bytes of the head")
            guard case .nothing = lines.finding else {
                throw Broken(description: "by its lines it is \(lines.finding)")
            }
            try agree(known.bodyLength(match), lines.bodyLength, "the length of the body")
            let target = UnsafeRawBufferPointer(rebasing: input[match.target])
            let peer = Peer(transport: .unix)
            let (one, other) = (
                Result { () throws(Problem) in
                    try RequestLines.rules.head(
                        like: known.meaning, target: match.isSameTarget ? nil : target,
                        headers: match.headers, peer: peer)
                },
                Result { () throws(Problem) in
                    try RequestLines.rules.read(
                        method: lines.method, target: lines.target, version: lines.version,
                        headers: lines.fields, peer: peer
                    ).head
                }
            )
            switch (one, other) {
            case (.success(let one), .success(let other)):
                try compare(one, other)
                return Meaning(read: one, isSameTarget: match.isSameTarget)
            case (.failure(let one), .failure(let other)):
                try agree(one.detail, other.detail, "why it is refused")
                return nil
            default: throw Broken(description: "one way it is refused, the other way not")
            }
        }
    }

    /// All that two heads mean.
    static func compare(_ one: RequestHead, _ other: RequestHead) throws(Broken) {
        try agree(one.method, other.method, "the method")
        try agree(one.target.raw, other.target.raw, "the target")
        try agree(one.target.path, other.target.path, "the path")
        try agree(one.version, other.version, "the version")
        try agree(lines(of: one), lines(of: other), "the headers")
        try agree(one.host, other.host, "the host")
        try agree(one.isForUs, other.isForUs, "whether it is for us")
        try agree(one.keepsAlive, other.keepsAlive, "whether the connection stays")
        try agree(one.crossOrigin, other.crossOrigin, "the page")
    }

    private static func lines(of head: RequestHead) -> [String] {
        var lines: [String] = []
        head.headers.forEach { lines.append("\($0.text): \($1.text)") }
        return lines
    }
}
