/// What a publisher said about an event beside its bytes.
///
/// Each is absent, or 1 to 255 bytes of 0x20 to 0x7E that neither begin nor end with a space.
/// A batch shares one set of attributes.
public struct EventAttributes: Hashable, Sendable {
    private final class Box: Sendable {
        let type: String?
        let key: String?
        let contentType: String?

        init(type: String?, key: String?, contentType: String?) {
            self.type = type
            self.key = key
            self.contentType = contentType
        }
    }

    private let box: Box?

    /// No type, no key, no content type.
    public static let none = EventAttributes()

    private init() {
        box = nil
    }

    /// The attributes as given.
    ///
    /// - Throws: `AttributeError`, which names the attribute and the byte.
    /// - Complexity: O(length), at most 255 bytes of each are looked at.
    public init(type: String?, key: String?, contentType: String?) throws(AttributeError) {
        try Self.check(type, .type)
        try Self.check(key, .key)
        try Self.check(contentType, .contentType)
        let isEmpty = type == nil && key == nil && contentType == nil
        box = isEmpty ? nil : Box(type: type, key: key, contentType: contentType)
    }

    /// What kind of event it is (`Event-Type`).
    public var type: String? { box?.type }

    /// What the event is about (`Event-Key`).
    public var key: String? { box?.key }

    /// What the bytes are (`Content-Type`).
    public var contentType: String? { box?.contentType }

    /// Whether the type is one of the bus's own (`$…`), which nobody else publishes.
    public var isReserved: Bool { box?.type?.utf8.first == UInt8(ascii: "$") }

    /// What the attributes take in memory, in bytes; 0 if there are none.
    var memoryBytes: Int {
        guard let box else { return 0 }
        return Overhead.attributesBytes + Overhead.ofText(box.type) + Overhead.ofText(box.key)
            + Overhead.ofText(box.contentType)
    }

    /// Whether all three are equal.
    public static func == (left: EventAttributes, right: EventAttributes) -> Bool {
        guard let (one, other) = left.box.flatMap({ one in right.box.map { (one, $0) } }) else {
            return left.box === right.box
        }
        return one === other
            || one.type == other.type && one.key == other.key
                && one.contentType == other.contentType
    }

    /// Feeds all three.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(key)
        hasher.combine(contentType)
    }

    private static func check(
        _ text: String?, _ attribute: AttributeError.Attribute
    ) throws(AttributeError) {
        guard let text else { return }
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= Limits.attributeBytesMax else {
            throw AttributeError(
                attribute,
                "the \(attribute) has \(bytes.count) bytes: leave it out, or write 1 to "
                    + "\(Limits.attributeBytesMax)")
        }
        if let bad = bytes.firstIndex(where: { $0 < 0x20 || $0 > 0x7E }) {
            let hex = String(bytes[bad], radix: 16, uppercase: true)
            let offset = bytes.distance(from: bytes.startIndex, to: bad)
            throw AttributeError(
                attribute,
                "byte 0x\(hex.count < 2 ? "0" : "")\(hex) at index \(offset) of the "
                    + "\(attribute) is not allowed: use printable ASCII, 0x20 to 0x7E")
        }
        if bytes.first == 0x20 || bytes.last == 0x20 {
            throw AttributeError(
                attribute,
                "the \(attribute) begins or ends with a space: remove the outer spaces")
        }
    }
}

/// Why an attribute of an event was refused.
public struct AttributeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the three it is.
    public enum Attribute: String, Hashable, Sendable, CustomStringConvertible {
        /// The type of the event.
        case type
        /// The key of the event.
        case key
        /// The type of the bytes.
        case contentType

        /// What a person calls it.
        public var description: String { self == .contentType ? "content type" : rawValue }
    }

    /// The attribute that was refused.
    public let attribute: Attribute
    /// What is wrong, at which byte, and what to write instead.
    public let detail: String

    init(_ attribute: Attribute, _ detail: String) {
        self.attribute = attribute
        self.detail = detail
    }

    /// The same sentence.
    public var description: String { detail }
}
