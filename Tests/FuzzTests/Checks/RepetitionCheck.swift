@testable import HTTPFront

extension ParserCheck {
    /// What is known as a repetition of a request is that request with another number in one place,
    /// or with one more parameter, and read anew means the same but for that number.
    ///
    /// Input: a target, then headers, one a line, then a NUL and what comes next on the connection.
    static let repetition = ParserCheck("repetition", bytesMax: 1024) { input in
        let halves = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let first = Poll(
            lines: UnsafeRawBufferPointer(rebasing: halves[0]).parts(20).map(Array.init))
        guard let meaning = first.meaning,
            let pattern = HeadPattern(
                first.bytes.withUnsafeBytes { SeenInput($0) }, headBytes: first.bytes.count,
                head: meaning.head,
                valueAt: meaning.place)
        else { return }
        let (whole, value) = (pattern.places.bytes, pattern.places.value)
        let before = Array(whole[..<value.lowerBound])
        let after = Array(whole[value.upperBound...])

        let next = halves.count > 1 ? Array(halves[1]) : whole
        let middle = next.dropFirst(before.count).dropLast(after.count)
        let isRepetition =
            pattern.withOwnTrace(next) == before + middle + after && (1...16).contains(middle.count)
            && middle.allSatisfy { (0x30...0x39).contains($0) }
        try agree(known(next, by: pattern), isRepetition ? Array(middle) : nil, "what comes next")

        let same = HeadPattern(
            first.bytes.withUnsafeBytes { SeenInput($0) }, headBytes: first.bytes.count,
            head: meaning.head, valueAt: .nowhere)
        try agree(same == nil, false, "whether the same again is known")
        if let same {
            for (bytes, isIt) in [
                (first.bytes, true), (next, same.withOwnTrace(next) == first.bytes),
            ] {
                try agree(known(bytes, by: same), isIt ? [] : nil, "the same again")
            }
        }

        for number in ["0", "1234567890123456"] {
            let digits = Array(number.utf8)
            let other = Poll(bytes: before + digits + after)
            try agree(known(other.bytes, by: pattern), digits, "another number")
            guard let again = other.meaning else {
                throw Broken(description: "with another number it is refused")
            }
            try agree(again.value, number, "the value")
            try agree(again.rest, meaning.rest, "all but the value")
        }
    }

    private static func known(_ bytes: [UInt8], by pattern: HeadPattern) throws -> [UInt8]? {
        try bytes.withUnsafeBytes { bytes in
            try pattern.known(bytes).map { Array(bytes[$0.value]) }
        }
    }
}

/// A GET, read by its lines.
private struct Poll {
    private let request: RequestLines
    var bytes: [UInt8] { request.bytes }

    /// One with this target and these headers.
    init(lines: [[UInt8]]) {
        request = RequestLines(method: "GET", lines: lines)
    }

    /// One as it was sent.
    init(bytes: [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .dropLast(2).map { Array($0.dropLast()) }
        lines[0] = Array(lines[0].dropFirst("GET ".utf8.count).dropLast(" HTTP/1.1".utf8.count))
        self.init(lines: lines)
    }

    /// The value that takes effect, where it stands, and all that is asked besides.
    var meaning: (head: RequestHead, place: ValuePlace, value: String, rest: [String])? {
        guard let head = request.head else { return nil }
        let query = head.target.query
        if let id = request.headers.first("last-event-id"), !id.isEmpty {
            let items = query.map { "\($0.name)=\($0.value)" }
            return (head, .header("last-event-id"), id, head.target.path + items)
        }
        guard let since = query.first(where: { $0.name == "since" }) else {
            let items = query.map { "\($0.name)=\($0.value)" }
            return (head, .parameter("since"), "", head.target.path + items + [""])
        }
        let items = query.map { $0.valueRange == since.valueRange ? "" : "\($0.name)=\($0.value)" }
        return (head, .target(since.valueRange), since.value, head.target.path + items)
    }
}
