import TestSupport
import Topics
import Work

/// The steps of requesters.
extension BusSimulation {
    /// Publishes an event and waits for the reply of a worker.
    func request(using random: inout SeededRandom) throws {
        let text = "\(model.batches.count).0"
        let batch = PublishBatch(
            topic: try TopicName(SimulatedTopics.asked), payloads: [Payload(Array(text.utf8))])
        let number = model.asked(
            BusModel.Batch(topic: SimulatedTopics.asked, key: nil, texts: [text]))
        let span = Int64.random(in: 1_000_000...20_000_000, using: &random)
        note("request \(text), \(span) µs")
        let asked = lives
        // The bus holds the request for as long as it waits.
        _ = life.groups.ask(batch, within: span) { [self] outcome in
            guard asked == lives else { return }
            note("request \(text) is told \(outcome)")
            switch outcome {
            case .success(let reply): model.replied(number, reply.payload.text)
            case .failure(.replyTimeout): model.requestEnded(number, at: time.passed)
            case .failure(.noResponder), .failure(.bus): model.refused(number)
            case .failure(let error): model.fail("the request \(text) is told \(error)")
            }
        }
    }
}
