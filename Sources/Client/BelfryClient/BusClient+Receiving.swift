public import Topics
internal import Wire

/// How far a subscription goes.
public enum SubscriptionEnd: Hashable, Sendable {
    /// Until it is cancelled.
    case never
    /// Up to the newest event at the moment of subscribing.
    case now
}

extension BusClient {
    /// Subscribes to `selector` from `start` on, until the subscription is cancelled or released.
    ///
    /// It has found its place when this returns: events that become visible later are delivered.
    ///
    /// - Parameters:
    ///   - selector: The topics, those included that are made later.
    ///   - start: Where to begin; only a stated cursor or time can tell a gap at once.
    ///   - filter: Which of their events.
    ///   - end: How far it goes.
    /// - Throws: `ClientError` where the bus does not answer, or refuses. Once it has begun, a
    ///   subscription waits for a bus that does not answer.
    public func subscribe(
        _ selector: Selector, since start: StartPosition = .now, filter: EventFilter = .all,
        until end: SubscriptionEnd = .never
    ) async throws(ClientError) -> ClientSubscription {
        let through = end == .now ? try await newest(of: selector) : nil
        let machine = SubscriptionMachine(from: start, through: through) { limit in
            Int.random(in: 0...limit)
        }
        let configuration = configuration
        let subscription = ClientSubscription(
            selector, machine, on: thread, interrupted: configuration.interrupted
        ) {
            since, feed throws(ClientError) in
            try Self.stream(
                selector, since, filter, isEndless: through == nil, configuration, to: feed)
        }
        try await subscription.open()
        return subscription
    }

    private static func stream(
        _ selector: Selector, _ since: String, _ filter: EventFilter, isEndless: Bool,
        _ configuration: ClientConfiguration, to feed: StreamFeed
    ) throws(ClientError) -> Transfer {
        var target = TargetPath("topics", "\(selector)")
            .with("as", "ndjson").with("since", since)
            .with("wait", isEndless ? nil : "0")
        for field in FilterField.all {
            target = target.with(WireFilter.row(field).name, filter[field])
        }
        for (name, text) in filter.attributes.parameters { target = target.with(name, text) }
        let authorization = try configuration.authorization()
        return Transfer(
            .get, target.text, at: configuration.address, headers: authorization.headers,
            millisecondsMax: nil, isForKnown: authorization.isForKnown, to: feed)
    }

    /// The newest visible id, which the bus tells callers that may read `selector`.
    ///
    /// - Throws: `ClientError`.
    public func newest(of selector: Selector) async throws(ClientError) -> EventID {
        let answer = try await answer(.head, TargetPath("topics", "\(selector)"))
        guard let text = answer.head["event-cursor"], let id = EventID(decimal: text) else {
            // A HEAD has no body that says why: the same question with one does.
            throw .refused(
                try await self.answer(
                    .get,
                    TargetPath("topics", "\(selector)").with("wait", "0")
                        .with("as", "json").with("max", "1")
                ).refusal)
        }
        return id
    }
}
