internal import Glibc

/// A hash of the parts that are the same in all heads that are like each other: the method, and the
/// names of the headers.
struct HeadHash {
    let value: UInt32

    /// The hash of the head that `input` begins with. Nil if none ends within twice
    /// `HTTPFrontLimits.keptHeadBytesMax` bytes.
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

    /// The sum of a name's bytes, which does not depend on their order. Heads with the same bytes
    /// in another order are told apart by the comparison that follows.
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
