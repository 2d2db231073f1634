/// The lines of an INI file as libinih may safely see them, counted from 1.
///
/// Refuses text that libinih would misread: a line or section name that is too long for its
/// buffers, a byte of NUL, text that is not UTF-8, anything but a comment behind a section's
/// bracket. Takes outer blanks off: libinih takes an indented line for more of the previous value.
struct INILines {
    /// The number of the line that `next` gave last.
    private(set) var number = 0
    /// Why there is no next line, unless the file simply ends.
    private(set) var fault: INIFile.Fault?
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        rest = text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
    }

    /// The next line without its end and outer blanks, or nil at the end and after a fault.
    mutating func next() -> ArraySlice<UInt8>? {
        guard fault == nil, !rest.isEmpty else { return nil }
        number += 1
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        var line = rest[..<end]
        rest = rest[end...].dropFirst()
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        if let detail = Self.objection(to: line) {
            fault = INIFile.Fault(line: number, detail: detail)
            return nil
        }
        return Self.trimmed(line)
    }

    private static func objection(to line: ArraySlice<UInt8>) -> String? {
        guard line.count <= Limits.lineBytesMax else {
            return "the line has \(line.count) bytes, at most \(Limits.lineBytesMax) can be read: "
                + "repeat the key of a list on several lines"
        }
        guard !line.contains(0) else { return "the line contains a byte of NUL" }
        guard String(validating: line, as: UTF8.self) != nil else { return "this is not UTF-8" }
        let text = trimmed(line)
        return text.first == UInt8(ascii: "[") ? objection(toSection: text) : nil
    }

    private static func objection(toSection line: ArraySlice<UInt8>) -> String? {
        guard let end = line.firstIndex(of: UInt8(ascii: "]")) else {
            return "the section has no closing bracket"
        }
        let name = line[..<end].dropFirst()
        guard name.count <= Limits.sectionBytesMax else {
            return "the section's name has \(name.count) bytes, at most "
                + "\(Limits.sectionBytesMax) can be read"
        }
        let behind = trimmed(line[end...].dropFirst())
        guard
            behind.isEmpty || behind.first == UInt8(ascii: ";") || behind.first == UInt8(ascii: "#")
        else { return "only a comment may follow the section's closing bracket" }
        return nil
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line = line.dropLast() }
        return line
    }
}
