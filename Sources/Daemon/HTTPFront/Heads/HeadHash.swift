internal import Glibc

/// A hash of what is the same in all requests of one head: its bytes without digits, and without
/// the last segment of the path where that is a plain name.
struct HeadHash {
    let value: UInt32

    /// The hash of the head that `input` begins with; nil where none ends in as many bytes as a
    /// known one may have.
    ///
    /// - Complexity: O(bytes of the head).
    init?(of input: UnsafeRawBufferPointer) {
        let input = UnsafeRawBufferPointer(
            rebasing: input.prefix(2 * HTTPFrontLimits.keptHeadBytesMax))
        guard let count = Self.bytesBeforeEmptyLine(in: input) else { return nil }
        let name = Self.name(in: UnsafeRawBufferPointer(rebasing: input[..<count]))
        var sum = Self.sum(UnsafeRawBufferPointer(rebasing: input[..<name.lowerBound]))
        sum &+= Self.sum(UnsafeRawBufferPointer(rebasing: input[name.upperBound..<count]))
        // The upper bits of the product depend on all bits of the sum.
        value = (sum &* 0x9E37_79B1) >> 8
    }

    private static func bytesBeforeEmptyLine(in input: UnsafeRawBufferPointer) -> Int? {
        guard let base = input.baseAddress else { return nil }
        var start = 3
        while start < input.count, let feed = memchr(base + start, 0x0A, input.count - start) {
            let end = UnsafeRawPointer(feed) - base
            if input[end - 1] == 0x0D, input[end - 2] == 0x0A, input[end - 3] == 0x0D {
                return end - 3
            }
            start = end + 1
        }
        return nil
    }

    /// Where the last segment of the path stands, if it is a plain name; else empty.
    private static func name(in head: UnsafeRawBufferPointer) -> Range<Int> {
        guard let space = head.firstIndex(of: UInt8(ascii: " ")) else { return 0..<0 }
        var start = space + 1
        var end = start
        while end < head.count, head[end] != UInt8(ascii: " "), head[end] != UInt8(ascii: "?") {
            end += 1
            if head[end - 1] == UInt8(ascii: "/") { start = end }
        }
        return HeadPlaces.nameEnd(in: head, from: start) == end ? start..<end : 0..<0
    }

    /// Depends on no order, so that the compiler can take many bytes at a time: who has the same
    /// bytes in another order is told apart by the comparison that follows.
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum: UInt32 = 0
        for byte in bytes {
            let number = UInt32(byte)
            sum &+= byte.decimalValue == nil ? number &* number &* number : 0
        }
        return sum
    }
}
