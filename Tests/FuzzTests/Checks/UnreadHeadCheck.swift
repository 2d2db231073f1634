@testable import HTTPFront

extension ParserCheck {
    /// A head is broken where one of its lines is, by the words of the standard alone; a piece that
    /// is broken stays so whatever follows; and its headers are those of its lines.
    ///
    /// Input: what there is to be read on a connection.
    static let unreadHead = ParserCheck("unread-head", bytesMax: 512) { input in
        let head = RequestHeadReader(input)
        let lines = Lines(input)
        try agree(isBroken(head.finding), lines.isBroken, "whether it is broken")
        for end in input.indices where input[end] == 0x0A {
            let piece = RequestHeadReader(UnsafeRawBufferPointer(rebasing: input[...end])).finding
            if piece != .nothing { try agree(piece, head.finding, "what a piece is and the whole") }
        }
        guard !lines.isBroken, lines.isWhole, lines.isOfVersion1 else {
            return try hold(head.finding != .doubtful, "a piece, or another version, is doubtful")
        }
        let fields = lines.fields
        try agree(head.fields.count, fields.count, "the headers")
        for name in ["host", "content-length", "transfer-encoding"] as [StaticString] {
            try agree(head.fields.all(name), values("\(name)", fields), "values of \(name)")
        }
        guard head.finding == .nothing else { return }
        try hold(head.version == .http10 || values("host", fields).count == 1, "no Host, or two")
        for length in values("content-length", fields) {
            try hold(
                (1...16).contains(length.utf8.count)
                    && length.utf8.allSatisfy { (0x30...0x39).contains($0) }, "an odd length")
        }
        let codings = values("transfer-encoding", fields)
        try hold(codings.count <= 1, "several codings")
        for coding in codings { try agree(coding.lowercased(), "chunked", "a coding") }
    }

    private static func values(_ name: String, _ fields: [Lines.Field]) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    private static func isBroken(_ finding: RequestHeadReader.Finding) -> Bool {
        if case .broken = finding { true } else { false }
    }
}

/// The lines of a head that have come, up to the empty one.
private struct Lines {
    typealias Field = (name: String, value: String)

    private let beginsWithMethod: Bool
    private var requestLine: [UInt8]?
    private var headers: [[UInt8]] = []
    private(set) var isWhole = false

    init(_ input: UnsafeRawBufferPointer) {
        let rest = input.drop { $0 == 0x0D || $0 == 0x0A }
        // A method has 64 bytes at most, also in a line whose end has not come.
        beginsWithMethod = rest.count <= 64 || rest.prefix(65).contains(0x20)
        let lines = rest.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        for bytes in lines {
            let line = Array(bytes.last == 0x0D ? bytes.dropLast() : bytes)
            if requestLine == nil {
                requestLine = line
            } else if line.isEmpty {
                isWhole = true
                return
            } else {
                headers.append(line)
            }
        }
    }

    private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.dropFirst(5)
        return word.count == 8 && word.starts(with: "HTTP/".utf8)
            && digits.dropFirst().first == UInt8(ascii: ".")
            && [digits.first, digits.last].allSatisfy { (0x30...0x39).contains($0!) }
    }

    var isBroken: Bool {
        guard let requestLine else { return !beginsWithMethod }
        let words = Self.words(requestLine)
        if !beginsWithMethod || Self.holdsStray(requestLine) || words.count != 3
            || words.contains(where: \.isEmpty) || !Self.isVersion(words[2])
        {
            return true
        }
        return isOfVersion1 && headers.contains(where: Self.isBroken)
    }

    var isOfVersion1: Bool {
        requestLine.map { Self.words($0).last?.starts(with: "HTTP/1.".utf8) == true } ?? false
    }

    var fields: [Field] {
        headers.map { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            var value = line.dropFirst(name.count + 1).drop(while: isBlank)
            while let last = value.last, isBlank(last) { value.removeLast() }
            return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    private static func words(_ line: [UInt8]) -> [ArraySlice<UInt8>] {
        line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    }

    private static func isBroken(_ line: [UInt8]) -> Bool {
        let letters =
            "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        return holdsStray(line) || name.isEmpty || name.count == line.count
            || !name.allSatisfy(Array(letters.utf8).contains)
    }

    private static func holdsStray(_ line: [UInt8]) -> Bool {
        line.contains { $0 == 0 || $0 == 0x0D }
    }
}
