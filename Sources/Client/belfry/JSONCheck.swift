/// Finds where bytes stop being one text of JSON (RFC 8259).
///
/// The bus takes less for JSON, such as 64 levels: beyond that its envelopes have a string.
///
/// - Complexity: O(bytes), without recursion; a byte of memory for each level that is open.
struct JSONCheck {
    private let text: UnsafeRawBufferPointer
    private var index = 0

    private init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// The place of the first byte that cannot stand there, or the end where more has to come; nil
    /// where all of it is JSON.
    static func fault(in text: UnsafeRawBufferPointer) -> Int? {
        var check = JSONCheck(text)
        return check.isWhole() ? nil : check.index
    }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func isWhole() -> Bool {
        var ends: [Unicode.Scalar] = []
        while true {
            skipSpace()
            if takes("{") {
                skipSpace()
                if !takes("}") {
                    ends.append("}")
                    guard name() else { return false }
                    continue
                }
            } else if takes("[") {
                skipSpace()
                if !takes("]") {
                    ends.append("]")
                    continue
                }
            } else {
                guard scalar() else { return false }
            }
            skipSpace()
            while let end = ends.last, takes(end) {
                ends.removeLast()
                skipSpace()
            }
            guard let end = ends.last else { return index == text.count }
            guard takes(",") else { return false }
            if end == "}" { guard name() else { return false } }
        }
    }

    /// The name of a member, and the colon behind it.
    private mutating func name() -> Bool {
        skipSpace()
        guard string() else { return false }
        skipSpace()
        return takes(":")
    }

    private mutating func scalar() -> Bool {
        switch next {
        case UInt8(ascii: "\""): string()
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        default: number()
        }
    }

    private mutating func string() -> Bool {
        guard takes("\"") else { return false }
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): return takes("\"")
            case UInt8(ascii: "\\"): guard escape() else { return false }
            case 0x00..<0x20: return false
            case 0x20..<0x80: index += 1
            default: guard character(byte) else { return false }
            }
        }
        return false
    }

    private mutating func escape() -> Bool {
        index += 1
        guard takes("u") else { return takes { "\"\\/bfnrt".utf8.contains($0) } }
        return (0..<4).allSatisfy { _ in takes { Character(Unicode.Scalar($0)).isHexDigit } }
    }

    /// A character of several bytes, of which this is the first.
    private mutating func character(_ first: UInt8) -> Bool {
        let end = index + (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
        guard end <= text.count, String(validating: text[index..<end], as: UTF8.self) != nil else {
            return false
        }
        index = end
        return true
    }

    private mutating func number() -> Bool {
        _ = takes("-")
        guard takes("0") || digits() else { return false }
        if takes(".") { guard digits() else { return false } }
        guard takes("e") || takes("E") else { return true }
        _ = takes("+") || takes("-")
        return digits()
    }

    private mutating func digits() -> Bool {
        let start = index
        while takes({ (0x30...0x39).contains($0) }) {}
        return index > start
    }

    private mutating func word(_ word: String) -> Bool {
        word.unicodeScalars.allSatisfy { takes($0) }
    }

    private mutating func skipSpace() {
        while takes({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {}
    }

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        takes { $0 == UInt8(ascii: scalar) }
    }

    /// Passes over the next byte, if it is such a one.
    private mutating func takes(_ isSuch: (UInt8) -> Bool) -> Bool {
        guard let next, isSuch(next) else { return false }
        index += 1
        return true
    }
}
