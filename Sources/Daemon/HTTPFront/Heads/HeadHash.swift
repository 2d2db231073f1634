internal import Glibc

/// A hash of what is the same in all heads that are like each other: the method, and the names of the
/// headers.
struct HeadHash {
    let value: UInt32

    /// The hash of the head that `input` begins with; nil where none ends in as many bytes as a known one
    /// may have.
    ///
    /// - Complexity: O(bytes of the head).
    init?(of input: UnsafeRawBufferPointer) {
        let most = min(input.count, 2 * HTTPFrontLimits.keptHeadBytesMax)
        guard let base = input.baseAddress else { return nil }
        var sum = Self.sum(input, from: 0, to: UInt8(ascii: " "), most)
        var line = 0
        while line < most, let feed = memchr(base + line, 0x0A, most - line) {
            line = UnsafeRawPointer(feed) - base + 1
            // An empty line that ends in a line feed alone ends no head that is known.
            guard line + 1 < most, input[line] != 0x0A else { return nil }
            if input[line] == 0x0D {
                // The upper bits of the product depend on all bits of the sum.
                value = (sum &* 0x9E37_79B1) >> 8
                return
            }
            sum &+= Self.sum(input, from: line, to: UInt8(ascii: ":"), most)
        }
        return nil
    }

    /// Depends on no order: heads with the same bytes in another one are told apart by the comparison that
    /// follows.
    private static func sum(
        _ input: UnsafeRawBufferPointer, from start: Int, to end: UInt8, _ most: Int
    ) -> UInt32 {
        var sum: UInt32 = 1
        var index = start
        while index < most, input[index] != end, input[index] != 0x0A {
            let number = UInt32(input[index])
            sum &+= number &* number &* number
            index += 1
        }
        return sum
    }
}
