internal import Topics

/// What a request publishes, checked, all but the body.
struct PublishRequest {
    let topic: TopicName
    let attributes: EventAttributes
    let sender: Sender
    /// After so many microseconds nobody is to start on the events; nil for never.
    let ttl: Int64?
    /// Whether each line of the body is an event.
    let isSplit: Bool
    /// What its head says of the body.
    let content: PublishContent
    /// Whether it has a key of a repeat, which is ignored: the answer says so.
    let hasIgnoredKey: Bool
    /// Whether its publisher is told how many wait for the event: it may receive from the topic.
    let showsSubscribers: Bool
}
