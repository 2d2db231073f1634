/// Percent decoding of one part of a request target (RFC 3986 section 2.1), once.
enum PercentDecoding {
    /// Decodes a path segment; an encoded `/` would move the borders of segments and is refused.
    static func segment(
        _ raw: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(TargetError) -> String {
        try decode(raw, range, isQuery: false)
    }

    /// Decodes a name or value of a query, where `+` is a blank, as in HTML forms.
    static func query(
        _ raw: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(TargetError) -> String {
        try decode(raw, range, isQuery: true)
    }

    private static func decode(
        _ raw: UnsafeRawBufferPointer, _ range: Range<Int>, isQuery: Bool
    ) throws(TargetError) -> String {
        var isPlain = true
        for index in range {
            let byte = raw[index]
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 {
                isPlain = false
                break
            }
        }
        if isPlain {
            return String(decoding: UnsafeRawBufferPointer(rebasing: raw[range]), as: UTF8.self)
        }

        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            var byte = raw[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, let high = raw[index + 1].hexadecimalValue,
                    let low = raw[index + 2].hexadecimalValue
                else {
                    throw TargetError(
                        detail: "The % at byte \(index) of the target is not followed by two "
                            + "hexadecimal digits; a literal % is written %25.")
                }
                byte = high << 4 | low
                guard byte != 0 else {
                    throw TargetError(detail: "The target holds an encoded NUL at byte \(index).")
                }
                guard isQuery || byte != UInt8(ascii: "/") else {
                    throw TargetError(
                        detail: "The path holds an encoded / at byte \(index), which would move "
                            + "the borders of its segments.")
                }
                index += 2
            } else if byte == UInt8(ascii: "+"), isQuery {
                byte = 0x20
            }
            decoded.append(byte)
            index += 1
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw TargetError(
                detail: "Bytes \(range.lowerBound) to \(range.upperBound - 1) of the target are "
                    + "not UTF-8 once decoded.")
        }
        return text
    }
}
