/// One of the things that a publisher may say about an event beside its bytes.
///
/// The compiler finds all code that depends on the list of fields: every `switch` over them is
/// exhaustive, and all other code goes through `allCases`.
public enum MetadataField: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    /// The type: the kind of event.
    case type
    /// The key: the thing that the event is about.
    case key
    /// The content type: the format of the bytes.
    case contentType

    /// ``allCases``, made once.
    package static let all = allCases

    /// The name of the field, for people.
    public var description: String {
        switch self {
        case .type: "type"
        case .key: "key"
        case .contentType: "content type"
        }
    }
}

/// A text for each field, or none; not checked.
package struct MetadataTexts: Hashable, Sendable {
    var type: String?
    var key: String?
    var contentType: String?

    /// No text for any field.
    package init() {}

    /// The text of one field.
    package subscript(field: MetadataField) -> String? {
        get {
            switch field {
            case .type: type
            case .key: key
            case .contentType: contentType
            }
        }
        set {
            switch field {
            case .type: type = newValue
            case .key: key = newValue
            case .contentType: contentType = newValue
            }
        }
    }
}

/// The fields of an event: properties that its publisher gave it beside its bytes.
///
/// Each is absent, or 1 to 255 bytes of 0x20 to 0x7E that neither begin nor end with a space.
/// Attributes and an expiry go with them. A batch shares one set of fields.
public struct EventMetadata: Hashable, Sendable {
    private final class Box: Sendable {
        let texts: MetadataTexts
        /// Attributes and an expiry, which few events have; nil for neither.
        let extras: Extras?

        init(_ texts: MetadataTexts, _ extras: Extras?) {
            self.texts = texts
            self.extras = extras
        }
    }

    private final class Extras: Sendable {
        let attributes: EventAttributes
        let expires: Timestamp?

        init(_ attributes: EventAttributes, _ expires: Timestamp?) {
            self.attributes = attributes
            self.expires = expires
        }
    }

    private let box: Box?

    /// Whether both are copies of one set of fields.
    func isCopy(of other: EventMetadata) -> Bool { box === other.box }

    /// No field at all.
    public static let none = EventMetadata()

    private init() {
        box = nil
    }

    /// The fields as given.
    ///
    /// - Throws: `MetadataError`, which names the field and the byte.
    /// - Complexity: O(length), at most 255 bytes of each are looked at.
    public init(
        type: String? = nil, key: String? = nil, contentType: String? = nil,
        attributes: EventAttributes = .none
    ) throws(MetadataError) {
        var texts = MetadataTexts()
        (texts.type, texts.key, texts.contentType) = (type, key, contentType)
        self = try EventMetadata(texts).with(attributes, expires: nil)
    }

    /// The fields that have a text.
    ///
    /// - Throws: `MetadataError`, which names the field and the byte.
    package init(_ texts: MetadataTexts) throws(MetadataError) {
        var isEmpty = true
        for field in MetadataField.all {
            guard let text = texts[field] else { continue }
            try MetadataError.check(text, field)
            isEmpty = false
        }
        box = isEmpty ? nil : Box(texts, nil)
    }

    private init(_ box: Box?) {
        self.box = box
    }

    /// The same fields, with these attributes and this expiry in place of those there were.
    package func with(_ attributes: EventAttributes, expires: Timestamp?) -> EventMetadata {
        let texts = box?.texts ?? MetadataTexts()
        if attributes.isEmpty, expires == nil {
            return EventMetadata(texts == MetadataTexts() ? nil : Box(texts, nil))
        }
        return EventMetadata(Box(texts, Extras(attributes, expires)))
    }

    /// The text of one field; nil where it is absent.
    public subscript(field: MetadataField) -> String? { box?.texts[field] }

    /// The kind of event (`Event-Type`).
    public var type: String? { box?.texts.type }

    /// The thing that the event is about (`Event-Key`).
    public var key: String? { box?.texts.key }

    /// The format of the bytes (`Content-Type`).
    public var contentType: String? { box?.texts.contentType }

    /// Named strings beside the fields.
    public var attributes: EventAttributes { box?.extras?.attributes ?? .none }

    /// The time from which on no worker starts on the event; readers still get it. Nil for never.
    public var expires: Timestamp? { box?.extras?.expires }

    /// Whether the type is one of the bus's own (`$…`), which nobody else publishes.
    public var isReserved: Bool { Self.isReserved(type) }

    /// Whether a type is one of the bus's own.
    static func isReserved(_ type: String?) -> Bool { type?.utf8.first == UInt8(ascii: "$") }

    /// Whether it is an event of the bus: its type is one of the bus's own, and it is neither a dead letter nor a copy.
    /// These have attributes that the bus gives.
    package var isOfBus: Bool { isReserved && !attributes.hasOfBus }

    /// The memory that the fields take, in bytes; 0 if there are none.
    var memoryBytes: Int {
        guard let box else { return 0 }
        let extras = box.extras.map { Overhead.extrasBytes + $0.attributes.memoryBytes } ?? 0
        return MetadataField.all.reduce(Overhead.attributesBytes + extras) {
            $0 + Overhead.ofText(box.texts[$1])
        }
    }

    /// The bytes of all texts together, with two separators for each attribute. A set with attributes or an
    /// expiry counts 8 bytes more.
    package var textBytes: Int {
        guard let box else { return 0 }
        let extras =
            box.extras.map { 8 + $0.attributes.textBytes + 2 * $0.attributes.all.count } ?? 0
        return MetadataField.all.reduce(extras) { $0 + (box.texts[$1]?.utf8.count ?? 0) }
    }

    /// Whether every field is equal, and attributes and expiry are.
    public static func == (left: EventMetadata, right: EventMetadata) -> Bool {
        left.box === right.box
            || left.box?.texts == right.box?.texts && left.expires == right.expires
                && left.attributes == right.attributes
    }

    /// Feeds every field.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(box?.texts)
        hasher.combine(box?.extras?.attributes)
        hasher.combine(expires)
    }
}
