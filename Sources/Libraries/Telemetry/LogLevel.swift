/// How much a log line matters, in the priorities of the system journal (syslog, RFC 5424
/// section 6.2.1): the smaller, the graver.
public enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    /// Something failed that somebody has to look at.
    case error = 3
    /// Something is wrong that the bus works around.
    case warning = 4
    /// Something that happens rarely and is worth knowing: a start, a stop, a reload.
    case notice = 5
    /// Details that a curious operator wants to see.
    case info = 6
    /// Details that a developer wants to see.
    case debug = 7

    /// The level of this name, such as `warning`; nil for any other word.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// The name that the configuration uses.
    public var name: String { "\(self)" }

    /// Whether `left` is the graver one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
