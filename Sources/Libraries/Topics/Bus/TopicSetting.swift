/// One setting of a topic: a row of the table behind the parameters of `PUT /topics/{topic}`, the members
/// that describe a topic in JSON, and the options of the command.
package struct TopicSetting: Sendable {
    /// The parameter of a request that says it.
    package let name: String
    /// Its member in JSON.
    package let member: String
    /// The values that it takes, and its property of ``TopicSettings``.
    package let form: Form
    /// The word for its value in a line of help.
    package let valueName: String
    /// Its meaning, for a line of help.
    package let summary: String

    /// A property of the settings.
    package typealias Place<Value> = any WritableKeyPath<TopicSettings, Value> & Sendable

    /// The values that a setting takes. A number that is nil is no bound.
    package enum Form: Sendable {
        /// A number.
        case count(Place<Int?>, max: Int64)
        /// Bytes.
        case size(Place<Int?>, max: Int64)
        /// Microseconds.
        case duration(Place<Int64?>, ClosedRange<Int64>)
        /// Yes or no.
        case truth(Place<Bool>)
        /// The name of a work group, or none.
        case holder
    }

    private init(
        _ name: String, member: String? = nil, _ form: Form, _ valueName: String, _ summary: String
    ) {
        self.name = name
        self.member = member ?? name
        self.form = form
        self.valueName = valueName
        self.summary = summary
    }

    /// The table, in the order in which topics are described.
    package static let all = [
        TopicSetting(
            "keep", .count(\.retention.keep, max: Int64(Int32.max)), "N",
            "how many events it keeps, or none for no bound"),
        // A terabyte, beyond any memory it could be kept in.
        TopicSetting(
            "bytes", member: "keep_bytes", .size(\.retention.bytes, max: 1 << 40), "SIZE",
            "how many bytes, as in 64M, or none"),
        // Ten years. A clock in microseconds counts further, but a longer age is a mistyped unit.
        TopicSetting(
            "for", member: "keep_for", .duration(\.retention.age, 0...3_650 * 86_400_000_000),
            "TIME", "for how long, as in 7d, or none"),
        TopicSetting(
            "persist", .truth(\.persists), "YES-OR-NO", "whether they outlive a restart"),
        TopicSetting("hold", .holder, "GROUP", "keep what this group has not settled, or none"),
        TopicSetting(
            "expect", .duration(\.expect, Silence.expectations), "TIME",
            "say so where it has no event for so long, or none"),
    ]

    /// Its number in these settings; nil for no bound, and for a setting that is no number.
    package func number(in settings: TopicSettings) -> Int64? {
        switch form {
        case .count(let path, _), .size(let path, _): settings[keyPath: path].map { Int64($0) }
        case .duration(let path, _): settings[keyPath: path]
        case .truth, .holder: nil
        }
    }

    /// Gives these settings a number; nil lifts the bound.
    package func set(_ number: Int64?, in settings: inout TopicSettings) {
        switch form {
        case .count(let path, _), .size(let path, _):
            settings[keyPath: path] = number.map { Int(clamping: $0) }
        case .duration(let path, _): settings[keyPath: path] = number
        case .truth, .holder: break
        }
    }
}
