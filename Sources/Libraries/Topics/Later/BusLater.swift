extension EventBus {
    /// Holds events until they are due. Then they become visible together, within a second, at the place that
    /// they take then.
    ///
    /// `then` gets their ticket, before this returns or on a thread of the store. After a failure they are not
    /// held, and never will be. A repeat with the key of events that are held, or were, gets the ticket that
    /// they had.
    ///
    /// - Complexity: O(events).
    package func hold(
        _ held: HeldBatch, then: @escaping @Sendable (Result<HoldReceipt, BusError>) -> Void
    ) {
        let batch = held.batch
        let room = room
        do throws(BusError) {
            try withLog { log throws(BusError) in try log.prepareHold(batch, room: room) }
        } catch {
            return refuse(held, error, then)
        }
        store.commit(.hold(held)) { [self] outcome in
            if case .success(.held(let head, let other)) = outcome {
                let now = clock.now()
                withLater { log in
                    if let other { log.endHold(other, .cancelled, at: now) }
                    log.hold(head)
                }
                return then(
                    .success(HoldReceipt(ticket: head.ticket, due: head.due, isRepeated: false)))
            }
            withLog { $0.release(batch.topic, by: batch.sender.uid) }
            switch outcome {
            case .success(.unpublished(let answer)): then(Self.receipt(of: held, answer))
            case .success(.refused(let error)): then(.failure(error))
            case .success(.known(let head)):
                then(.success(HoldReceipt(ticket: head.ticket, due: head.due, isRepeated: true)))
            case .success:
                preconditionFailure("the store held events of \(batch.topic) as something else")
            case .failure(let error) where error.isOfTheStore: refuse(held, error, then)
            case .failure(let error): then(.failure(error))
            }
        }
    }

    /// Refuses events, unless they are held already or were: their publisher would take them for absent.
    private func refuse(
        _ held: HeldBatch, _ error: BusError,
        _ then: @escaping @Sendable (Result<HoldReceipt, BusError>) -> Void
    ) {
        refuse(held.batch, error) { outcome in then(outcome.map { Self.receipt(of: held, $0) }) }
    }

    /// The outcome for events whose key was given before.
    private static func receipt(
        of held: HeldBatch, _ answer: KeyTable.Answer
    ) -> Result<HoldReceipt, BusError> {
        guard let outcome = outcome(of: answer) else {
            preconditionFailure("the store kept new events for itself")
        }
        return outcome.map { receipt(of: held, $0) }
    }

    private static func receipt(of held: HeldBatch, _ known: PublishReceipt) -> HoldReceipt {
        HoldReceipt(ticket: known.first, due: held.due(from: known.time), isRepeated: true)
    }

    /// Cancels the events that are held by a ticket for a topic.
    ///
    /// `then` gets how the ticket ended: cancelled by this, or otherwise before. The order decides between a
    /// cancellation and the moment at which events are due.
    package func cancel(
        _ ticket: EventID, of topic: TopicName,
        then: @escaping @Sendable (Result<HeldEnd, BusError>) -> Void
    ) {
        store.commit(.cancel(ticket, topic)) { [self] outcome in
            switch outcome {
            case .success(.cancelled(let ending, let head)):
                guard let head else { return then(.success(HeldEnd(ending, of: topic))) }
                let now = clock.now()
                withLater { $0.endHold(head.ticket, .cancelled, at: now) }
                then(.success(.cancelled))
            case .success: preconditionFailure("the store took a cancellation as something else")
            case .failure(let error): then(.failure(error))
            }
        }
    }

    /// The ticket of the schedule of a name; nil where there is none.
    package func ticket(of name: String, for topic: TopicName) -> EventID? {
        withLog { $0.later.table.ticket(of: name, topic) }
    }

    /// Batches that are held for a topic, by their tickets.
    ///
    /// - Parameters:
    ///   - after: The ticket behind which to begin.
    ///   - countMax: How many at most.
    ///   - isShown: Whether the caller may see one.
    /// - Complexity: O(batches that are looked at), under the lock: at most `Limits.heldLooksMax`.
    package func held(
        for topic: TopicName, after: EventID, countMax: Int, where isShown: (HeldHead) -> Bool
    ) -> (heads: [HeldHead], next: EventID?) {
        withLog { log in
            let tickets = log.later.table.tickets(of: topic)
            var heads: [HeldHead] = []
            var index = tickets.place(of: EventID(rawValue: after.rawValue + 1))
            let end = min(tickets.count, index + Limits.heldLooksMax)
            while index < end, heads.count < countMax {
                if let head = log.later.table[tickets[index]], isShown(head) { heads.append(head) }
                index += 1
            }
            return (heads, index < tickets.count ? tickets[index - 1] : nil)
        }
    }

    /// Whether anything is held for a topic.
    package func holdsAny(for topic: TopicName) -> Bool {
        withLog { $0.later.table.holdsAny(for: topic) }
    }

    /// The events that are held by a ticket for a topic, or how it ended.
    package func held(_ ticket: EventID, for topic: TopicName) -> HeldState {
        withLog { log in
            if let head = log.later.table[ticket], head.topic == topic { return .held(head) }
            return .ended(HeldEnd(log.later.table.ending(of: ticket), of: topic))
        }
    }

    /// Reads the events that a ticket holds, as they will be published, with the time at which they are due. Of many
    /// it reads the first.
    ///
    /// `then` gets none where they are held no more. It is called before this returns, or on a thread of the store.
    package func readHeld(
        _ head: HeldHead, after: EventID? = nil, _ limit: ReadLimit, for client: StoreClient,
        then: @escaping @Sendable (Result<[Event], BusError>) -> Void
    ) {
        let first = head.ticket.rawValue
        var read = StoreRead(
            start: .after(after ?? EventID(rawValue: first - 1)),
            through: EventID(rawValue: first + UInt64(head.count) - 1),
            selector: Selector(head.topic), filter: .all, limit: limit)
        read.client = client
        read.isOfHeld = true
        store.read(read) { outcome in
            then(
                outcome.map { page in
                    page.events.map {
                        Event(
                            id: $0.id, time: head.due, topic: head.topic, payload: $0.payload,
                            metadata: head.metadata, sender: head.sender, isStored: $0.isStored)
                    }
                })
        }
    }

    /// How many batches are held, and for how long the next one has been due.
    package var later: (count: Int, overdueMicroseconds: Int) {
        let moment = moment
        return withLog { log in
            let next = log.later.table.next(at: moment)
            return (log.later.table.count, Int(next?.overdue(at: moment) ?? 0))
        }
    }

    /// How many batches are held.
    package var laterCount: Int { withLog { $0.later.table.count } }

    private var moment: LaterTable.Moment {
        LaterTable.Moment(time: clock.now(), now: bootClock.now())
    }

    /// Has the store make the events visible that are due; nothing where none are. A store that refuses is
    /// asked again by the next sweep.
    func releaseDue() {
        let (moment, now) = (moment, bootClock.now())
        guard !store.capabilities.isShared,
            withLog({ log in
                log.later.table.next(at: moment) != nil || log.isSilenceDue(at: now)
            })
        else { return }
        store.commit(.release(bootClock.now())) { [weak self] outcome in
            guard let self, case .success(.released(let batches, let isMore)) = outcome else {
                return
            }
            for batch in batches { show(batch) }
            if isMore { releaseDue() }
        }
    }

    func show(_ batch: ReleasedBatch) {
        let (now, first) = (clock.now(), batch.events[0])
        withLater { log in
            if let next = batch.next {
                log.later.goOn(next)
            } else if let ticket = batch.ticket {
                log.endHold(ticket, .published(first.id), at: now)
            }
        }
        show(batch.events, owner: first.sender.uid, isAnnouncement: batch.ticket == nil)
    }

    /// Runs a verb that changes held events, and counts the memory that it takes.
    @discardableResult
    func withLater<Value>(_ verb: (inout EventLog) -> Value) -> Value {
        let (value, growth) = withLog { log in
            (verb(&log), log.later.takeGrowth(withPayloads: !log.keepsOlder))
        }
        charge(growth, to: .later)
        return value
    }
}

/// The place of events that are held.
public struct HoldReceipt: Hashable, Sendable {
    /// Names them.
    public let ticket: EventID
    /// When they are due.
    public let due: Timestamp
    /// Whether a request with the same key held them before.
    public let isRepeated: Bool
}

/// How held events ended.
public enum HeldEnd: Hashable, Sendable {
    /// They were cancelled.
    case cancelled
    /// They are in the log, from this id on.
    case published(EventID)
    /// Nobody knows of them, or not any more.
    case unknown

    /// The end of a ticket, as far as it is one of this topic.
    init(_ ending: LaterTable.Ending?, of topic: TopicName) {
        guard let ending, ending.topic == topic else {
            self = .unknown
            return
        }
        switch ending.outcome {
        case .published(let id): self = .published(id)
        case .cancelled: self = .cancelled
        }
    }
}

/// Whether something is held.
package enum HeldState: Sendable {
    /// It is.
    case held(HeldHead)
    /// It is not.
    case ended(HeldEnd)
}
