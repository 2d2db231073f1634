/// The bytes around a chunk of a body (RFC 9112 section 7.1).
///
/// They are made once with a piece that many streams share, so that each is written as it lies.
public enum ChunkFraming {
    /// The bytes before a chunk of `count` bytes: the size in hexadecimal, and the line's end.
    ///
    /// - Parameter count: 1 or more; a chunk of none would end the body.
    /// - Complexity: O(1); one allocation.
    public static func prefix(for count: Int) -> [UInt8] {
        precondition(count > 0, "a chunk has 1 byte or more, not \(count)")
        let digits = (Int.bitWidth - count.leadingZeroBitCount + 3) / 4
        return Array(unsafeUninitializedCapacity: digits + suffix.count) { bytes, filled in
            for place in 0..<digits {
                let digit = UInt8(truncatingIfNeeded: count >> (4 * place) & 0xF)
                bytes[digits - 1 - place] =
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            for (place, byte) in suffix.enumerated() { bytes[digits + place] = byte }
            filled = digits + suffix.count
        }
    }

    /// The bytes behind a chunk.
    public static let suffix: [UInt8] = [0x0D, 0x0A]

    /// The bytes behind the last chunk with data. `DetachedSocket.endStream` writes them.
    public static let last: [UInt8] = [0x30, 0x0D, 0x0A, 0x0D, 0x0A]
}
