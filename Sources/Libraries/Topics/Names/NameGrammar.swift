/// The one reading of names and patterns: the bytes that are allowed, and their places.
struct NameGrammar {
    let allowsWildcards: Bool
    /// The index of the text in the caller's own text, so that errors point into that.
    let offset: Int

    /// The properties of a text that its check finds.
    struct Findings {
        var isReserved = false
        var hasWildcard = false
    }

    private static let dot = UInt8(ascii: ".")
    private static let dollar = UInt8(ascii: "$")
    private static let star = UInt8(ascii: "*")
    private static let rest = UInt8(ascii: ">")

    func check(_ text: String) throws(NameError) -> Findings {
        var copy = text
        let verdict = copy.withUTF8 { bytes in
            do throws(NameError) {
                return Result<Findings, NameError>.success(try check(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try verdict.get()
    }

    private func check(_ bytes: UnsafeBufferPointer<UInt8>) throws(NameError) -> Findings {
        guard !bytes.isEmpty else {
            throw NameError(
                detail: "a topic is empty at index \(offset): write 1 to \(Limits.nameBytesMax) "
                    + "bytes of A-Z a-z 0-9 _ -, with single dots between segments")
        }
        guard bytes.count <= Limits.nameBytesMax else {
            throw NameError(
                detail: "a topic of \(bytes.count) bytes at index \(offset) is too long: "
                    + "\(Limits.nameBytesMax) are allowed")
        }
        var findings = Findings()
        var start = 0
        if bytes[0] == Self.dollar {
            findings.isReserved = true
            start = 1
        }
        while true {
            let end = bytes[start...].firstIndex(of: Self.dot) ?? bytes.count
            try checkSegment(bytes, start, end, &findings)
            if end == bytes.count { break }
            start = end + 1
        }
        if findings.isReserved && findings.hasWildcard {
            throw NameError(
                detail: "wildcards never match the bus's own topics, which begin with $ "
                    + "(index \(offset)): name them one by one")
        }
        return findings
    }

    private func checkSegment(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ findings: inout Findings
    ) throws(NameError) {
        guard start < end else {
            throw NameError(
                detail: "an empty segment at index \(offset + start): write at least one of "
                    + "A-Z a-z 0-9 _ - on each side of a dot")
        }
        if allowsWildcards, end == start + 1 {
            if bytes[start] == Self.star {
                findings.hasWildcard = true
                return
            }
            if bytes[start] == Self.rest {
                guard end == bytes.count else {
                    throw NameError(
                        detail: "'>' at index \(offset + start) is not at the end: it stands for "
                            + "all that follows; use '*' for one segment")
                }
                findings.hasWildcard = true
                return
            }
        }
        for index in start..<end where !Self.isWord(bytes[index]) {
            throw refusal(bytes, at: index)
        }
    }

    private func refusal(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> NameError {
        let advice =
            switch bytes[index] {
            case Self.star, Self.rest:
                allowsWildcards
                    ? "a wildcard is a whole segment, as in a.* or a.>"
                    : "wildcards only work where events are received"
            case Self.dollar: "only the bus's own topics begin with $, and only at the very start"
            default: "use A-Z a-z 0-9 _ -, with single dots between segments"
            }
        return NameError(
            detail: "\(Self.character(in: bytes, at: index)) at index \(offset + index) is not "
                + "allowed in a topic: \(advice)")
    }

    /// The character that begins at this byte, in words for people.
    private static func character(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> String {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: " "): return "the space"
        case UInt8(ascii: "\t"): return "the tab"
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "the line end"
        case 0x21...0x7E: return "'\(UnicodeScalar(byte))'"
        default: break
        }
        var decoder = UTF8()
        var rest = bytes[index...].makeIterator()
        if byte >= 0x80, case .scalarValue(let scalar) = decoder.decode(&rest) {
            // A character that is no letter may be invisible, or turn the writing around.
            if scalar.properties.isAlphabetic { return "'\(scalar)'" }
            return "the character U+\(hex(scalar.value, digits: 4))"
        }
        return "the byte 0x\(hex(UInt32(byte), digits: 2))"
    }

    private static func hex(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
