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
    func withDecimalDigits(_ body: (UnsafeRawBufferPointer) -> Void) {
        var rest = self
        // Room for the 20 digits of 2^64 - 1, filled from its end.
        var room: (UInt64, UInt64, UInt64) = (0, 0, 0)
        Swift.withUnsafeMutableBytes(of: &room) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest != 0
            body(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }
}
