/// The header fields of an answer, as the lines in which they are sent.
///
/// Promises that a value stays one line: a control byte in a string becomes a blank. Names are the
/// program's own, and not looked at. Nothing is said about fields that come twice.
///
/// - Complexity: adding is O(bytes added), without an allocation while there is room.
public struct HeaderLines: Sendable, ExpressibleByArrayLiteral {
    /// Each field as `Name: value`, CR and LF.
    private(set) var bytes: [UInt8] = []

    /// No fields, with room for lines of so many bytes.
    public init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// The fields whose lines `write` writes, at most `capacity` bytes of them: each as
    /// `Name: value`, CR and LF, and no other control byte in it.
    public init(atMost capacity: Int, _ write: (inout TextWriter) -> Void) {
        bytes = [UInt8](atMost: capacity, write)
        assert(
            bytes.split(separator: UInt8(ascii: "\n")).allSatisfy { line in
                line.last == UInt8(ascii: "\r") && !line.dropLast().contains(where: \.isControl)
            }, "lines of headers are not what they should be")
    }

    /// These fields, in order.
    public init(arrayLiteral fields: (StaticString, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// Adds a field behind the others.
    public mutating func add(_ name: StaticString, _ value: String) {
        add(name) { bytes in
            let start = bytes.count
            bytes.append(contentsOf: value.utf8)
            for index in start..<bytes.count where bytes[index].isControl {
                bytes[index] = UInt8(ascii: " ")
            }
        }
    }

    /// Adds a field with a name of two parts, the second one of a header's own bytes.
    public mutating func add(_ name: StaticString, _ suffix: String, _ value: String) {
        assert(
            suffix.utf8.allSatisfy(\.isTokenCharacter), "\(suffix) is no part of a header's name")
        bytes.append(name)
        bytes.append(contentsOf: suffix.utf8)
        add("", value)
    }

    /// Adds a field whose value `write` appends to the bytes it gets; it must append no control
    /// byte.
    public mutating func add(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        bytes.append(name)
        bytes.append(": ")
        let start = bytes.count
        write(&bytes)
        assert(!bytes[start...].contains(where: \.isControl), "a value of \(name) ends its line")
        bytes.append("\r\n")
    }

    /// The names that begin with `prefix`, which is in the same case, with commas between them.
    func names(beginningWith prefix: String) -> String {
        let prefix = Array(prefix.utf8)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: prefix) }
        return lines.map { line in
            String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        }.joined(separator: ", ")
    }

    /// Adds the fields of `others` behind these.
    public mutating func add(contentsOf others: HeaderLines) {
        bytes.append(contentsOf: others.bytes)
    }
}
