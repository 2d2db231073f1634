import TestSupport
import Topics

/// A batch that is held, as its publisher knows it.
struct HeldTicket {
    let number: Int
    let topic: TopicName
    let ticket: EventID
}

/// The steps of publishers whose events are held until they are due.
extension WorkingRun {
    /// A publisher has events held for topics that lose none, or cancels some.
    ///
    /// - Parameters:
    ///   - now: The time by which events are due.
    ///   - isThere: Whether an answer reaches it still.
    func hold(
        on bus: EventBus, at now: Timestamp, whileThere isThere: @escaping @Sendable () -> Bool,
        using random: inout SeededRandom
    ) throws {
        if Bool.random(using: &random),
            let index = tickets.indices.randomElement(using: &random)
        {
            return cancel(tickets.remove(at: index), on: bus, whileThere: isThere)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            return try schedule(on: bus, at: now, using: &random)
        }
        let topic = SimulatedTopics.unbounded.randomElement(using: &random)!
        let number = model.batches.count
        let texts = (0..<Int.random(in: 1...3, using: &random)).map { "\(number).\($0)" }
        let span = Int64.random(in: 0...20_000_000, using: &random)
        let moment: DueTime =
            Bool.random(using: &random)
            ? .after(microseconds: span) : .at(now.advanced(microseconds: span - 2_000_000))
        let batch = PublishBatch(
            topic: try TopicName(topic),
            sender: Sender(uid: UInt32.random(in: 1...3, using: &random), pid: nil),
            payloads: texts.map { Payload(Array($0.utf8)) })
        _ = model.asked(BusModel.Batch(topic: topic, key: nil, texts: texts))
        note("hold \(texts) for \(topic): \(moment)")
        if shows(.losesHeld, each: 2) { return model.held(number, until: now) }
        if shows(.releasesEarly, each: 2) {
            bus.publish(batch) { _ in }
            return model.held(number, until: now.advanced(microseconds: 20_000_000))
        }
        bus.hold(HeldBatch(batch, ttl: nil, at: moment)) { [self] outcome in
            guard isThere() else { return }
            switch outcome {
            case .success(let receipt):
                note("held \(number) by \(receipt.ticket) until \(receipt.due)")
                model.held(number, until: receipt.due)
                tickets.append(
                    HeldTicket(number: number, topic: batch.topic, ticket: receipt.ticket))
            case .failure(.unanswered): note("unanswered \(number)")
            case .failure(let error):
                note("not held \(number): \(error)")
                model.refused(number)
            }
        }
    }

    /// A publisher has an event published again and again. One in two has a name, and replaces the one of it.
    private func schedule(
        on bus: EventBus, at now: Timestamp, using random: inout SeededRandom
    ) throws {
        let text = model.schedules.nextText
        let first = now.advanced(microseconds: .random(in: 0...10_000_000, using: &random))
        let every = Int64.random(in: 1_000_000...12_000_000, using: &random)
        let name = ["a", nil].randomElement(using: &random)!
        model.schedules.asked(text, first: first, every: every)
        note("\(text) each \(every) µs from \(first)")
        let batch = PublishBatch(
            topic: try TopicName(SimulatedTopics.ticks), sender: Sender(uid: 1, pid: nil),
            payloads: [Payload(Array(text.utf8))])
        if shows(.ticksTwice, each: 1) {
            // Two of them under one text are one that comes twice.
            let other = Schedule(every: every, name: nil, print: 0)
            bus.hold(HeldBatch(batch, ttl: nil, at: .at(first), schedule: other)) { _ in }
        }
        let schedule = Schedule(every: every, name: name, print: UInt64(model.batches.count))
        bus.hold(HeldBatch(batch, ttl: nil, at: .at(first), schedule: schedule)) { _ in }
    }

    /// Cancels all schedules, so that a run comes to rest.
    func endSchedules(on bus: EventBus) throws {
        let topic = try TopicName(SimulatedTopics.ticks)
        let heads = bus.held(for: topic, after: .zero, countMax: 1_000) { _ in true }.heads
        for head in heads { bus.cancel(head.ticket, of: topic) { _ in } }
    }

    private func cancel(
        _ held: HeldTicket, on bus: EventBus, whileThere isThere: @escaping @Sendable () -> Bool
    ) {
        note("cancel \(held.number)")
        model.cancels(held.number)
        if shows(.cancelsNothing, each: 1) { return model.cancelled(held.number) }
        bus.cancel(held.ticket, of: held.topic) { [self] outcome in
            guard isThere() else { return }
            note("\(held.number): \(outcome)")
            if case .success(.cancelled) = outcome { model.cancelled(held.number) }
        }
    }
}
