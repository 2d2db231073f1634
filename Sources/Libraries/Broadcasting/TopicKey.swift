/// A topic as a key: hashed once, outside of the bus's lock.
struct TopicKey {
    let topic: AnyHashable
    let digest: Int

    init(_ topic: AnyHashable) {
        self.topic = topic
        digest = topic.hashValue
    }

    init?(_ topic: (any Hashable & Sendable)?) {
        guard let topic else { return nil }
        self.init(AnyHashable(topic))
    }
}
