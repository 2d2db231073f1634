internal import JSON

/// Writes text of a known maximum length into room of as many bytes.
///
/// It does not make more room at each step, as an array does. Writing beyond the room stops the
/// process.
public struct TextWriter {
    private let room: UnsafeMutableRawBufferPointer

    /// How many bytes were written.
    public private(set) var count = 0

    fileprivate init(_ room: UnsafeMutableRawBufferPointer) {
        self.room = room
    }

    /// Writes a literal of the program.
    @inline(__always)
    public mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes bytes.
    @inline(__always)
    public mutating func write(_ bytes: UnsafeRawBufferPointer) {
        rest(atLeast: bytes.count).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Writes a number in decimal digits.
    public mutating func write(decimal value: UInt64) {
        value.withDecimalDigits { write($0) }
    }

    /// Writes the bytes that `fill` puts into the room that it gets. `fill` returns their number.
    ///
    /// - Parameter capacity: Bytes of room that it needs.
    public mutating func write(
        atMost capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) {
        count += fill(rest(atLeast: capacity))
    }

    @inline(__always)
    private func rest(atLeast needed: Int) -> UnsafeMutableRawBufferPointer {
        precondition(needed <= room.count - count, "text is longer than was said")
        return UnsafeMutableRawBufferPointer(rebasing: room[count...])
    }
}

extension [UInt8] {
    /// The text that `write` writes, at most `capacity` bytes of it.
    public init(atMost capacity: Int, _ write: (inout TextWriter) -> Void) {
        self = withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { room in
            var writer = TextWriter(room)
            write(&writer)
            return Self(UnsafeRawBufferPointer(rebasing: room[..<writer.count]))
        }
    }
}
