/// The settings that a registration asks for, and which of them stay as they are where there is the topic already.
///
/// Whether they stay is decided when the registration takes its place in the order: by then another one may have
/// changed them.
package struct SettingsChange: Hashable, Sendable {
    /// The settings of a topic that is new.
    package var settings: TopicSettings
    /// Those that a topic keeps that was registered before.
    package var kept: Kept

    /// Settings that a registration leaves as they are.
    package struct Kept: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The time within which an event is expected.
        package static let expect = Kept(rawValue: 1)
        /// The group that it is held for.
        package static let hold = Kept(rawValue: 2)
        /// The retention, and whether a store keeps the events.
        package static let retention = Kept(rawValue: 4)
        /// Each of them.
        package static let all: Kept = [.expect, .hold, .retention]
    }

    /// A change as given. A topic that is new has nothing to keep: it is held for no group, and no event is expected,
    /// unless the change says so.
    package init(_ settings: TopicSettings, keeping kept: Kept = []) {
        precondition(
            !(kept.contains(.expect) && settings.expect != nil)
                && !(kept.contains(.hold) && settings.hold != nil),
            "a setting that is kept is not given")
        self.settings = settings
        self.kept = kept
    }

    /// The settings of the topic from the registration on.
    ///
    /// - Parameter found: Those that it was registered with before; nil for a topic that was not.
    package func applied(to found: TopicSettings?) -> TopicSettings {
        guard let found else { return settings }
        var applied = settings
        if kept.contains(.expect) { applied.expect = found.expect }
        if kept.contains(.hold) { applied.hold = found.hold }
        if kept.contains(.retention) {
            (applied.retention, applied.persists) = (found.retention, found.persists)
        }
        return applied
    }
}
