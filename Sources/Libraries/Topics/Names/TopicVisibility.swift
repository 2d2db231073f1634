/// Which topics one reader may know of.
///
/// What it hides is not there for a selector that it limits: neither its events nor its losses,
/// nor that it exists. Two with the same identity have to show the same topics.
///
/// Promises to be asked about names only, at any time, by any thread, and under the bus's lock: it
/// has to answer from itself, without a lock, a wait or a call to others.
package final class TopicVisibility: Hashable, Sendable {
    private let identity: [UInt64]
    private let predicate: @Sendable (TopicName) -> Bool

    /// A visibility that shows what `shows` says.
    package init(_ identity: [UInt64], shows: @escaping @Sendable (TopicName) -> Bool) {
        self.identity = identity
        predicate = shows
    }

    /// Whether a topic may be known of.
    package func shows(_ topic: TopicName) -> Bool { predicate(topic) }

    /// Whether both show the same.
    package static func == (left: TopicVisibility, right: TopicVisibility) -> Bool {
        left === right || left.identity == right.identity
    }

    /// Feeds the identity.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
