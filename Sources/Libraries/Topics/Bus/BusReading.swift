internal import Glibc

extension EventBus {
    /// The newest visible id. All completed publishes and removals lie at or below it.
    public var newest: EventID {
        withLog { $0.newest }
    }

    /// The position of a reader that begins at `start`.
    ///
    /// Events that retention removes between this and the first read are told as a gap, even for
    /// starts that never tell one by themselves. `read(from:matching:filter:limit:)` finds the
    /// position and reads at one moment.
    ///
    /// - Complexity: O(log events) for one topic; O(topics × terms) for patterns, and for `last`
    ///   O(events looked at), in bounded turns under the lock.
    public func position(
        _ start: StartPosition, matching selector: Selector, filter: EventFilter
    ) -> LogPosition {
        let read = longRead(from: start, matching: selector, filter: filter, limit: .standard)
        while true {
            _ = turn(of: read)
            if let begin = read.begin { return begin }
        }
    }

    /// Reads the events from `start` on. Finds the position and reads at one moment, so a start
    /// that never tells a gap tells none here.
    ///
    /// - Complexity: That of finding the position, plus that of reading from it.
    public func read(
        from start: StartPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) -> LogRead {
        run(longRead(from: start, matching: selector, filter: filter, limit: limit))
    }

    /// Reads the events after `position`, within `limit`.
    ///
    /// - Complexity: O(log events of the topic + events read); for patterns also O(topics with
    ///   events after the position × terms), and O(topics × terms) where topics have lost events
    ///   after it. Events that a filter skips are looked at too. It holds the lock in bounded
    ///   turns.
    public func read(
        _ position: LogPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) -> LogRead {
        var position = position
        return shortRead(&position, matching: selector, filter: filter, limit: limit)
            ?? run(longRead(position, matching: selector, filter: filter, limit: limit))
    }

    /// A read in one hold of the lock, where that is enough: of one topic, or of `news` that
    /// ``LogNews/concerns(_:)`` the reader. Nil elsewhere, and where the filter skips many events:
    /// a ``longRead(_:matching:filter:limit:)`` goes on from `position`, which moves where nothing
    /// before it is wanted.
    ///
    /// This is the one place that chooses the way of a read from a position.
    ///
    /// - Complexity: O(log events of the topic, or topics of the news, + events read), however many
    ///   topics or patterns there are. At most ``Limits/examinedEventsMax`` events are skipped.
    package func shortRead(
        _ position: inout LogPosition, matching selector: Selector, of news: LogNews? = nil,
        filter: EventFilter, limit: ReadLimit
    ) -> LogRead? {
        var batch = ReadBatch(filter: filter, limit: limit)
        let start = position
        let found: LogRead?
        if let news, news.concerns(start) {
            let now = clock.now()
            found = withLog { $0.read(start, of: news, &batch, now: now) }
        } else if let name = selector.singleName, start.isResolved {
            let now = clock.now()
            found = withLog { $0.read(start, name, &batch, now: now) }
        } else {
            return nil
        }
        if found == nil, batch.events.isEmpty { position = batch.reached(from: start) }
        return found
    }

    private func run(_ read: SelectorRead) -> LogRead {
        while true {
            switch turn(of: read) {
            case .done(let read): return read
            case .ask: return .older(read.position)
            case .goOn: Self.pause()
            }
        }
    }

    /// Sleeps for a moment between two turns, so that waiting threads get the lock.
    package static func pause() { usleep(Limits.turnPauseMicroseconds) }

    /// A read of the events from `start` on; the caller runs it turn by turn.
    package func longRead(
        from start: StartPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit
    ) -> SelectorRead {
        SelectorRead(from: start, selector, filter, limit, now: clock.now())
    }

    /// The same for the events after `position`.
    package func longRead(
        _ position: LogPosition, matching selector: Selector, filter: EventFilter, limit: ReadLimit
    ) -> SelectorRead {
        SelectorRead(from: position, selector, filter, limit, now: clock.now())
    }

    /// Counts the events behind a position, up to 1,000; nil where only the store knows, or where
    /// the count takes more than one turn. Adds the steps that it took, some 30 ns to 200 ns each.
    package func count(
        behind position: LogPosition, matching selector: Selector, filter: EventFilter,
        _ steps: inout Int
    ) -> Int? {
        let limit = ReadLimit(events: Limits.countedBehindMax, bytes: .max)
        let read = longRead(position, matching: selector, filter: filter, limit: limit)
        while true {
            var left = Int.max
            let turn = turn(of: read, &left)
            steps += .max - left
            switch turn {
            case .done(.events(let events, _, _)): return events.count
            case .done(.caughtUp): return 0
            case .done(.gap): continue
            case .done(.older), .ask, .goOn: return nil
            }
        }
    }

    /// One turn of a read, under the lock.
    package func turn(of read: SelectorRead) -> SelectorRead.Turn {
        var left = Limits.turnStepsMax
        return turn(of: read, &left)
    }

    /// The same, of at most `left` steps; the steps that it took are subtracted from `left`.
    package func turn(of read: SelectorRead, _ left: inout Int) -> SelectorRead.Turn {
        let now = clock.now()
        let stepsMax = min(left, Limits.turnStepsMax)
        var stepsLeft = stepsMax
        let turn = withLog { read.turn(&$0, now: now, &stepsLeft) }
        tasks.reads.countTurn(of: stepsMax - stepsLeft)
        left -= stepsMax - stepsLeft
        return turn
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
        readStore(
            position, matching: selector, filter: filter, limit: limit, for: .process, then: then)
    }

    /// The same for a client, in the turns of its user.
    package func readStore(
        _ position: LogPosition, matching selector: Selector, filter: EventFilter,
        limit: ReadLimit, for client: StoreClient,
        then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        let read = longRead(position, matching: selector, filter: filter, limit: limit)
        finish(read, for: client, then)
    }

    /// Runs a read until it has its next result, through all its turns and with the pages that only
    /// the store has. The result is never `.older`. `then` runs before this returns or on a thread
    /// of the store.
    package func finish(
        _ read: SelectorRead, for client: StoreClient,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        while true {
            switch turn(of: read) {
            case .goOn: Self.pause()
            case .done(let found): return then(.success(found))
            case .ask(let request):
                return readPage(request, for: client) { [self] outcome in
                    switch outcome {
                    case .failure(let error): then(.failure(error))
                    case .success(let page):
                        read.take(page)
                        finish(read, for: client, then)
                    }
                }
            }
        }
    }

    /// Reads a page that only the store has, for ``SelectorRead/take(_:)``; `then` runs before this
    /// returns or on a thread of the store, which waits for it.
    package func readPage(
        _ request: StoreRead, for client: StoreClient = .process,
        _ then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        var request = request
        request.client = client
        store.read(request, then: then)
    }

    /// The gap that a reader at a position of a selector has to be told; nil where there is none.
    ///
    /// Unlike that of a read it follows from the losses of the topics alone, and from nothing that a host remembers:
    /// on an order that hosts share it is the same on all of them.
    ///
    /// - Complexity: O(topics × terms), where any topic has lost events after the position; in turns.
    package func gap(at position: LogPosition, of selector: Selector) -> Gap? {
        var position = position
        // Nobody gets events that retention has removed.
        position.isWaiting = false
        var scan = TopicScan(of: selector, .position(position))
        while true {
            let now = clock.now()
            var steps = Limits.turnStepsMax
            let isOver = withLog { scan.goOn(in: &$0, now: now, &steps) }
            tasks.reads.countTurn(of: Limits.turnStepsMax - steps)
            if isOver { break }
            Self.pause()
        }
        let floor = withLog { $0.tombstones.floor }
        let lost = max(scan.losses.removedThrough, floor.removedThrough)
        guard lost > max(position.after, position.reportedThrough) else { return nil }
        return Gap(after: position.after, through: lost)
    }

    // MARK: Subscriptions

    /// Checks that all names of a selector exist, on a bus that makes no topics by itself.
    ///
    /// - Throws: `BusError.topicUnknown` for a name that does not exist, unless `autocreate`.
    package func checkSubscribable(_ selector: Selector) throws(BusError) {
        try withLog { log throws(BusError) in try log.checkSubscribable(selector) }
    }

    /// Counts one more subscription, until `endSubscription` with the same selector.
    ///
    /// - Returns: The newest id of the bus, or of the topic if the selector is one name. Later
    ///   events count this subscription (``Admission/subscribers``). Events up to this id that
    ///   became visible after an earlier read may not count it.
    @discardableResult
    package func beginSubscription(_ selector: Selector) -> EventID {
        withLog { $0.beginSubscription(selector) }
    }

    /// Counts one subscription less.
    ///
    /// - Parameter isForgotten: False keeps the selector in the table until
    ///   ``forgetSubscriptions(to:)``. Counting then takes O(1), however many terms it has.
    package func endSubscription(_ selector: Selector, isForgotten: Bool = true) {
        withLog { $0.endSubscription(selector, isForgotten: isForgotten) }
    }

    /// Forgets a selector, if there is no subscription to it.
    package func forgetSubscriptions(to selector: Selector) {
        withLog { $0.subscribers.forget(selector) }
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

    /// A summary of the topics of a selector, and the newest visible id when the look began.
    ///
    /// - Complexity: O(1) for one name, else O(topics × terms), in bounded turns under the lock.
    public func summary(of selector: Selector) -> SelectorSummary {
        let survey = summing(selector)
        finish(survey)
        return survey.summary
    }

    /// All topics, or those that a pattern matches, sorted by name, and the newest visible id when
    /// the look began. Each topic is as it was at that moment or later, so a reader that goes on
    /// from that id misses nothing.
    ///
    /// - Complexity: O(topics × log topics), in bounded turns under the lock.
    public func topics(
        matching pattern: TopicPattern?
    ) -> (topics: [TopicDescription], cursor: EventID) {
        let survey = listing(matching: pattern)
        finish(survey)
        return (survey.topics, survey.cursor)
    }

    /// A list of topics; the caller runs it turn by turn.
    package func listing(matching pattern: TopicPattern?) -> TopicSurvey<[TopicDescription]> {
        TopicSurvey(matching: pattern, now: clock.now())
    }

    /// The first topics of a selector; the caller runs the look turn by turn.
    package func sample(of selector: Selector, atMost countMax: Int) -> TopicSurvey<TopicSample> {
        TopicSurvey(of: selector, atMost: countMax, now: clock.now())
    }

    /// The topics of a selector that changed since a moment; all of them if that is nil, or if the
    /// changes are not known any more. The caller runs the look turn by turn.
    package func changes(since moment: ListMoment?, matching selector: Selector) -> TopicChanges {
        TopicChanges(since: moment, of: selector, now: clock.now())
    }

    /// A summary of a selector; the caller runs it turn by turn.
    package func summing(_ selector: Selector) -> TopicSurvey<SelectorSummary> {
        TopicSurvey(summing: selector, now: clock.now())
    }

    /// One turn of a look at topics, under the lock; true where another is needed.
    package func turn<Gathered>(of survey: TopicSurvey<Gathered>) -> Bool {
        var left = Limits.turnStepsMax
        let goesOn = withLog { survey.turn(&$0, &left) }
        tasks.lists.countTurn(of: Limits.turnStepsMax - left)
        return goesOn
    }

    /// One turn of a look at changed topics, under the lock; true where another is needed.
    package func turn(of changes: TopicChanges) -> Bool {
        var left = Limits.turnStepsMax
        let goesOn = withLog { changes.turn(&$0, &left) }
        tasks.lists.countTurn(of: Limits.turnStepsMax - left)
        return goesOn
    }

    private func finish<Gathered>(_ survey: TopicSurvey<Gathered>) {
        while turn(of: survey) { Self.pause() }
    }

    /// Looks up one id in one topic: its event, or why there is none.
    ///
    /// - Complexity: O(log events of the topic).
    public func event(_ id: EventID, in topic: TopicName) -> EventLookup {
        let now = clock.now()
        return withLog { $0.event(id, in: topic, now: now) }
    }
}
