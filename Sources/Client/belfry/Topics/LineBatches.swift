internal import Topics

/// Bytes that came, cut behind lines into batches that the bus takes.
struct LineBatches {
    /// Some lines.
    struct Batch: Sendable {
        let text: Payload
        /// How many ends of lines are in it, at least one counted.
        let count: Int
    }

    /// The bytes that came and are in no batch yet.
    var bytes: [UInt8] = []
    /// The lines of a batch at most.
    var linesMax: Int

    init(linesMax: Int) { self.linesMax = linesMax }

    var isEmpty: Bool { bytes.isEmpty }

    /// How many lines came and are in no batch yet; the last one may lack its end.
    var count: Int {
        bytes.count { $0 == 0x0A } + (bytes.isEmpty || bytes.last == 0x0A ? 0 : 1)
    }

    /// The next batch; nil where there is no whole line.
    ///
    /// - Parameter isLast: Whether nothing more comes, so that the rest is a line too.
    mutating func next(isLast: Bool) -> Batch? {
        var (end, count) = (0, 0)
        bytes.withUnsafeBytes { bytes in
            while count < linesMax, end < min(bytes.count, Limits.batchBytesMax) {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
                guard let next = rest.firstIndex(of: 0x0A) else { break }
                // A line that alone is too long goes alone, for the bus to refuse.
                guard end == 0 || end + next < Limits.batchBytesMax else { break }
                end += next + 1
                count += 1
            }
        }
        if end == 0, isLast || bytes.count > Limits.batchBytesMax {
            (end, count) = (bytes.count, 1)
        }
        guard end > 0 else { return nil }
        let text = bytes.withUnsafeBytes { bytes in
            Payload(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
        bytes.removeFirst(end)
        return Batch(text: text, count: count)
    }
}
