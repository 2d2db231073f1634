import TestSupport
import Topics

/// A writer of the register, which publishes under the version that it was told last.
struct RegisterWriter {
    /// The condition that holds for this version; nil where the writer has to look.
    var known: PublishCondition?
    /// Its last batch with a key, which it sends again now and then.
    var keyed: (number: Int, batch: PublishBatch)?
}

/// A publish of a writer that is under way.
private struct RegisterWrite: Sendable {
    let number: Int
    let batch: PublishBatch
    let writer: Int
    /// The newest event of the register that anybody was told before.
    let known: EventID
}

/// The steps of writers, which publish to one topic under conditions.
extension WorkingRun {
    /// Some writers publish at once: each knows nothing of the others.
    func contend(using random: inout SeededRandom) throws {
        let count = Int.random(in: 2...4, using: &random)
        for index in writers.indices.shuffled(using: &random).prefix(count) {
            guard let desk = desk(using: &random) else { continue }
            try write(index, at: desk, using: &random)
        }
    }

    /// A writer publishes an event, mostly under the version that it knows, or sends its last batch with a key again.
    private func write(_ index: Int, at desk: Desk, using random: inout SeededRandom) throws {
        let isRepeat = Int.random(in: 0..<4, using: &random) == 0
        let choice = Int.random(in: 0..<8, using: &random)
        if isRepeat, let (number, batch) = writers[index].keyed {
            note("writer \(index) sends \(number) again at \(desk.host)")
            _ = model.repeats(number)
            return send(batch, number, by: index, to: desk)
        }
        let topic = try TopicName(SimulatedTopics.register)
        let condition: PublishCondition? =
            switch choice {
            case 0: nil
            case 1: .isNew
            case 2: .exists
            default: writers[index].known ?? look(at: topic, on: desk.bus)
            }
        let text = "\(model.batches.count).0"
        let batch = PublishBatch(
            topic: topic, metadata: .none, sender: Sender(uid: 1, pid: nil),
            payloads: [Payload(Array(text.utf8))], idempotencyKey: model.nextKey(),
            condition: condition)
        let number = model.asked(BusModel.Batch(topic: topic.text, key: nil, texts: [text]))
        model.register.asked(text, under: condition)
        if batch.idempotencyKey != nil { writers[index].keyed = (number, batch) }
        note("writer \(index) publishes \(text) at \(desk.host): \(String(describing: condition))")
        send(batch, number, by: index, to: desk)
    }

    /// The condition under which the register is as a bus has it at this moment.
    private func look(at topic: TopicName, on bus: EventBus) -> PublishCondition {
        let version = bus.version(of: topic)
        if version.newest > .zero { model.register.saw(version.newest) }
        return version.condition
    }

    private func send(_ batch: PublishBatch, _ number: Int, by index: Int, to desk: Desk) {
        // It looks again, unless an answer comes before it publishes more.
        writers[index].known = nil
        let write = RegisterWrite(
            number: number, batch: batch, writer: index, known: model.register.newest)
        var sent = batch
        if let condition = batch.condition {
            if shows(.ignoresConditions, each: 2) { sent = batch.withoutCondition }
            if shows(.judgesConditionsEarly, each: 1) {
                let version = desk.bus.version(of: batch.topic)
                if let refusal = version.refusal(of: condition) {
                    return end(write, .failure(refusal))
                }
                sent = batch.withoutCondition
            }
        }
        let visit = desk.visit
        desk.bus.publish(sent) { [self] outcome in
            guard visit.isThere() else { return }
            end(write, outcome)
        }
    }

    /// Takes the answer to a publish of a writer.
    private func end(_ write: RegisterWrite, _ outcome: Result<PublishReceipt, BusError>) {
        let number = write.number
        switch outcome {
        case .success(let receipt):
            note("published \(number) at \(receipt.first)")
            model.answered(number, first: receipt.first.rawValue, last: receipt.last.rawValue)
            model.register.saw(receipt.last)
            writers[write.writer].known = .newest(receipt.last)
        case .failure(.unanswered): note("unanswered \(number)")
        case .failure(let error):
            note("refused \(number): \(error)")
            model.refused(number)
            guard case .conditionFailed(let newest) = error else { return }
            let finding = model.register.refused(
                write.batch.payloads[0].text, at: newest, knowing: write.known)
            if let finding { model.fail(finding) }
            writers[write.writer].known = newest.map { PublishCondition.newest($0) } ?? .isNew
        }
    }

    /// Everything that came to rest in the register is right, and a bus has the version of it.
    func checkRegister(on bus: EventBus, after floor: UInt64) throws {
        guard model.finding == nil else { return }
        let topic = SimulatedTopics.register
        guard let events = try events(of: topic, on: bus, after: floor)?.events else {
            return model.fail("\(topic) cannot be read")
        }
        if let finding = model.register.finding(in: events) { model.fail(finding) }
        let (newest, last) = (bus.version(of: try TopicName(topic)).newest, events.last?.id)
        if newest != last ?? .zero {
            model.fail("the version of \(topic) is \(newest), and its last event is another one")
        }
    }
}

extension PublishBatch {
    /// The same, as a publisher without a condition sends it.
    fileprivate var withoutCondition: PublishBatch {
        PublishBatch(
            topic: topic, metadata: metadata, sender: sender, payloads: payloads,
            idempotencyKey: idempotencyKey)
    }
}
