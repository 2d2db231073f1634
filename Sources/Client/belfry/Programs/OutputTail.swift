/// The last lines of a program's output.
struct OutputTail {
    private var bytes: [UInt8] = []

    /// Adds output that came.
    mutating func add(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more.suffix(Limits.tailBytesMax))
        // Seldom, so that a byte is moved about once.
        if bytes.count > 4 * Limits.tailBytesMax {
            bytes.removeFirst(bytes.count - Limits.tailBytesMax)
        }
    }

    /// The last line that says something.
    var lastLine: String? {
        text.split(whereSeparator: \.isNewline)
            .last { line in line.contains { !$0.isWhitespace } }.map { String($0) }
    }

    /// The last of the lines, whole ones where they are not too long, without the end of the last.
    var text: String {
        let last = bytes.suffix(Limits.tailBytesMax)
        var lines = last.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        if last.count < bytes.count, lines.count > 1 { lines.removeFirst() }
        return lines.suffix(Limits.tailLinesMax).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: "\n")
    }
}
