/// A choice of events of a selector: those whose attributes have the texts that it names.
///
/// The log, subscriptions and stores all ask the one filter.
public struct EventFilter: Hashable, Sendable {
    private struct Condition: Hashable, Sendable {
        let field: MetadataField
        let text: String
    }

    /// One for each attribute that matters, in the order of the attributes.
    private let conditions: [Condition]

    private init(_ text: (MetadataField) -> String?) {
        conditions = MetadataField.all.compactMap { field in
            text(field).map { Condition(field: field, text: $0) }
        }
    }

    /// A filter by type, by key, by both, or by neither.
    public init(type: String?, key: String?) {
        var texts = MetadataTexts()
        (texts.type, texts.key) = (type, key)
        self.init { texts[$0] }
    }

    /// Only events that have all these attributes; each may have others besides.
    public init(_ metadata: EventMetadata) {
        self.init { metadata[$0] }
    }

    /// Every event.
    public static let all = EventFilter(.none)

    /// The text that this attribute has to have; nil for any.
    public subscript(field: MetadataField) -> String? {
        conditions.first { $0.field == field }?.text
    }

    /// Whether `event` is wanted.
    public func admits(_ event: Event) -> Bool {
        admits { event.metadata[$0] }
    }

    /// Whether an event is wanted, where `text` returns the text of each of its attributes.
    ///
    /// Only attributes that matter are asked for.
    package func admits(_ text: (MetadataField) -> String?) -> Bool {
        for condition in conditions where text(condition.field) != condition.text {
            return false
        }
        return true
    }

    var isAll: Bool { conditions.isEmpty }
}
