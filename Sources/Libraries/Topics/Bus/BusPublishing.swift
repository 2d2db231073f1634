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
            return then(.failure(error))
        }
        let entry = StoreEntry.events(
            prepared.batch, persists: prepared.persists, owner: prepared.owner)
        store.commit(entry) { [self] outcome in then(finish(prepared, outcome)) }
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
        case .failure(let error):
            withLog { $0.cancel(prepared) }
            return .failure(error)
        case .success(let receipt):
            return .success(admit(prepared, receipt))
        }
    }

    /// Makes a batch visible that the store has committed, and tells observers.
    func admit(_ prepared: PreparedBatch, _ receipt: StoreReceipt) -> PublishReceipt {
        guard case .events(let events) = receipt, !events.isEmpty else {
            preconditionFailure(
                "the store took events of \(prepared.batch.topic) as something else")
        }
        let (first, last) = (events[0].id, events[events.count - 1].id)
        let time = events[events.count - 1].time
        let now = clock.now()
        let (subscribers, namesake) = withLog { $0.admit(events, of: prepared, now: now) }
        notify(prepared.batch.topic, newest: last, .events, subscribers: subscribers)
        return PublishReceipt(
            first: first, last: last, count: events.count, time: time, subscribers: subscribers,
            namesake: namesake)
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
        let isReserved: Bool
        do throws(BusError) {
            isReserved = try withLog { log throws(BusError) in
                try log.prepareRegistration(topic, by: sender.uid)
            }
        } catch {
            return then(.failure(error))
        }
        store.commit(.registration(topic, settings, owner: sender.uid)) { [self] outcome in
            let now = clock.now()
            retire(topic, at: now)
            let registered = withLog { log in
                if isReserved { log.release(topic, by: sender.uid) }
                return outcome.map { _ in
                    log.register(topic, settings, owner: sender.uid, now: now)
                }
            }
            retire(topic, at: now)
            then(
                registered.map { registered in
                    (description(of: topic) ?? registered.topic, registered.isNew)
                })
        }
    }

    /// Removes all events of a topic that exceed its bounds, some at a time under the lock.
    private func retire(_ topic: TopicName, at now: Timestamp) {
        while withLog({ log in
            log.records[topic].map { log.applyRetention(to: $0, at: now) } ?? false
        }) {}
    }
}
