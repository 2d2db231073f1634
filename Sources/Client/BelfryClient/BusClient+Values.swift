public import Topics

extension BusClient {
    /// Publishes one value and returns its place once it is visible.
    ///
    /// - Throws: Any error of the topic's `encode`, `MetadataError` for an invalid key, else
    ///   `ClientError`. Behind `outcomeUnknown` the value may be in the log.
    @discardableResult
    public func publish<Value: Sendable>(
        _ value: Value, to topic: Topic<Value>, key: String? = nil
    ) async throws -> ClientReceipt {
        try await publish(topic.batch(of: [value], key: key))
    }

    /// Subscribes to the values of a topic, as ``subscribe(_:since:filter:until:)`` does to events.
    ///
    /// - Throws: `ClientError` where the bus does not answer, or refuses.
    public func subscribe<Value: Sendable>(
        to topic: Topic<Value>, since start: StartPosition = .now, filter: EventFilter = .all,
        until end: SubscriptionEnd = .never
    ) async throws(ClientError) -> TypedSubscription<Value, ClientSubscription> {
        TypedSubscription(
            try await subscribe(Selector(topic.name), since: start, filter: filter, until: end),
            topic)
    }
}
