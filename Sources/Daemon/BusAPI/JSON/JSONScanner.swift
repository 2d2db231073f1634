internal import Glibc
internal import HTTPFront

/// Reads JSON text token by token, and copies the tokens without the white space between them.
///
/// A verb that answers false has met what is not JSON as ``JSONValue`` defines it; what it has
/// copied by then is undefined.
///
/// - Complexity: O(bytes), no recursion deeper than ``Limits/jsonDepthMax``.
struct JSONScanner {
    /// What is read.
    let text: UnsafeRawBufferPointer
    /// How far it is; where something is wrong, there.
    private(set) var index = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// Whether everything was read.
    var isAtEnd: Bool { index == text.count }
    /// The byte it stands at; `nil` at the end.
    var next: UInt8? { index < text.count ? text[index] : nil }

    /// Passes over white space.
    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }

    /// Copies one value, which stands at `depth` levels, or says that it is none.
    mutating func value(depth: Int, into output: inout [UInt8]) -> Bool {
        switch next {
        case UInt8(ascii: "{"): container(depth: depth, isObject: true, into: &output)
        case UInt8(ascii: "["): container(depth: depth, isObject: false, into: &output)
        case UInt8(ascii: "\""): string(into: &output)
        case UInt8(ascii: "t"): literal("true", into: &output)
        case UInt8(ascii: "f"): literal("false", into: &output)
        case UInt8(ascii: "n"): literal("null", into: &output)
        default: number(into: &output)
        }
    }

    private mutating func container(
        depth: Int, isObject: Bool, into output: inout [UInt8]
    ) -> Bool {
        guard depth <= Limits.jsonDepthMax else { return false }
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        output.append(text[index])
        index += 1
        skipSpace()
        if take(end, into: &output) { return true }
        while true {
            skipSpace()
            if isObject {
                guard next == UInt8(ascii: "\""), string(into: &output) else { return false }
                skipSpace()
                guard take(UInt8(ascii: ":"), into: &output) else { return false }
                skipSpace()
            }
            guard value(depth: depth + 1, into: &output) else { return false }
            skipSpace()
            if take(end, into: &output) { return true }
            guard take(UInt8(ascii: ","), into: &output) else { return false }
        }
    }

    /// Copies this byte, if it stands at it.
    mutating func take(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        guard next == byte else { return false }
        output.append(byte)
        index += 1
        return true
    }

    private mutating func literal(_ word: StaticString, into output: inout [UInt8]) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + count <= text.count else { return false }
        let matches = word.withUTF8Buffer {
            memcmp($0.baseAddress!, text.baseAddress! + index, count) == 0
        }
        guard matches else { return false }
        output.append(contentsOf: text[index..<index + count])
        index += count
        return true
    }

    /// Copies the string that begins at the quotation mark it stands at.
    mutating func string(into output: inout [UInt8]) -> Bool {
        output.append(UInt8(ascii: "\""))
        index += 1
        while true {
            copy(JSONText.plainEnd(in: text, from: index) - index, into: &output)
            switch next {
            case UInt8(ascii: "\""):
                copy(1, into: &output)
                return true
            case UInt8(ascii: "\\"):
                guard escapeSequence(into: &output) else { return false }
            case nil, .some(0..<0x20):
                return false
            default:
                guard let (scalar, width) = JSONText.escaped(in: text, at: index) else {
                    return false
                }
                JSONText.appendEscape(scalar, to: &output)
                index += width
            }
        }
    }

    private mutating func escapeSequence(into output: inout [UInt8]) -> Bool {
        guard index + 1 < text.count else { return false }
        guard text[index + 1] == UInt8(ascii: "u") else {
            let isKnown = "\"\\/bfnrt".utf8.contains(text[index + 1])
            if isKnown { copy(2, into: &output) }
            return isKnown
        }
        guard let unit = codeUnit(at: index + 2) else { return false }
        switch unit {
        case 0xD800..<0xDC00:
            guard index + 7 < text.count, text[index + 6] == UInt8(ascii: "\\"),
                text[index + 7] == UInt8(ascii: "u"), let low = codeUnit(at: index + 8),
                (0xDC00..<0xE000).contains(low)
            else { return false }
            copy(12, into: &output)
        case 0xDC00..<0xE000: return false
        default: copy(6, into: &output)
        }
        return true
    }

    private func codeUnit(at start: Int) -> UInt16? {
        guard start + 4 <= text.count else { return nil }
        var unit: UInt16 = 0
        for byte in text[start..<start + 4] {
            guard let digit = ASCII.hexValue(byte) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private mutating func copy(_ count: Int, into output: inout [UInt8]) {
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<index + count]))
        index += count
    }

    private mutating func number(into output: inout [UInt8]) -> Bool {
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
                return false
            }
        }
        output.append(contentsOf: token)
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, ASCII.isDigit(byte) { index += 1 }
        return index > start
    }
}
