/// A topic as a key: hashed once, and compared with others only where the hashes agree.
///
/// To compare two topics costs dynamic casts, so the neighbours that a lookup meets in a crowded
/// table must not come to it.
struct TopicKey: Hashable {
    let topic: AnyHashable
    private let digest: Int

    init(_ topic: AnyHashable) {
        self.topic = topic
        digest = topic.hashValue
    }

    init?(_ topic: (any Hashable & Sendable)?) {
        guard let topic else { return nil }
        self.init(AnyHashable(topic))
    }

    static func == (left: TopicKey, right: TopicKey) -> Bool {
        left.digest == right.digest && left.topic == right.topic
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
