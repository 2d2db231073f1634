extension [UInt8] {
    /// Appends text that the program has in itself.
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends a number in decimal digits, without making a string of it.
    public mutating func append(decimal value: UInt64) {
        value.withDecimalDigits { append(contentsOf: $0) }
    }

    /// Appends a number in decimal digits, a minus sign before a negative one.
    public mutating func append(decimal value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(value.magnitude))
    }
}

extension UInt64 {
    /// Calls `body` with the decimal digits, which are valid only inside.
    @inline(__always)
    public func withDecimalDigits<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Room for the 20 digits of 2^64 - 1, filled from its end.
        var room: (UInt64, UInt64, UInt64) = (0, 0, 0)
        return Swift.withUnsafeMutableBytes(of: &room) { digits in
            body(UnsafeRawBufferPointer(rebasing: digits[writeDecimalDigits(into: digits)...]))
        }
    }

    /// Writes the decimal digits at the end of `digits`, and returns where they begin.
    private func writeDecimalDigits(into digits: UnsafeMutableRawBufferPointer) -> Int {
        var rest = self
        var start = digits.count
        // Eight at a time, so that only one division in eight is one of 64 bits.
        while rest >= 100_000_000 {
            var eight = UInt32(rest % 100_000_000)
            rest /= 100_000_000
            for _ in 0..<8 {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: eight % 10)
                eight /= 10
            }
        }
        var last = UInt32(rest)
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: last % 10)
            last /= 10
        } while last != 0
        return start
    }
}
