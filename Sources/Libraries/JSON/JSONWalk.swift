/// Passes over one value of JSON, and copies its tokens where that is wanted.
///
/// - Complexity: O(bytes), without recursion.
struct JSONWalk {
    private let text: UnsafeRawBufferPointer
    /// The index of the next byte; once something is wrong, the index of that.
    private(set) var index: Int
    /// The bytes that it copies to, if it does.
    var output: [UInt8] = []
    /// Whether it copies.
    var copies = false

    init(_ text: UnsafeRawBufferPointer, from index: Int) {
        (self.text, self.index) = (text, index)
    }

    /// The tokens that were copied, given away.
    consuming func taken() -> [UInt8] { output }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func skipSpace() { index = text.spaceEnd(from: index) }

    private mutating func pass(_ count: Int) {
        if copies {
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<index + count]))
        }
        index += count
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        if copies { output.append(byte) }
        index += 1
        return true
    }

    /// Passes over the value that begins here.
    mutating func value() -> Bool {
        // A bit for each level that is open, the innermost lowest: whether it is an object.
        var (objects, depth) = (UInt64(0), 0)
        while true {
            let opensObject = next == UInt8(ascii: "{")
            if opensObject || next == UInt8(ascii: "[") {
                guard depth < JSONLimits.depthMax else { return false }
                pass(1)
                skipSpace()
                if !takes(opensObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    objects = objects << 1 | (opensObject ? 1 : 0)
                    depth += 1
                    if opensObject { guard name() else { return false } }
                    continue
                }
            } else {
                guard scalar() else { return false }
            }
            while true {
                if depth == 0 { return true }
                skipSpace()
                let isObject = objects & 1 == 1
                if takes(UInt8(ascii: ",")) {
                    skipSpace()
                    if isObject { guard name() else { return false } }
                    break
                }
                guard takes(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
                objects >>= 1
                depth -= 1
            }
        }
    }

    /// Passes over the name of a member, the colon, and the white space behind it.
    private mutating func name() -> Bool {
        guard next == UInt8(ascii: "\""), string() else { return false }
        skipSpace()
        guard takes(UInt8(ascii: ":")) else { return false }
        skipSpace()
        return true
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

    private mutating func word(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            for byte in word where !takes(byte) { return false }
            return true
        }
    }

    /// Passes over the string whose quotation mark comes next.
    mutating func string() -> Bool {
        pass(1)
        while true {
            pass(JSONText.plainEnd(in: text, from: index) - index)
            switch next {
            case UInt8(ascii: "\""):
                pass(1)
                return true
            case UInt8(ascii: "\\"):
                guard escapeSequence() else { return false }
            case nil, .some(0..<0x20):
                return false
            default:
                guard let (scalar, width) = JSONText.escaped(in: text, at: index) else {
                    return false
                }
                if copies { JSONText.appendEscape(scalar, to: &output) }
                index += width
            }
        }
    }

    private mutating func escapeSequence() -> Bool {
        let start = index
        index += 1
        guard let letter = next else { return false }
        var isWhole = false
        if letter == UInt8(ascii: "u") {
            index += 1
            guard let unit = codeUnit() else { return false }
            isWhole = !(0xD800..<0xE000).contains(unit) || unit < 0xDC00 && isLowSurrogate()
        } else if "\"\\/bfnrt".utf8.contains(letter) {
            index += 1
            isWhole = true
        }
        if isWhole, copies {
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
        }
        return isWhole
    }

    private mutating func isLowSurrogate() -> Bool {
        for byte in #"\u"#.utf8 {
            guard next == byte else { return false }
            index += 1
        }
        return codeUnit().map { (0xDC00..<0xE000).contains($0) } ?? false
    }

    private mutating func codeUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(ASCII.hexValue) else { return nil }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    private mutating func number() -> Bool {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") {
            index += 1
        } else {
            guard digits() else { return false }
        }
        if next == UInt8(ascii: ".") {
            index += 1
            guard digits() else { return false }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard digits() else { return false }
        }
        // A double has room for 308 digits before the point: only longer ones and exponents can
        // leave its range.
        let token = text[start..<index]
        if token.count > 300 || token.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let value = Double(String(decoding: token, as: UTF8.self)), value.isFinite else {
                index = start
                return false
            }
        }
        if copies { output.append(contentsOf: token) }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, ASCII.isDigit(byte) { index += 1 }
        return index > start
    }
}
