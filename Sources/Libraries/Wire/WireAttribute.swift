public import JSON
public import Topics

/// The forms of ``EventAttributes`` on the wire: headers of a publish and of raw events, parameters,
/// and the member of envelopes and messages.
public enum WireAttribute {
    /// The beginning of a header's name. The name of the attribute follows.
    public static let header: StaticString = "Event-Attribute-"
    /// The same in lower case.
    public static let lowercaseHeader: StaticString = "event-attribute-"
    /// The parameter of a publish that says the same, and of a request for events that filters. Any
    /// attribute's name stands for `NAME`.
    public static let parameter = parameterPrefix + "NAME"
    /// The beginning of such a parameter.
    public static let parameterPrefix = "attribute."
    /// The member of an envelope, and of a message that publishes: an object of strings.
    public static let member: StaticString = "attributes"
    /// The header of a raw event whose attributes take too many bytes for headers.
    public static let omitted: StaticString = "Event-Attributes"

    /// The value of a header that says `value`: percent-encoded where HTTP has no sign for a byte, and
    /// blanks at its ends, which HTTP takes away.
    ///
    /// Source: CloudEvents 1.0.2, HTTP protocol binding, section 3.1.3.2.
    public static func headerText(of value: String) -> String {
        let last = value.utf8.count - 1
        return ASCII.percentEncoded(value) { index, byte in
            byte == 0x20
                ? index > 0 && index < last
                : (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
        }
    }

    /// The value that a header says; nil where a percent sign is no encoded byte, or the bytes are no
    /// UTF-8.
    public static func value(ofHeader text: UnsafeRawBufferPointer) -> String? {
        ASCII.percentDecoded(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes of lines of headers with these attributes, as ``headerText(of:)`` has them.
    public static func headerBytes(of attributes: EventAttributes) -> Int {
        attributes.all.reduce(0) {
            $0 + header.utf8CodeUnitCount + $1.name.utf8.count + 4
                + headerText(of: $1.value).utf8.count
        }
    }
}

extension JSONWriter {
    /// Writes attributes as an object of strings.
    public mutating func attributes(_ attributes: EventAttributes) {
        object { json in
            for attribute in attributes.all {
                json.name(attribute.name)
                json.string(attribute.value)
            }
        }
    }
}

extension EventAttributes {
    /// The bytes that they take in an envelope at most: names, and values of which each sign may be
    /// escaped.
    public var envelopeBytesMax: Int { all.isEmpty ? 0 : 2 * textBytes + 6 * all.count }

    /// The parameters that name them.
    public var parameters: [(name: String, text: String)] {
        all.map { (WireAttribute.parameterPrefix + $0.name, $0.value) }
    }

    /// Those of an object that the bus wrote.
    init(ofBus texts: [String: String]) throws(AttributeError) {
        try self.init(kept: texts.map { Attribute(name: $0.key, value: $0.value) })
    }

    /// Reads the object of an envelope or a message; nil where it is no object of strings, each name
    /// once.
    public static func list(_ reader: inout JSONReader) -> [Attribute]? {
        var values: [String: String] = [:]
        let isObject = reader.object { name, reader in
            let name = String(decoding: JSONText.unescaped(name), as: UTF8.self)
            guard values[name] == nil, let value = reader.string() else { return false }
            values[name] = value
            return true
        }
        return isObject ? values.map { Attribute(name: $0.key, value: $0.value) } : nil
    }
}
