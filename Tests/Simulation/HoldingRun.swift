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
