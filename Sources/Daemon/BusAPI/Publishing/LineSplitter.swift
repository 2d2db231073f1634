internal import Glibc

/// The lines of a batch body: ended by LF or CRLF, the last with or without an end.
///
/// Empty lines are skipped. A CR that stands anywhere but before an LF belongs to its line.
///
/// - Complexity: O(bytes), one pass; nothing is copied.
struct LineSplitter: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer

    init(_ body: UnsafeRawBufferPointer) { rest = body }

    /// The next line that is not empty, without its end.
    mutating func next() -> UnsafeRawBufferPointer? {
        while let start = rest.baseAddress, !rest.isEmpty {
            let feed = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
            let end = feed.map { UnsafeRawPointer($0) - start } ?? rest.count
            var line = rest[..<end]
            rest = UnsafeRawBufferPointer(rebasing: rest[(feed == nil ? end : end + 1)...])
            if feed != nil, line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if !line.isEmpty { return UnsafeRawBufferPointer(rebasing: line) }
        }
        return nil
    }
}
