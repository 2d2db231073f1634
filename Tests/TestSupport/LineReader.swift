/// Text of lines that end by LF, such as NDJSON.
public struct LineReader: Sendable {
    private var queue = ByteQueue()

    /// The text before its first byte.
    public init() {}

    /// Takes what arrived, and returns its whole lines without their ends.
    public mutating func feed(_ bytes: [UInt8]) throws(RawClient.Failure) -> [String] {
        queue.append(bytes)
        var lines: [String] = []
        while let line = queue.takeLine() {
            guard let text = String(validating: line, as: UTF8.self), line.last != 0x0D else {
                throw .malformed("a line is not UTF-8, or ends by CRLF")
            }
            lines.append(text)
        }
        return lines
    }

    /// No line may be there in part when the text ends.
    public func finish() throws(RawClient.Failure) {
        guard queue.isEmpty else { throw .malformed("the text ends in the middle of a line") }
    }
}
