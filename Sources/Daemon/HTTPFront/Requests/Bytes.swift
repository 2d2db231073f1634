internal import JSON

/// The classes of bytes in HTTP's grammar (RFC 9110 sections 5.1, 5.5 and 5.6).
extension UInt8 {
    /// The same letter in lower case; every other byte unchanged.
    var lowercased: UInt8 {
        self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
    }

    /// Whether the byte may stand in a token: a header name, a method.
    var isTokenCharacter: Bool {
        guard self < 128 else { return false }
        let mask = self < 64 ? 0x03FF_6CFA_0000_0000 as UInt64 : 0x57FF_FFFF_C7FF_FFFE
        return mask & (1 << UInt64(self & 63)) != 0
    }

    /// Whether the byte is blank or tab, HTTP's optional white space.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a control that no header value or request target may hold.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// Whether the byte stands for itself in a segment of a path or in a host, and ends none: a letter,
    /// a digit, `.`, `_` or `-`.
    var isPlain: Bool {
        lowercased &- UInt8(ascii: "a") < 26 || decimalValue != nil || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }

    /// The digit's value, or nil for any other byte.
    var decimalValue: UInt8? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }

    /// The hexadecimal digit's value in either case, or nil for any other byte.
    var hexadecimalValue: UInt8? {
        if let value = decimalValue { return value }
        let value = lowercased &- UInt8(ascii: "a")
        return value < 6 ? value + 10 : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are `text`, which is in lower case, in any case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        ASCII.isEqualIgnoringCase(self, text)
    }

    /// Whether these bytes begin with `text`, which is in lower case, in any case.
    func hasPrefixIgnoringCase(_ text: StaticString) -> Bool {
        ASCII.hasPrefixIgnoringCase(self, text)
    }

    /// Whether these bytes begin with `text`.
    func hasPrefix(_ text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// The bytes without the blanks and tabs around them.
    func trimmingBlanks() -> UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// Whether a comma-separated list holds `token`, which is in lower case, in any case.
    func listContains(_ token: StaticString) -> Bool {
        var start = 0
        while start <= count {
            var end = start
            while end < count, self[end] != UInt8(ascii: ",") { end += 1 }
            let element = UnsafeRawBufferPointer(rebasing: self[start..<end]).trimmingBlanks()
            if element.equalsIgnoringCase(token) { return true }
            start = end + 1
        }
        return false
    }
}
