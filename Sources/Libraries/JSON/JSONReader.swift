/// Reads JSON text token by token, where it lies.
///
/// It takes only JSON that every reader can take in. Beyond RFC 8259 that means: at most
/// ``JSONLimits/depthMax`` levels in a value, numbers within the range of a double, no lone
/// surrogates. A verb that returns nil or false has met something else than it was asked for;
/// ``index`` is the place of that.
///
/// Does not check that the text is UTF-8.
///
/// - Complexity: O(bytes), without recursion; nothing is copied.
public struct JSONReader {
    /// The text that is read.
    public let text: UnsafeRawBufferPointer
    /// How many of its bytes were read.
    public private(set) var index: Int

    /// A reader that has read nothing yet.
    public init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        index = 0
    }

    /// The byte that comes next; nil at the end.
    public var next: UInt8? { index < text.count ? text[index] : nil }

    /// Passes over white space.
    public mutating func skipSpace() { index = text.spaceEnd(from: index) }

    /// Passes over white space and then this byte, if it comes next.
    public mutating func takes(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    /// Whether only white space is left.
    public mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == text.count
    }

    /// Reads an object: `member` gets each name, without its escapes undone, and reads the value.
    ///
    /// - Returns: Whether it was an object, and `member` returned true for all of it.
    public mutating func object(
        _ member: (UnsafeRawBufferPointer, inout JSONReader) -> Bool
    ) -> Bool {
        guard takes("{") else { return false }
        if takes("}") { return true }
        repeat {
            guard let name = stringToken(), takes(":") else { return false }
            skipSpace()
            guard member(name.inside, &self) else { return false }
        } while takes(",")
        return takes("}")
    }

    /// Reads an array: `element` reads each value.
    public mutating func array(_ element: (inout JSONReader) -> Bool) -> Bool {
        guard takes("[") else { return false }
        if takes("]") { return true }
        repeat {
            skipSpace()
            guard element(&self) else { return false }
        } while takes(",")
        return takes("]")
    }

    /// Reads a string, and returns it as it is written.
    public mutating func stringToken() -> UnsafeRawBufferPointer? {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { return nil }
        return token { $0.string() }
    }

    /// Reads a string.
    public mutating func string() -> String? {
        stringToken().map { token in
            let inside = token.inside
            guard inside.contains(UInt8(ascii: "\\")) else {
                return String(decoding: inside, as: UTF8.self)
            }
            return String(decoding: JSONText.unescaped(inside), as: UTF8.self)
        }
    }

    /// Reads a number of up to 18 digits, and nothing else than digits.
    public mutating func number() -> Int? {
        skipSpace()
        let digits = text[index...].prefix(while: ASCII.isDigit)
        guard (1...18).contains(digits.count) else { return nil }
        index = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads `true` or `false`.
    public mutating func truth() -> Bool? {
        if word("true") { return true }
        return word("false") ? false : nil
    }

    /// Passes over `null`, if that comes next.
    public mutating func isNull() -> Bool { word("null") }

    private mutating func word(_ word: StaticString) -> Bool {
        skipSpace()
        guard UnsafeRawBufferPointer(rebasing: text[index...]).begins(with: word) else {
            return false
        }
        index += word.utf8CodeUnitCount
        return true
    }

    /// Reads any value, and returns it as it is written.
    public mutating func value() -> UnsafeRawBufferPointer? {
        skipSpace()
        return token { $0.value() }
    }

    private mutating func token(
        _ read: (inout JSONWalk) -> Bool
    ) -> UnsafeRawBufferPointer? {
        let start = index
        var walk = JSONWalk(text, from: start)
        let isRead = read(&walk)
        index = walk.index
        return isRead ? UnsafeRawBufferPointer(rebasing: text[start..<index]) : nil
    }
}

extension JSONText {
    /// Appends the one value that `text` is, without white space between its tokens.
    ///
    /// - Parameter text: Bytes that are known to be UTF-8.
    /// - Returns: Whether it is one value of JSON, as ``JSONReader`` defines it; if not, the end of
    ///   `output` is undefined.
    /// - Complexity: O(bytes).
    public static func compact(
        _ text: UnsafeRawBufferPointer, into output: inout [UInt8]
    ) -> Bool {
        output.reserveCapacity(output.count + text.count)
        var walk = JSONWalk(text, from: text.spaceEnd(from: 0))
        walk.output = exchange(&output, with: [])
        walk.copies = true
        let isValue = walk.value() && text.spaceEnd(from: walk.index) == text.count
        output = walk.taken()
        return isValue
    }

    /// The place of the first byte that keeps a text from being one value of JSON, or its end where more
    /// has to come; nil where it is one.
    ///
    /// - Complexity: O(bytes).
    public static func fault(in text: UnsafeRawBufferPointer) -> Int? {
        var reader = JSONReader(text)
        let isJSON = reader.value() != nil && reader.isAtEnd()
        let fault = isJSON ? nil : reader.index
        guard let other = UTF8Text.fault(in: text) else { return fault }
        return min(other, fault ?? other)
    }
}

extension UnsafeRawBufferPointer {
    /// The index at which the white space ends that begins at `start`.
    func spaceEnd(from start: Int) -> Int {
        var index = start
        while index < count {
            let byte = self[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            index += 1
        }
        return index
    }

    /// The bytes between the quotation marks of a string.
    public var inside: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst().dropLast())
    }

    /// Whether these bytes are the text.
    public func spells(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && begins(with: word)
    }

    /// Whether these bytes begin with the text.
    public func begins(with word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for index in word.indices where self[index] != word[index] { return false }
            return true
        }
    }
}
