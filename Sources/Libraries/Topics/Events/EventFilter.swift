/// A choice of events of a selector: those whose attributes have the texts that it names.
///
/// The log, subscriptions and stores all ask the one filter.
public struct EventFilter: Hashable, Sendable {
    private struct Condition: Hashable, Sendable {
        let attribute: EventAttribute
        let text: String
    }

    /// One for each attribute that matters, in the order of the attributes.
    private let conditions: [Condition]

    private init(_ text: (EventAttribute) -> String?) {
        conditions = EventAttribute.all.compactMap { attribute in
            text(attribute).map { Condition(attribute: attribute, text: $0) }
        }
    }

    /// A filter by type, by key, by both, or by neither.
    public init(type: String?, key: String?) {
        var texts = AttributeTexts()
        (texts.type, texts.key) = (type, key)
        self.init { texts[$0] }
    }

    /// Only events that have all these attributes; each may have others besides.
    public init(_ attributes: EventAttributes) {
        self.init { attributes[$0] }
    }

    /// Every event.
    public static let all = EventFilter(.none)

    /// The text that this attribute has to have; nil for any.
    public subscript(attribute: EventAttribute) -> String? {
        conditions.first { $0.attribute == attribute }?.text
    }

    /// Whether `event` is wanted.
    public func admits(_ event: Event) -> Bool {
        admits { event.attributes[$0] }
    }

    /// Whether an event is wanted, where `text` returns the text of each of its attributes.
    ///
    /// Only attributes that matter are asked for.
    package func admits(_ text: (EventAttribute) -> String?) -> Bool {
        for condition in conditions where text(condition.attribute) != condition.text {
            return false
        }
        return true
    }

    var isAll: Bool { conditions.isEmpty }
}
