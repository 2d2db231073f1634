/// Bytes that came, and the lines in them.
struct LineBuffer {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The index up to which there is no end of a line.
    private var searched = 0

    /// The bytes that were not read yet.
    var count: Int { bytes.count - start }

    /// Adds the bytes that came next.
    mutating func append(_ more: [UInt8]) {
        if start == bytes.count {
            bytes = more
            (start, searched) = (0, 0)
            return
        }
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Forgets everything.
    mutating func clear() { self = LineBuffer() }

    /// Calls `body` with the next whole line, without its end; nil where there is none.
    mutating func withLine<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        let (start, searched) = (start, searched)
        let found = bytes.withUnsafeBytes { bytes -> (Result, Int)? in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[searched...])
            guard let end = rest.firstIndex(of: 0x0A).map({ searched + $0 }) else { return nil }
            return (body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])), end + 1)
        }
        guard let (result, next) = found else {
            self.searched = bytes.count
            return nil
        }
        (self.start, self.searched) = (next, next)
        return result
    }
}
