/// Reads the JSON of an answer, token by token, where it lies.
///
/// A verb that returns nil has met something else than it was asked for, and leaves the rest unread.
///
/// - Complexity: O(bytes); a value that is passed over is not recursed into.
struct AnswerReader {
    private let text: UnsafeRawBufferPointer
    private var index = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    /// Whether only white space is left.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == text.count
    }

    /// Reads an object: `member` gets each name, without its escapes undone, and reads the value.
    ///
    /// - Returns: Whether it was one, and `member` returned true for all of it.
    mutating func object(
        _ member: (UnsafeRawBufferPointer, inout AnswerReader) -> Bool
    ) -> Bool {
        guard takes("{") else { return false }
        if takes("}") { return true }
        repeat {
            guard let name = rawString(), takes(":") else { return false }
            skipSpace()
            guard member(name.bytes, &self) else { return false }
        } while takes(",")
        return takes("}")
    }

    /// Reads an array: `element` reads each value.
    mutating func array(_ element: (inout AnswerReader) -> Bool) -> Bool {
        guard takes("[") else { return false }
        if takes("]") { return true }
        repeat {
            skipSpace()
            guard element(&self) else { return false }
        } while takes(",")
        return takes("]")
    }

    /// The bytes between two quotation marks, as they are.
    mutating func rawString() -> (bytes: UnsafeRawBufferPointer, hasEscapes: Bool)? {
        guard takes("\"") else { return nil }
        let start = index
        var hasEscapes = false
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                let bytes = UnsafeRawBufferPointer(rebasing: text[start..<index])
                index += 1
                return (bytes, hasEscapes)
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        return nil
    }

    mutating func string() -> String? {
        guard let (bytes, hasEscapes) = rawString() else { return nil }
        guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
        return JSONEscapes.undone(in: bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func number() -> Int? {
        skipSpace()
        let digits = text[index...].prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard (1...18).contains(digits.count) else { return nil }
        index = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func truth() -> Bool? {
        if word("true") { return true }
        return word("false") ? false : nil
    }

    /// Passes over `null`, if it stands there.
    mutating func isNull() -> Bool { word("null") }

    private mutating func word(_ word: StaticString) -> Bool {
        skipSpace()
        let rest = UnsafeRawBufferPointer(rebasing: text[index...])
        guard rest.begins(with: word) else { return false }
        index += word.utf8CodeUnitCount
        return true
    }

    /// Passes over a value, and returns its bytes.
    mutating func value() -> UnsafeRawBufferPointer? {
        skipSpace()
        let start = index
        var depth = 0
        repeat {
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: "\""):
                guard rawString() != nil else { return nil }
            case nil: return nil
            case .some where depth == 0:
                let isPlain = { (byte: UInt8) in
                    byte > 0x20 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "}")
                        && byte != UInt8(ascii: "]")
                }
                let end = text[index...].firstIndex { !isPlain($0) } ?? text.count
                guard end > index else { return nil }
                index = end
            case .some: index += 1
            }
            guard depth >= 0, depth <= Limits.jsonDepthMax else { return nil }
        } while depth > 0
        return UnsafeRawBufferPointer(rebasing: text[start..<index])
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are the text.
    func spells(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && begins(with: word)
    }

    /// Whether these bytes begin with the text.
    func begins(with word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for index in word.indices where self[index] != word[index] { return false }
            return true
        }
    }
}
