/// What a caller may be allowed to do with a topic.
public enum AccessVerb: String, CaseIterable, Sendable {
    /// Append events to it; makes it if it is not there.
    case publish
    /// Receive its events, and know of it at all: lists, counts, cursors of it, single events.
    case subscribe
    /// Delete it, and change what is kept of it.
    case administer
}
