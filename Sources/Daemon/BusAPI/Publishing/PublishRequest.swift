internal import Topics

/// The checked contents of a request that publishes, without its body.
struct PublishRequest {
    let topic: TopicName
    let metadata: EventMetadata
    let sender: Sender
    /// Microseconds after which nobody is to start on the events; nil for never.
    let ttl: Int64?
    /// Whether each line of the body is an event.
    let isSplit: Bool
    /// The kind of body that its head announces.
    let content: PublishContent
    /// When its events are due that are held; nil for those that are published now.
    let hold: HoldParameters?
    /// Its `Idempotency-Key`; nil without one.
    let key: KeyHeader?
    /// The condition under which it is published; nil for none.
    let condition: PublishCondition?
    /// Whether its publisher is told how many subscribers wait for the event: it may receive from
    /// the topic.
    let showsSubscribers: Bool
}
