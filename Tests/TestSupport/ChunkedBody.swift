/// The chunked framing of a body, taken off piece by piece (RFC 9112, section 7.1).
///
/// Strict: chunk extensions and trailers, which nobody promised, are malformed.
public struct ChunkedBody: Sendable {
    private enum Place { case size, data(left: Int), dataEnd, lastLine, end }

    private var queue = ByteQueue()
    private var place = Place.size

    /// Whether the last chunk is there.
    public var isComplete: Bool { if case .end = place { true } else { false } }

    /// The body before its first byte.
    public init() {}

    /// Takes what arrived, and returns what of the body is in it.
    public mutating func feed(_ bytes: [UInt8]) throws(RawClient.Failure) -> [UInt8] {
        queue.append(bytes)
        var body: [UInt8] = []
        while true {
            switch place {
            case .size:
                guard let line = try takeLine() else { return body }
                let count = try Self.size(line)
                place = count == 0 ? .lastLine : .data(left: count)
            case .data(let left):
                let part = queue.takeAll(upTo: left)
                body += part
                guard part.count == left else {
                    place = .data(left: left - part.count)
                    return body
                }
                place = .dataEnd
            case .dataEnd:
                guard let line = try takeLine() else { return body }
                guard line.isEmpty else { throw .malformed("the end of a chunk") }
                place = .size
            case .lastLine:
                guard let line = try takeLine() else { return body }
                guard line.isEmpty else { throw .malformed("a trailer") }
                place = .end
            case .end:
                return body
            }
        }
    }

    /// Takes the bytes behind the body.
    public mutating func takeRest() -> [UInt8] {
        precondition(isComplete, "the body has not ended")
        return queue.takeAll()
    }

    private mutating func takeLine() throws(RawClient.Failure) -> [UInt8]? {
        guard let line = queue.takeLine() else { return nil }
        guard line.last == 0x0D else { throw .malformed("a bare LF in chunk framing") }
        return Array(line.dropLast())
    }

    private static func size(_ line: [UInt8]) throws(RawClient.Failure) -> Int {
        let text = String(decoding: line, as: UTF8.self)
        guard (1...8).contains(line.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let count = Int(text, radix: 16)
        else { throw .malformed("chunk size \(text)") }
        return count
    }
}
