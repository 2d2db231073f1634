internal import Glibc

/// The header by which a traced program names each of its requests: `traceparent` of
/// [W3C Trace Context](https://www.w3.org/TR/trace-context/#traceparent-header), section 3.2.
///
/// Nothing here reads it, and no answer depends on it. So requests that differ in it alone have the
/// same head.
enum TraceParent {
    /// How long the value is: version, trace, span and flags, in hexadecimal digits with dashes between.
    private static let valueBytes = 2 + 1 + 32 + 1 + 16 + 1 + 2
    private static let name: StaticString = "traceparent"

    /// Where its value stands in `head`, with or without the line end that it ends with: on the first
    /// line behind the request's that has its name; empty where none has, or where the value has
    /// another form.
    ///
    /// - Complexity: O(bytes of the head).
    static func value(in head: UnsafeRawBufferPointer) -> Range<Int> {
        guard let base = head.baseAddress else { return 0..<0 }
        var line = 0
        while let feed = memchr(base + line, 0x0A, head.count - line) {
            line = UnsafeRawPointer(feed) - base + 1
            let colon = line + name.utf8CodeUnitCount
            guard colon < head.count, head[colon] == UInt8(ascii: ":"),
                UnsafeRawBufferPointer(rebasing: head[line..<colon]).equalsIgnoringCase(name)
            else { continue }
            let isSpaced = colon + 1 < head.count && head[colon + 1] == UInt8(ascii: " ")
            let start = colon + (isSpaced ? 2 : 1)
            let end = start + valueBytes
            guard end <= head.count, end == head.count || head[end] == UInt8(ascii: "\r") else {
                return 0..<0
            }
            return isValue(in: head, at: start) ? start..<end : 0..<0
        }
        return 0..<0
    }

    /// Whether so many bytes of `input` from `start` on may be a value.
    static func isValue(in input: UnsafeRawBufferPointer, at start: Int) -> Bool {
        input[start..<start + valueBytes].allSatisfy {
            $0.hexadecimalValue != nil || $0 == UInt8(ascii: "-")
        }
    }
}
