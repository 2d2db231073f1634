/// A choice of events of a selector: those that have each text that it names.
///
/// The log, subscriptions, stores, groups and clients all ask the one filter.
public struct EventFilter: Hashable, Sendable {
    private struct Condition: Hashable, Sendable {
        let field: FilterField
        let text: String
    }

    /// One for each field that matters, in the order of the fields.
    private let conditions: [Condition]

    /// The filter that has these texts; a field without one has none to meet.
    ///
    /// - Parameter text: Is asked once for each field, in their order.
    package init<Failure>(
        _ text: (FilterField) throws(Failure) -> String?
    ) throws(Failure) {
        var conditions: [Condition] = []
        for field in FilterField.all {
            guard let text = try text(field) else { continue }
            conditions.append(Condition(field: field, text: text))
        }
        self.conditions = conditions
    }

    /// A filter by type, by key, by both, or by neither.
    public init(type: String?, key: String?) {
        self.init { field in
            switch field {
            case .type: type
            case .key: key
            }
        }
    }

    /// Every event.
    public static let all = EventFilter(type: nil, key: nil)

    /// The text that an event has to have; nil for any.
    public subscript(field: FilterField) -> String? {
        conditions.first { $0.field == field }?.text
    }

    /// Whether `event` is wanted.
    public func admits(_ event: Event) -> Bool {
        admits { event.metadata[$0.field] }
    }

    /// Whether an event is wanted, where `text` returns its text in each field.
    ///
    /// Only fields that matter are asked for.
    package func admits(_ text: (FilterField) -> String?) -> Bool {
        for condition in conditions where text(condition.field) != condition.text {
            return false
        }
        return true
    }

    var isAll: Bool { conditions.isEmpty }
}

/// One of the things by which an ``EventFilter`` chooses events.
///
/// The compiler finds all code that depends on the list: every `switch` over it is exhaustive, and
/// all other code goes through `allCases`.
public enum FilterField: UInt8, CaseIterable, Sendable {
    /// The type of the event.
    case type
    /// The key of the event.
    case key

    /// ``allCases``, made once.
    package static let all = allCases

    /// The field of an event whose text a filter compares.
    package var field: MetadataField {
        switch self {
        case .type: .type
        case .key: .key
        }
    }
}
