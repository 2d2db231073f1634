/// One of the things that a publisher may say about an event beside its bytes.
///
/// What else knows of each attribute is found by the compiler: every `switch` over them is
/// exhaustive, and all other code goes through `allCases`.
public enum EventAttribute: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    /// The type: what kind of event it is.
    case type
    /// The key: what the event is about.
    case key
    /// The content type: what the bytes are.
    case contentType

    /// ``allCases``, made once.
    package static let all = allCases

    /// What a person calls it.
    public var description: String {
        switch self {
        case .type: "type"
        case .key: "key"
        case .contentType: "content type"
        }
    }
}

/// A text for each attribute, or none; not checked.
package struct AttributeTexts: Hashable, Sendable {
    var type: String?
    var key: String?
    var contentType: String?

    /// No text for any attribute.
    package init() {}

    /// The text of one attribute.
    package subscript(attribute: EventAttribute) -> String? {
        get {
            switch attribute {
            case .type: type
            case .key: key
            case .contentType: contentType
            }
        }
        set {
            switch attribute {
            case .type: type = newValue
            case .key: key = newValue
            case .contentType: contentType = newValue
            }
        }
    }
}

/// What a publisher said about an event beside its bytes.
///
/// Each is absent, or 1 to 255 bytes of 0x20 to 0x7E that neither begin nor end with a space.
/// A batch shares one set of attributes.
public struct EventAttributes: Hashable, Sendable {
    private final class Box: Sendable {
        let texts: AttributeTexts

        init(_ texts: AttributeTexts) { self.texts = texts }
    }

    private let box: Box?

    /// No attribute at all.
    public static let none = EventAttributes()

    private init() {
        box = nil
    }

    /// The attributes as given.
    ///
    /// - Throws: `AttributeError`, which names the attribute and the byte.
    /// - Complexity: O(length), at most 255 bytes of each are looked at.
    public init(
        type: String? = nil, key: String? = nil, contentType: String? = nil
    ) throws(AttributeError) {
        var texts = AttributeTexts()
        (texts.type, texts.key, texts.contentType) = (type, key, contentType)
        try self.init(texts)
    }

    /// The attributes that have a text.
    ///
    /// - Throws: `AttributeError`, which names the attribute and the byte.
    package init(_ texts: AttributeTexts) throws(AttributeError) {
        var isEmpty = true
        for attribute in EventAttribute.all {
            guard let text = texts[attribute] else { continue }
            try AttributeError.check(text, attribute)
            isEmpty = false
        }
        box = isEmpty ? nil : Box(texts)
    }

    /// The text of one attribute; nil where it is absent.
    public subscript(attribute: EventAttribute) -> String? { box?.texts[attribute] }

    /// What kind of event it is (`Event-Type`).
    public var type: String? { box?.texts.type }

    /// What the event is about (`Event-Key`).
    public var key: String? { box?.texts.key }

    /// What the bytes are (`Content-Type`).
    public var contentType: String? { box?.texts.contentType }

    /// Whether the type is one of the bus's own (`$…`), which nobody else publishes.
    public var isReserved: Bool { type?.utf8.first == UInt8(ascii: "$") }

    /// What the attributes take in memory, in bytes; 0 if there are none.
    var memoryBytes: Int {
        guard let box else { return 0 }
        return EventAttribute.all.reduce(Overhead.attributesBytes) {
            $0 + Overhead.ofText(box.texts[$1])
        }
    }

    /// The bytes of all texts together.
    package var textBytes: Int {
        guard let box else { return 0 }
        return EventAttribute.all.reduce(0) { $0 + (box.texts[$1]?.utf8.count ?? 0) }
    }

    /// Whether every attribute is equal.
    public static func == (left: EventAttributes, right: EventAttributes) -> Bool {
        left.box === right.box || left.box?.texts == right.box?.texts
    }

    /// Feeds every attribute.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(box?.texts)
    }
}
