extension EventBus {
    /// The newest visible id; everything that was answered lies at or below it.
    public var newest: EventID {
        withLog { $0.newest }
    }

    /// The position of a reader that begins at `start`.
    ///
    /// What retention removes between this and the first read is a gap even for starts that never
    /// gap by themselves; `read(from:matching:filter:limit:)` does both at one moment.
    ///
    /// - Complexity: O(log events) for one topic; O(topics) for patterns, and for `last` O(events
    ///   looked at).
    public func position(
        _ start: StartPosition, matching selector: Selector, filter: EventFilter
    ) -> LogPosition {
        let now = clock.now()
        var search = BackwardSearch(filter: filter)
        while true {
            if let found = withLog({ $0.start(start, selector, &search, now: now) }) {
                return found
            }
        }
    }

    /// What lies at `start`, at one moment: a start that never gaps never does.
    ///
    /// - Complexity: As finding the position, and reading from it.
    public func read(
        from start: StartPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) -> LogRead {
        let now = clock.now()
        var search = BackwardSearch(filter: filter)
        var batch = ReadBatch(filter: filter, limit: limit)
        while true {
            let turn = withLog { log in
                log.start(start, selector, &search, now: now).map {
                    log.read($0, selector, &batch, now: now)
                }
            }
            switch turn {
            case .done(let read): return read
            case .goOn(let next):
                return self.read(next, matching: selector, batch: batch, now: now)
            case nil: continue
            }
        }
    }

    /// What lies after `position`, within `limit`.
    ///
    /// - Complexity: O(log events of the topic + events read); for patterns also O(topics that
    ///   have events after the position), however many there are that have none. What a filter
    ///   skips is looked at, in bounded turns under the lock.
    public func read(
        _ position: LogPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) -> LogRead {
        read(
            position, matching: selector, batch: ReadBatch(filter: filter, limit: limit),
            now: clock.now())
    }

    private func read(
        _ position: LogPosition, matching selector: Selector, batch: ReadBatch, now: Timestamp
    ) -> LogRead {
        var position = position
        var batch = batch
        while true {
            switch withLog({ $0.read(position, selector, &batch, now: now) }) {
            case .done(let read): return read
            case .goOn(let next): position = next
            }
        }
    }

    /// Reads on after an `.older` answer: from the store, then from memory, without a seam.
    ///
    /// `then` gets events, a gap, or that there is nothing more; never `.older`. It runs before
    /// this returns or on a thread of the store. Wake-ups meanwhile need no answer: the position
    /// that `then` brings finds everything.
    public func readStore(
        _ position: LogPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit, then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        let now = clock.now()
        switch withLog({ $0.olderStep(position, selector, filter, limit, now: now) }) {
        case .read(let resolved):
            let read = read(resolved, matching: selector, filter: filter, limit: limit)
            finish(read, selector, filter, limit, then)
        case .ask(let request):
            store.read(request) { [self] outcome in
                switch outcome {
                case .failure(let error): then(.failure(error))
                case .success(let page):
                    let now = clock.now()
                    let read = withLog {
                        $0.join(page, at: position, selector, filter, limit, now: now)
                    }
                    finish(read, selector, filter, limit, then)
                }
            }
        }
    }

    private func finish(
        _ read: LogRead, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        guard case .older(let next) = read else { return then(.success(read)) }
        readStore(next, matching: selector, filter: filter, limit: limit, then: then)
    }

    // MARK: Subscriptions

    /// Checks that a selector may be read where topics are not made by asking.
    ///
    /// - Throws: `BusError.topicUnknown` for a name that does not exist, unless `autocreate`.
    package func checkSubscribable(_ selector: Selector) throws(BusError) {
        try withLog { log throws(BusError) in try log.checkSubscribable(selector) }
    }

    /// Counts one more subscription, until `endSubscription` with the same selector.
    ///
    /// While there is one to exactly its name, a topic does not vanish.
    package func beginSubscription(_ selector: Selector) {
        withLog { $0.beginSubscription(selector) }
    }

    /// Counts one subscription less.
    package func endSubscription(_ selector: Selector) {
        withLog { $0.endSubscription(selector) }
    }

    /// Subscriptions to exactly this topic; those with wider selectors are not among them.
    package func subscriptions(to topic: TopicName) -> Int {
        withLog { $0.subscriptions(to: topic) }
    }

    // MARK: Topics

    /// One topic as it is; nil if there is none.
    public func description(of topic: TopicName) -> TopicDescription? {
        let now = clock.now()
        return withLog { $0.description(of: topic, now: now) }
    }

    /// What there is of a selector, and the newest visible id, at one moment.
    ///
    /// - Complexity: O(1) for one name, else O(topics).
    public func summary(of selector: Selector) -> SelectorSummary {
        let now = clock.now()
        return withLog { $0.summary(of: selector, now: now) }
    }

    /// All topics, or those a pattern matches, sorted by name, and the newest visible id, at one
    /// moment.
    ///
    /// - Complexity: O(topics × log topics).
    public func topics(
        matching pattern: TopicPattern?
    ) -> (topics: [TopicDescription], cursor: EventID) {
        let now = clock.now()
        let (found, cursor) = withLog {
            ($0.descriptions(matching: pattern, now: now), $0.newest)
        }
        return (found.sorted { $0.name.text < $1.name.text }, cursor)
    }

    /// What became of one id in one topic.
    ///
    /// - Complexity: O(log events of the topic).
    public func event(_ id: EventID, in topic: TopicName) -> EventLookup {
        let now = clock.now()
        return withLog { $0.event(id, in: topic, now: now) }
    }
}
