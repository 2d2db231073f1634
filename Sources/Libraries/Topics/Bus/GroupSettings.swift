/// The settings of a work group: those of an existing group, or those that a request names. A
/// property that is nil is not named.
///
/// A new group needs its selector, and gets defaults for other settings that are not named. An
/// existing group keeps settings that are not named. Its selector, type, attributes, order, persistence and
/// `replies` never change: naming another value than it has is an error.
public struct GroupSettings: Hashable, Sendable {
    /// Its topics (`of`).
    public var selector: Selector?
    /// The only type of events that it takes (`type`); by default all but those of the bus, as `$silent`.
    public var type: String?
    /// The attributes that its events have (`attribute.NAME`), each with this value; all events by
    /// default.
    public var attributes: EventAttributes?
    /// The position where a new group begins (`since`); `earliest` by default.
    public var start: StartPosition?
    /// How long a lease lasts (`lease`), 1 s to 12 h; 60 s by default.
    public var lease: Duration? {
        get { leaseMicroseconds.map { .microseconds($0) } }
        set { leaseMicroseconds = newValue?.wholeMicroseconds }
    }
    /// How often a job is handed out before it is a dead letter (`attempts`), 1 to 1,000; 5 by
    /// default.
    public var attempts: Int?
    /// The destination of dead letters (`dead`); nowhere by default.
    public var dead: DeadLetters?
    /// Whether at most one job of a key is open, in the order of ids (`order`); it is not by default.
    public var isOrderedByKey: Bool?
    /// How many jobs are leased at once at most (`in_flight`), 1 to 10,000; 1,000 by default.
    public var inFlightMax: Int?
    /// Whether its workers answer requests (`replies`); they do not by default.
    public var replies: Bool?
    /// Whether its progress survives a restart (`persist`), where a store can do that; it does by
    /// default.
    public var persists: Bool?

    package var leaseMicroseconds: Int64?

    /// The destination of dead letters.
    public enum DeadLetters: Hashable, Sendable {
        /// Nowhere: jobs are tried for ever.
        case nowhere
        /// To this topic, which is not one of the group's own.
        case topic(TopicName)

        /// The topic; nil for nowhere.
        public var topic: TopicName? {
            guard case .topic(let topic) = self else { return nil }
            return topic
        }
    }

    /// Settings that name nothing.
    public init() {}

    /// Settings of a group of these topics, which name nothing else.
    public init(of selector: Selector) { self.selector = selector }

    /// The lengths of a lease, in microseconds: short enough that a dead worker is noticed, and
    /// long enough for long jobs.
    package static let leaseRange: ClosedRange<Int64> = 1_000_000...43_200_000_000

    /// The choice of events of its topics that it takes.
    package var filter: EventFilter {
        EventFilter(type: type, key: nil, attributes: attributes ?? .none).toActOn
    }

    /// The defaults of a group, which has none for its topics and its start.
    package static let standard: GroupSettings = {
        var settings = GroupSettings()
        settings.leaseMicroseconds = 60_000_000
        settings.attempts = 5
        settings.dead = .nowhere
        settings.isOrderedByKey = false
        settings.inFlightMax = 1_000
        settings.replies = false
        settings.persists = true
        return settings
    }()
}

/// One setting of a work group: a row of the table behind the parameters of `PUT /groups/{group}`, the
/// members that describe a group in JSON, the columns of a store, and the options of the command.
///
/// A new one is a property of ``GroupSettings``, a row here, a column in a step of the store's schema, and
/// code of `GroupMachine`, which obeys it.
package struct GroupSetting: Sendable {
    /// The parameter of a request that says it, and its member in JSON. Attributes have a parameter each.
    package let name: String
    /// The values that it takes, and its property of ``GroupSettings``.
    package let form: Form
    /// Whether an existing group can be given another value.
    package let changes: Bool
    /// Its column in the table `groups` of a store; nil for topics, which have one of their own, and for the
    /// start, which is not stored.
    package let column: StaticString?
    /// The version of the schema that has the column first. One that came after version 4 may hold nothing.
    package let columnSince: Int64
    /// The word for its value in a line of help.
    package let valueName: String
    /// Its meaning, for a line of help.
    package let summary: String

    /// A property of the settings.
    package typealias Place<Value> = any WritableKeyPath<GroupSettings, Value> & Sendable

    /// The values that a setting takes.
    package enum Form: Sendable {
        /// Topics.
        case selector
        /// A type of events.
        case type
        /// Attributes of events.
        case attributes
        /// A place in the log.
        case start
        /// A topic, or nowhere.
        case deadLetters
        /// Microseconds.
        case duration(Place<Int64?>, in: ClosedRange<Int64>)
        /// A number.
        case count(Place<Int?>, in: ClosedRange<Int64>)
        /// Yes or no.
        case truth(Place<Bool?>)
        /// One of two words.
        case word(Place<Bool?>, no: String, yes: String)
    }

    private init(
        _ name: String, _ form: Form, changes: Bool = false, column: StaticString? = nil,
        since version: Int64 = 4, _ valueName: String, _ summary: String
    ) {
        self.name = name
        self.form = form
        self.changes = changes
        self.column = column
        columnSince = version
        self.valueName = valueName
        self.summary = summary
    }

    /// The table, in the order in which groups are described.
    package static let all = [
        GroupSetting("of", .selector, "SELECTOR", "its topics, joined by commas"),
        GroupSetting(
            "type", .type, column: "type", "TYPE",
            "only events of this type"),
        GroupSetting(
            "attributes", .attributes, column: "attributes", since: 13, "NAME=VALUE",
            "only events with this attribute (several times: with all)"),
        GroupSetting("since", .start, "START", "where a new group begins (earliest)"),
        GroupSetting(
            "lease", .duration(\.leaseMicroseconds, in: GroupSettings.leaseRange), changes: true,
            column: "lease", "TIME", "how long a worker has a job (60s)"),
        // A job may fail this often before it is a dead letter.
        GroupSetting(
            "attempts", .count(\.attempts, in: 1...1_000), changes: true,
            column: "attempts", "N", "how often a job is handed out (5)"),
        GroupSetting(
            "dead", .deadLetters, changes: true, column: "dead", "TOPIC",
            "where dead letters go, or none"),
        GroupSetting(
            "order", .word(\.isOrderedByKey, no: "none", yes: "key"),
            column: "by_key", "ORDER",
            "key: one job of a key at a time; or none"),
        // The upper bound is the default of the most open jobs of a group.
        GroupSetting(
            "in_flight", .count(\.inFlightMax, in: 1...10_000), changes: true,
            column: "in_flight", "N",
            "how many jobs are leased at once (1000)"),
        GroupSetting(
            "persist", .truth(\.persists), column: "persists", "YES-OR-NO",
            "whether progress outlives a restart"),
        GroupSetting(
            "replies", .truth(\.replies), column: "replies", "YES-OR-NO",
            "whether its workers answer requests"),
    ]

    /// Those that a store keeps in a column.
    package static let stored = all.filter { $0.column != nil }

    /// A value of some setting.
    package enum Value: Hashable, Sendable {
        case selector(Selector)
        case type(String)
        case attributes(EventAttributes)
        case start(StartPosition)
        case dead(GroupSettings.DeadLetters)
        case number(Int64)
        case flag(Bool)
    }

    /// Its value in these settings; nil where they do not name it.
    package func value(in settings: GroupSettings) -> Value? {
        switch form {
        case .selector: settings.selector.map { .selector($0) }
        case .type: settings.type.map { .type($0) }
        case .attributes: settings.attributes.map { .attributes($0) }
        case .start: settings.start.map { .start($0) }
        case .deadLetters: settings.dead.map { .dead($0) }
        case .duration(let path, _): settings[keyPath: path].map { .number($0) }
        case .count(let path, _): settings[keyPath: path].map { .number(Int64($0)) }
        case .truth(let path), .word(let path, _, _): settings[keyPath: path].map { .flag($0) }
        }
    }

    /// Gives these settings a value of its form; nil has them not name it.
    package func set(_ value: Value?, in settings: inout GroupSettings) {
        switch (form, value) {
        case (.selector, .selector(let selector)?): settings.selector = selector
        case (.selector, _): settings.selector = nil
        case (.type, .type(let type)?): settings.type = type
        case (.type, _): settings.type = nil
        case (.attributes, .attributes(let attributes)?): settings.attributes = attributes
        case (.attributes, _): settings.attributes = nil
        case (.start, .start(let start)?): settings.start = start
        case (.start, _): settings.start = nil
        case (.deadLetters, .dead(let dead)?): settings.dead = dead
        case (.deadLetters, _): settings.dead = nil
        case (.duration(let path, _), .number(let number)?): settings[keyPath: path] = number
        case (.duration(let path, _), _): settings[keyPath: path] = nil
        case (.count(let path, _), .number(let number)?):
            settings[keyPath: path] = Int(clamping: number)
        case (.count(let path, _), _): settings[keyPath: path] = nil
        case (.truth(let path), .flag(let flag)?), (.word(let path, _, _), .flag(let flag)?):
            settings[keyPath: path] = flag
        case (.truth(let path), _), (.word(let path, _, _), _): settings[keyPath: path] = nil
        }
    }

    /// Why its number in these settings is out of range, as a sentence; nil where it is not.
    package func fault(in settings: GroupSettings) -> String? {
        guard case .number(let number)? = value(in: settings) else { return nil }
        switch form {
        case .duration(_, let range) where !range.contains(number):
            let bounds = [range.lowerBound, range.upperBound].map { "\(Duration.microseconds($0))" }
            return "'\(name)' goes from \(bounds[0]) to \(bounds[1])"
        case .count(_, let range) where !range.contains(number):
            return "'\(name)' goes from \(range.lowerBound) to \(range.upperBound), not \(number)"
        default: return nil
        }
    }
}
