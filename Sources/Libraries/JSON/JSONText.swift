/// Strings as JSON writes them (RFC 8259 section 7).
public enum JSONText {
    /// Writes `text` between quotation marks, escaped.
    ///
    /// Besides the characters of the RFC, U+007F, U+0085, U+2028 and U+2029 are escaped: some
    /// readers of lines break at them, or hide them.
    ///
    /// - Complexity: O(bytes).
    public static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &output) }
    }

    /// Writes bytes, which must be UTF-8, between quotation marks, escaped.
    ///
    /// - Complexity: O(bytes). Bytes that need no escape are copied.
    public static func append(_ utf8: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var index = 0
        while true {
            let end = plainEnd(in: utf8, from: index)
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[index..<end]))
            guard end < utf8.count else { break }
            index = appendPiece(of: utf8, from: end, to: &output)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// The most bytes that `append` writes of `utf8`: nearly as many as it does where the text is
    /// ASCII and nothing is to be escaped.
    ///
    /// - Complexity: O(bytes), in a part of the time of `append`.
    public static func bytesMax(of utf8: UnsafeRawBufferPointer) -> Int {
        var escapes = 0
        var index = 0
        while index + 8 <= utf8.count {
            escapes &+= (marks(in: word(of: utf8, at: index)) & ones << 7).nonzeroBitCount
            index += 8
        }
        return utf8.count + 5 * (escapes + utf8.count - index) + 2
    }

    /// The index of the first scalar to be escaped from `start` on; the end of the text if there is
    /// none.
    static func plainEnd(in utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= utf8.count {
            let plain = plainCount(in: word(of: utf8, at: index))
            index += plain
            if plain == 8 { continue }
            if escaped(in: utf8, at: index) != nil { return index }
            index += 1
        }
        while index < utf8.count, escaped(in: utf8, at: index) == nil { index += 1 }
        return index
    }

    /// The scalar at `index` and how many bytes it has, if it must be escaped.
    @inline(__always)
    static func escaped(
        in utf8: UnsafeRawBufferPointer, at index: Int
    ) -> (scalar: UInt16, count: Int)? {
        let byte = utf8[index]
        if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            return (UInt16(byte), 1)
        }
        if byte == 0xC2, index + 1 < utf8.count, utf8[index + 1] == 0x85 { return (0x85, 2) }
        if byte == 0xE2, index + 2 < utf8.count, utf8[index + 1] == 0x80,
            utf8[index + 2] & 0xFE == 0xA8
        {
            return (0x2000 | UInt16(utf8[index + 2] & 0x3F), 3)
        }
        return nil
    }

    /// Writes the escape of a scalar that must be escaped.
    static func appendEscape(_ scalar: UInt16, to output: inout [UInt8]) {
        let (bytes, count) = escape(of: scalar)
        withUnsafeBytes(of: bytes.littleEndian) { output.append(contentsOf: $0[..<count]) }
    }

    /// Writes a piece of a text in which something is to be escaped, and returns where it ends.
    private static func appendPiece(
        of utf8: UnsafeRawBufferPointer, from start: Int, to output: inout [UInt8]
    ) -> Int {
        // An array that is asked for room at each byte would take most of the time.
        withUnsafeTemporaryAllocation(byteCount: roomBytes, alignment: 8) { room in
            let end = min(utf8.count, start + pieceBytes)
            var index = start
            var count = 0
            while index < end {
                if index + 8 <= utf8.count {
                    let word = word(of: utf8, at: index)
                    room.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
                    let plain = plainCount(in: word)
                    count += plain
                    index += plain
                    if plain == 8 { continue }
                }
                guard var (scalar, width) = escaped(in: utf8, at: index) else {
                    room[count] = utf8[index]
                    count += 1
                    index += 1
                    continue
                }
                while true {
                    let (bytes, length) = escape(of: scalar)
                    room.storeBytes(of: bytes.littleEndian, toByteOffset: count, as: UInt64.self)
                    count += length
                    index += width
                    guard index < end, let next = escaped(in: utf8, at: index) else { break }
                    (scalar, width) = next
                }
            }
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count]))
            return index
        }
    }

    /// Bytes of room, few enough to be on the stack on each platform.
    private static var roomBytes: Int { 1024 }

    /// Bytes of text for whose escapes there is room, with two words behind them.
    private static var pieceBytes: Int { (roomBytes - 16) / 6 }

    /// The escape of a scalar, six bytes at most, the first of them lowest.
    @inline(__always)
    private static func escape(of scalar: UInt16) -> (bytes: UInt64, count: Int) {
        let letter: UInt8
        switch scalar {
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0x22, 0x5C: letter = UInt8(scalar)
        default:
            let digits =
                hexDigit(scalar >> 12) | hexDigit(scalar >> 8 & 0xF) << 8
                | hexDigit(scalar >> 4 & 0xF) << 16 | hexDigit(scalar & 0xF) << 24
            return (0x755C | digits << 16, 6)
        }
        return (0x5C | UInt64(letter) << 8, 2)
    }

    @inline(__always)
    private static func hexDigit(_ value: UInt16) -> UInt64 {
        UInt64(value) + (value < 10 ? 0x30 : 0x57)
    }

    /// Eight bytes, the first of them lowest.
    @inline(__always)
    private static func word(of utf8: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
        UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// How many bytes come before one of the few that a scalar to be escaped begins with.
    @inline(__always)
    private static func plainCount(in word: UInt64) -> Int {
        (marks(in: word) & ones << 7).trailingZeroBitCount / 8
    }

    /// Has the highest bit of each byte that a scalar to be escaped begins with. Above the first of
    /// these, others may have theirs too.
    @inline(__always)
    private static func marks(in word: UInt64) -> UInt64 {
        let controls = (word &- ones &* 0x20) & ~word
        let signs =
            zeros(in: word ^ ones &* UInt64(UInt8(ascii: "\"")))
            | zeros(in: word ^ ones &* UInt64(UInt8(ascii: "\\")))
            | zeros(in: word ^ ones &* 0x7F)
        // 0xC2 and 0xE2 differ in one bit.
        let leads = zeros(in: (word | ones &* 0x20) ^ ones &* 0xE2)
        return controls | signs | leads
    }

    /// Has the highest bit of the first byte that is zero, and none of those below it.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 { (word &- ones) & ~word }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// The bytes that stand for the inside of a string, its escapes undone.
    ///
    /// - Parameter escaped: The bytes between the quotation marks of a string that ``JSONReader`` read.
    /// - Complexity: O(bytes).
    public static func unescaped(_ escaped: UnsafeRawBufferPointer) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(escaped.count)
        var index = 0
        while index < escaped.count {
            let end = escaped[index...].firstIndex(of: UInt8(ascii: "\\")) ?? escaped.count
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: escaped[index..<end]))
            guard end < escaped.count else { break }
            let letter = escaped[end + 1]
            index = end + 2
            guard letter == UInt8(ascii: "u") else {
                output.append(control(letter))
                continue
            }
            var scalar = codeUnit(in: escaped, at: index)
            index += 4
            if (0xD800..<0xDC00).contains(scalar) {
                scalar =
                    0x10000 + (scalar - 0xD800) << 10
                    + (codeUnit(in: escaped, at: index + 2) - 0xDC00)
                index += 6
            }
            if let scalar = Unicode.Scalar(scalar) {
                output.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        return output
    }

    /// The byte that a backslash and this letter stand for.
    private static func control(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    private static func codeUnit(in text: UnsafeRawBufferPointer, at index: Int) -> UInt32 {
        text[index..<index + 4].reduce(0) { $0 << 4 | UInt32(ASCII.hexValue($1) ?? 0) }
    }
}
