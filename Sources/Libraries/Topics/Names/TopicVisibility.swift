/// The topics that one reader may know of.
///
/// For a selector that it limits, a hidden topic does not exist: neither its events nor its losses
/// are told. Two visibilities with the same identity have to show the same topics.
///
/// Its predicate is asked about names only, at any time, by any thread, and under the bus's lock.
/// So it has to answer from itself, without a lock, a wait or a call to others.
package final class TopicVisibility: Hashable, Sendable {
    private let identity: [UInt64]
    private let predicate: @Sendable (TopicName) -> Bool

    /// A visibility that shows the topics for which `shows` returns true.
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
