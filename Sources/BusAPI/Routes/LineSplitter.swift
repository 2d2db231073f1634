/// The lines of a batch body: ended by LF or CRLF, the last with or without an end.
///
/// Empty lines are skipped. A CR that stands anywhere but before an LF belongs to its line.
///
/// - Complexity: O(bytes), one pass; nothing is copied.
struct LineSplitter: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ body: UnsafeRawBufferPointer) { rest = body[...] }

    /// The next line that is not empty, without its end.
    mutating func next() -> UnsafeRawBufferPointer? {
        while !rest.isEmpty {
            let feed = rest.firstIndex(of: UInt8(ascii: "\n"))
            var line = rest[..<(feed ?? rest.endIndex)]
            rest = feed.map { rest[($0 + 1)...] } ?? rest[rest.endIndex...]
            if feed != nil, line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if !line.isEmpty { return UnsafeRawBufferPointer(rebasing: line) }
        }
        return nil
    }
}
