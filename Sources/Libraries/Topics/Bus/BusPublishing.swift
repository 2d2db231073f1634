extension EventBus {
    /// Publishes a batch: all of its events, in order, or none.
    ///
    /// `then` gets the place of the batch, before this returns or on a thread of the store. By then
    /// the events are visible and observers were told. After a failure they are not in the log and
    /// never will be.
    ///
    /// - Complexity: O(events).
    public func publish(
        _ batch: PublishBatch, then: @escaping @Sendable (Result<PublishReceipt, BusError>) -> Void
    ) {
        let prepared: PreparedBatch
        let room = room
        do throws(BusError) {
            prepared = try withLog { log throws(BusError) in try log.prepare(batch, room: room) }
        } catch {
            return refuse(batch, error, then)
        }
        let entry = StoreEntry.events(
            prepared.batch, persists: prepared.persists, owner: prepared.owner)
        store.commit(entry) { [self] outcome in
            let outcome = finish(prepared, outcome)
            guard case .failure(let error) = outcome, error.isOfTheStore else {
                return then(outcome)
            }
            refuse(batch, error, then)
        }
    }

    /// Refuses a batch. A repeat of events that are there is none to be refused: its publisher would take
    /// them for absent.
    func refuse(
        _ batch: PublishBatch, _ error: BusError,
        _ then: @escaping @Sendable (Result<PublishReceipt, BusError>) -> Void
    ) {
        guard let key = batch.idempotencyKey else { return then(.failure(error)) }
        let question = PublishBatch(
            topic: batch.topic, metadata: .none, sender: batch.sender, payloads: [.empty],
            idempotencyKey: key.asking)
        store.commit(.events(question, persists: false)) { [self] outcome in
            guard case .success(.unpublished(let answer)) = outcome,
                case .success(let receipt)? = Self.outcome(of: answer)
            else { return then(.failure(error)) }
            withLog { $0.statistics.repeated += 1 }
            then(.success(receipt))
        }
    }

    /// The outcome of a publish that a key decides; nil where nothing is remembered.
    static func outcome(
        of answer: KeyTable.Answer
    ) -> Result<PublishReceipt, BusError>? {
        switch answer {
        case .new: nil
        case .repeated(let known): .success(PublishReceipt(known, .repeated))
        case .passed(let known): .success(PublishReceipt(known, .passed))
        case .differs: .failure(.keyDiffers)
        case .full(let isOfUser): .failure(.keysFull(isOfUser: isOfUser))
        }
    }

    /// Publishes a batch and returns its place once it is visible.
    ///
    /// - Throws: `BusError`; the events are then not in the log and never will be.
    public func publish(_ batch: PublishBatch) async throws(BusError) -> PublishReceipt {
        let outcome = await withCheckedContinuation { continuation in
            publish(batch) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    private func finish(
        _ prepared: PreparedBatch, _ outcome: Result<StoreReceipt, BusError>
    ) -> Result<PublishReceipt, BusError> {
        switch outcome {
        case .success(.events(let events)): return .success(admit(prepared, events))
        case .failure(let error):
            withLog { $0.settle(prepared) }
            return .failure(error)
        case .success(.refused(let error)):
            withLog { log in
                log.settle(prepared)
                log.statistics.conditionsFailed += 1
                if case .conditionFailed(let newest) = error {
                    log.takeOver(newest: newest, of: prepared.batch.topic)
                }
            }
            return .failure(error)
        case .success(.unpublished(let answer)):
            guard let outcome = Self.outcome(of: answer) else {
                preconditionFailure("the store kept a new batch for itself")
            }
            withLog { log in
                log.settle(prepared)
                if case .success = outcome { log.statistics.repeated += 1 }
            }
            return outcome
        case .success:
            preconditionFailure(
                "the store took events of \(prepared.batch.topic) as something else")
        }
    }

    /// Makes a batch visible that the store has committed, and tells observers.
    func admit(_ prepared: PreparedBatch, _ events: [Event]) -> PublishReceipt {
        let (subscribers, namesake) = show(events, owner: prepared.owner, settling: prepared)
        let last = events[events.count - 1]
        return PublishReceipt(
            first: events[0].id, last: last.id, count: events.count, time: last.time,
            subscribers: subscribers, standing: .new, namesake: namesake)
    }

    /// Makes the events of one batch visible that the order has, and tells observers.
    ///
    /// - Parameter prepared: The batch that waited here for its place; nil where another host
    ///   published it.
    /// - Parameter isAnnouncement: Whether the bus itself says by it that its topic is silent, or is not any more.
    @discardableResult
    func show(
        _ events: [Event], owner: UInt32?, settling prepared: PreparedBatch? = nil,
        isAnnouncement: Bool = false
    ) -> (subscribers: Int, namesake: TopicName?) {
        let now = clock.now()
        let shown = withLog { log in
            if let prepared { log.settle(prepared) }
            let shown = log.arrive(events, owner: owner, now: now)
            if log.expectedCount > 0 {
                log.hear(events, isAnnouncement: isAnnouncement, now: bootClock.now)
            }
            return shown
        }
        notify(
            events[0].topic, newest: events[events.count - 1].id, .events,
            subscribers: shown.subscribers)
        return shown
    }

    /// Registers a topic, or replaces all settings of one that exists. From then on it stays even
    /// without events, and events beyond the new bounds are removed.
    ///
    /// `then` gets the topic and whether it is new, before this returns or on a thread of the
    /// store.
    public func register(
        _ topic: TopicName, settings: TopicSettings, by sender: Sender,
        then:
            @escaping @Sendable (
                Result<(topic: TopicDescription, isNew: Bool), BusError>
            ) -> Void
    ) {
        register(topic, SettingsChange(settings), by: sender, then: then)
    }

    /// The same, where some settings of a topic that exists may stay.
    package func register(
        _ topic: TopicName, _ change: SettingsChange, by sender: Sender,
        then:
            @escaping @Sendable (
                Result<(topic: TopicDescription, isNew: Bool), BusError>
            ) -> Void
    ) {
        if let expect = change.settings.expect, !Silence.expectations.contains(expect) {
            fatalError(
                "an event is expected within 1,000,000 µs to 365 days, not \(expect) µs: correct "
                    + "'expect' of the settings")
        }
        let isReserved: Bool
        do throws(BusError) {
            isReserved = try withLog { log throws(BusError) in
                try log.prepareRegistration(topic, by: sender.uid)
            }
        } catch {
            return then(.failure(error))
        }
        let owner = sender.uid
        store.commit(.registration(topic, change, owner: owner)) { [self] outcome in
            switch outcome {
            case .failure(let error):
                if isReserved { withLog { $0.release(topic, by: owner) } }
                then(.failure(error))
            case .success(let receipt):
                guard case .registration(let time) = receipt else {
                    preconditionFailure("the store took settings of \(topic) as something else")
                }
                let (registered, isNew) = apply(
                    change, to: topic, owner: owner, at: time, isReserved: isReserved)
                then(.success((description(of: topic) ?? registered, isNew)))
            }
        }
    }

    /// Applies settings that the order has to a topic. Returns the topic, and whether it is new.
    ///
    /// - Parameters:
    ///   - time: The time of the registration.
    ///   - isReserved: Whether the topic has a place that is to be released.
    @discardableResult
    func apply(
        _ change: SettingsChange, to topic: TopicName, owner: UInt32?, at time: Timestamp,
        isReserved: Bool = false
    ) -> (topic: TopicDescription, isNew: Bool) {
        let (now, bootNow) = (clock.now(), bootClock.now())
        retire(topic, at: now)
        let registered = withLog { log in
            if isReserved { log.release(topic, by: owner) }
            let registered = log.register(topic, change, owner: owner, now: now)
            log.expect(registered.topic.expect, of: topic, at: time, now: bootNow)
            return registered
        }
        retire(topic, at: now)
        return registered
    }

    /// Removes all events of a topic that exceed its bounds, some at a time under the lock.
    private func retire(_ topic: TopicName, at now: Timestamp) {
        while withLog({ log in
            log.records[topic].map { log.applyRetention(to: $0, at: now) } ?? false
        }) {}
    }
}
