internal import Glibc

/// A hash of what is the same in all requests of one head: its bytes without digits, without the
/// last segment of the path where that is a plain name, without what is plain in the values of
/// its query, and without the value of traceparent.
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
        let head = UnsafeRawBufferPointer(rebasing: input[..<count])
        let name = Self.name(in: head)
        let query = Self.query(of: head, behind: name.upperBound)
        var sum = Self.sum(UnsafeRawBufferPointer(rebasing: head[..<name.lowerBound]))
        sum &+= Self.sum(UnsafeRawBufferPointer(rebasing: head[name.upperBound..<query.lowerBound]))
        sum &+= Self.sum(ofQuery: UnsafeRawBufferPointer(rebasing: head[query]))
        let headers = UnsafeRawBufferPointer(rebasing: head[query.upperBound...])
        let trace = TraceParent.value(in: headers)
        sum &+= Self.sum(UnsafeRawBufferPointer(rebasing: headers[..<trace.lowerBound]))
        sum &+= Self.sum(UnsafeRawBufferPointer(rebasing: headers[trace.upperBound...]))
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

    /// Where the query stands of a target whose path ends in a plain name; else empty.
    private static func query(of head: UnsafeRawBufferPointer, behind name: Int) -> Range<Int> {
        guard name > 0, name < head.count, head[name] == UInt8(ascii: "?") else {
            return name..<name
        }
        return name..<(head[name...].firstIndex(of: UInt8(ascii: " ")) ?? head.count)
    }

    private static func sum(ofQuery query: UnsafeRawBufferPointer) -> UInt32 {
        var sum: UInt32 = 0
        var isValue = false
        for byte in query {
            switch byte {
            case UInt8(ascii: "="): isValue = true
            case UInt8(ascii: "&"): isValue = false
            default: break
            }
            let number = UInt32(byte)
            let counts = isValue ? !byte.isPlain : byte.decimalValue == nil
            sum &+= counts ? number &* number &* number : 0
        }
        return sum
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
