/// Named strings that go with an event beside its ``EventMetadata``. They carry properties from
/// the formats of other systems, and the notes of the bus on its dead letters.
///
/// The publisher gives up to 16; a dead letter has those of the bus beside them. All together take
/// at most 4 KiB. A name has 1 to 20 of `a-z 0-9`. A value has 1 to 255 bytes of UTF-8 without
/// control characters.
public struct EventAttributes: Hashable, Sendable {
    /// One name and its value.
    public struct Attribute: Hashable, Sendable {
        /// The name of the attribute.
        public let name: String
        /// The value.
        public let value: String
    }

    /// All of them, by their names.
    public private(set) var all: [Attribute]

    /// No attribute.
    public static let none = EventAttributes()

    private init() {
        all = []
    }

    /// The attributes as given.
    ///
    /// - Throws: `AttributeError`, whose sentence names the fault and the attribute that has it.
    public init(_ values: [String: String]) throws(AttributeError) {
        all = values.map { Attribute(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
        for attribute in all { try AttributeError.check(attribute) }
        try checkCount()
    }

    private func checkCount() throws(AttributeError) {
        let others = all.count { DeathAttribute(rawValue: $0.name) == nil }
        guard others <= Limits.attributesMax, textBytes <= Limits.attributesBytesMax else {
            throw AttributeError(
                detail:
                    "\(others) attributes of \(textBytes) bytes are too many: an event has at most "
                    + "\(Limits.attributesMax) of \(Limits.attributesBytesMax) bytes together")
        }
    }

    /// Whether there is none.
    public var isEmpty: Bool { all.isEmpty }

    /// The value of a name; nil where it is absent.
    public subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    /// The attributes of this event as a dead letter; those of an earlier death are removed.
    ///
    /// - Throws: `AttributeError`, as ``init(_:)``.
    package func dying(_ death: [DeathAttribute: String]) throws(AttributeError) -> EventAttributes
    {
        var values: [String: String] = [:]
        for attribute in all where DeathAttribute(rawValue: attribute.name) == nil {
            values[attribute.name] = attribute.value
        }
        for (attribute, value) in death { values[attribute.rawValue] = value }
        return try EventAttributes(values)
    }

    /// The bytes of all names and values.
    package var textBytes: Int {
        all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// The memory that the attributes take, in bytes.
    var memoryBytes: Int {
        all.reduce(all.isEmpty ? 0 : Overhead.attributeListBytes) {
            $0 + MemoryLayout<Attribute>.stride + Overhead.ofText($1.name)
                + Overhead.ofText($1.value)
        }
    }

    /// A text as the value of an attribute: blanks replace control characters, and the part beyond 255
    /// bytes is left out. An empty text stays empty, and is then no valid value.
    package static func value(of text: String) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            let shown: Unicode.Scalar = isControl ? " " : scalar
            guard value.utf8.count + UTF8.width(shown) <= Limits.attributeBytesMax else { break }
            value.unicodeScalars.append(shown)
        }
        return value
    }

    // MARK: As one text

    /// The attributes as a store keeps them: a line `name=value` for each.
    package var text: String {
        all.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    }

    /// The attributes of a ``text``.
    ///
    /// - Throws: `AttributeError` if `text` has no valid attributes.
    package init(text: String) throws(AttributeError) {
        var values: [String: String] = [:]
        // Bytes, not characters: a value may begin with a mark that joins the sign before it.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let name = line.prefix { $0 != UInt8(ascii: "=") }
            values[String(decoding: name, as: UTF8.self)] = String(
                decoding: line.dropFirst(name.count + 1), as: UTF8.self)
        }
        try self.init(values)
    }
}

/// The attributes that the bus gives a dead letter, beside those of its event.
package enum DeathAttribute: String, CaseIterable, Sendable {
    /// The group whose job it was.
    case group = "deadgroup"
    /// The topic that it was published to.
    case topic = "deadtopic"
    /// The id that it had there.
    case id = "deadid"
    /// How often it was handed out.
    case attempts = "deadattempts"
    /// Why it became a dead letter.
    case reason = "deadreason"
    /// How often it became a dead letter, over all groups, since it was published or revived.
    case hops = "deadhops"
}

/// Why attributes of an event were refused.
public struct AttributeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the fault and the correct form.
    public let detail: String

    /// The same sentence.
    public var description: String { detail }

    init(detail: String) {
        self.detail = detail
    }

    /// Refuses a name or a value that no attribute can have.
    static func check(_ attribute: EventAttributes.Attribute) throws(AttributeError) {
        let (name, value) = (attribute.name.utf8, attribute.value.utf8)
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...Limits.attributeNameBytesMax).contains(name.count),
            name.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else {
            throw AttributeError(
                detail:
                    "'\(attribute.name.prefix(Limits.attributeNameBytesMax))' is no name of an attribute: "
                    + "use 1 to \(Limits.attributeNameBytesMax) of a-z and 0-9")
        }
        guard (1...Limits.attributeBytesMax).contains(value.count),
            !value.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw AttributeError(
                detail: "the attribute \(attribute.name) has \(value.count) bytes: use 1 to "
                    + "\(Limits.attributeBytesMax), without control characters")
        }
    }
}
