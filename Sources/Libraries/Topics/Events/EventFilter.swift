/// A choice of events of a selector: those that have each text and each attribute that it names.
///
/// The log, subscriptions, stores, groups and clients all ask the one filter.
public struct EventFilter: Hashable, Sendable {
    private struct Condition: Hashable, Sendable {
        let field: FilterField
        let text: String
    }

    /// One for each field that matters, in the order of the fields.
    private let conditions: [Condition]

    /// The attributes that an event has to have, each with the same value.
    public let attributes: EventAttributes

    /// Whether it leaves out events of the bus (``EventMetadata/isOfBus``).
    private var leavesOutBus = false

    /// The filter that has these texts; a field without one has none to meet.
    ///
    /// - Parameter text: Is asked once for each field, in their order.
    package init<Failure>(
        attributes: EventAttributes = .none, _ text: (FilterField) throws(Failure) -> String?
    ) throws(Failure) {
        self.attributes = attributes
        var conditions: [Condition] = []
        for field in FilterField.all {
            guard let text = try text(field) else { continue }
            conditions.append(Condition(field: field, text: text))
        }
        self.conditions = conditions
    }

    /// A filter by type, by key, by attributes, by several of them, or by none.
    public init(type: String?, key: String?, attributes: EventAttributes = .none) {
        self.init(attributes: attributes) { field in
            switch field {
            case .type: type
            case .key: key
            }
        }
    }

    /// Every event.
    public static let all = EventFilter(type: nil, key: nil)

    /// The same choice, of events to act on: without events of the bus, of types such as `$silent`, unless the filter
    /// names the type.
    ///
    /// Groups take their jobs by it, and the command runs programs and calls webhooks by it.
    package var toActOn: EventFilter {
        var filter = self
        filter.leavesOutBus = self[.type] == nil
        return filter
    }

    /// The same choice with events of the bus, for a reader that passes these by itself.
    package var toPassBy: EventFilter {
        var filter = self
        filter.leavesOutBus = false
        return filter
    }

    /// The text that an event has to have; nil for any.
    public subscript(field: FilterField) -> String? {
        conditions.first { $0.field == field }?.text
    }

    /// Whether `event` is wanted.
    public func admits(_ event: Event) -> Bool { admits(event.metadata) }

    /// Whether events with this metadata are wanted.
    package func admits(_ metadata: EventMetadata) -> Bool {
        for condition in conditions where metadata[condition.field.field] != condition.text {
            return false
        }
        if leavesOutBus, metadata.isOfBus { return false }
        return attributes.isEmpty || metadata.attributes.has(attributes)
    }

    /// Whether an event is wanted, where `text` returns its text in each field, and `attributes` the
    /// ``EventAttributes/text`` of its attributes; nil for none.
    ///
    /// Only fields that matter are asked for.
    package func admits(
        _ text: (FilterField) -> String?, attributes kept: () -> String?
    ) -> Bool {
        for condition in conditions where text(condition.field) != condition.text {
            return false
        }
        if leavesOutBus, EventMetadata.isReserved(text(.type)),
            !EventAttributes.hasOfBus(kept() ?? "")
        {
            return false
        }
        return attributes.isEmpty || attributes.areIn(kept() ?? "")
    }

    var isAll: Bool { conditions.isEmpty && attributes.isEmpty && !leavesOutBus }
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
