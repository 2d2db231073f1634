/// The rights that a caller may have to a topic, or to all topics of a pattern.
public enum AccessVerb: String, CaseIterable, Sendable {
    /// Append events to it; makes it if it is not there.
    case publish
    /// Receive its events, and know of it at all: lists, counts, cursors of it, single events.
    case subscribe
    /// Take jobs of its events as a worker of a group, settle them, and look into them. Takes the
    /// right to receive from it too: workers who take jobs take them from others.
    case work
    /// Delete it, and change how much of it is kept.
    case administer
}
