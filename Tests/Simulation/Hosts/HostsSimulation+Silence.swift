import TestSupport
import Topics

/// The steps of topics that are expected to have events, on several hosts.
extension HostsSimulation {
    /// The time within which the quiet topic is expected to have an event, by the clock of the order.
    private static let expect: Int64 = 5_000_000

    /// Has the quiet topic be expected to have events.
    func beginToExpect() throws {
        let expect = story.fault == .silencesEarly ? 2_000_000 : Self.expect
        try hosts[0].life?.bus.register(SimulatedTopics.quiet, expect: expect)
    }

    /// A publisher is heard at a host, or somebody expects another topic within another time, or no more.
    func beHeard(on host: SimulatedHost, using random: inout SeededRandom) throws {
        let topic = SimulatedTopics.expected.randomElement(using: &random)!
        let spans: [Int64?] = [2_000_000, 20_000_000, nil]
        let expect = spans.randomElement(using: &random)!
        let isChange = Int.random(in: 0..<3, using: &random) == 0
        guard let life = host.life else { return }
        if topic == SimulatedTopics.fading, isChange {
            note("\(topic) is expected to have an event within \(expect ?? 0) µs on \(host.name)")
            return try life.bus.register(topic, persists: false, expect: expect)
        }
        try beHeard(in: topic, on: host, life)
    }

    private func beHeard(
        in topic: String, on host: SimulatedHost, _ life: SimulatedHost.Life
    ) throws {
        let (number, text) = (model.batches.count, "\(model.batches.count).0")
        let batch = PublishBatch(
            topic: try TopicName(topic), sender: Sender(uid: 1, pid: nil),
            payloads: [Payload(Array(text.utf8))])
        _ = model.asked(BusModel.Batch(topic: topic, key: nil, texts: [text]))
        note("publish \(text) to \(topic) on \(host.name)")
        publish(batch, number, on: host, life)
        guard shows(.forgetsBack, each: 2), topic == SimulatedTopics.quiet else { return }
        try life.bus.register(topic)
        try life.bus.register(topic, expect: Self.expect)
    }

    /// Nothing comes any more, and one half of the runs begins all hosts anew: the quiet topic is told silent on
    /// all of them, and everything that was told of silences so far was right.
    func checkSilences() throws {
        guard model.finding == nil, let life = hosts[0].life else { return }
        try beHeard(in: SimulatedTopics.quiet, on: hosts[0], life)
        settle()
        if seed % 2 == 0 {
            note("all hosts end and begin")
            for index in readers.indices { readers[index].lostTheBus() }
            for host in hosts { host.end(.kill) }
            for host in hosts { try host.begin() }
            settle()
        }
        let bus = hosts[0].life!.bus
        let last = try events(of: SimulatedTopics.quiet, on: bus, after: Self.floor)?.events.last
        // The time of an order that was set back stands still until its clock is there again.
        let ahead = last.map { $0.time.microseconds - order.clock.now().microseconds } ?? 0
        for _ in 0..<8 + max(0, ahead / 1_000_000) {
            pass(1_100_000)
            settle()
        }
        for topic in SimulatedTopics.expected { try compare(topic) }
        guard let events = try events(of: SimulatedTopics.quiet, on: bus, after: Self.floor)?.events
        else { return model.fail("\(hosts[0].name) does not read its topics") }
        if let text = Self.finding(in: events) { model.fail(text) }
        if events.last?.metadata.type != EventMetadata.silentType {
            model.fail("\(SimulatedTopics.quiet) is silent, and nobody was told")
        }
    }

    /// All hosts have the same events of a topic, and describe it alike.
    private func compare(_ topic: String) throws {
        func words(_ host: SimulatedHost) throws -> [String] {
            guard let bus = host.life?.bus else { return ["no bus"] }
            let since = bus.description(of: try TopicName(topic))?.silentSince
            let events = try events(of: topic, on: bus, after: Self.floor)?.events ?? []
            return events.map {
                "\($0.id) \($0.time) \($0.metadata.type ?? "-") \($0.payload.text)"
            } + ["silent since \(since?.description ?? "-")"]
        }
        let first = try words(hosts[0])
        for host in hosts.dropFirst() {
            let other = try words(host)
            let index = zip(first, other).enumerated().first { $1.0 != $1.1 }?.offset
            guard first.count != other.count || index != nil else { continue }
            let at = index ?? min(first.count, other.count) - 1
            model.fail(
                "\(hosts[0].name) and \(host.name) differ in \(topic): \(first[at]), \(other[at])")
        }
    }

    /// The promise that the events of the quiet topic break, by the time of the order; nil where they break none.
    private static func finding(in events: [Event]) -> String? {
        var (isSilent, heard) = (false, Timestamp?.none)
        for event in events {
            switch event.metadata.type {
            case EventMetadata.silentType:
                if isSilent { return "\(event.id): the topic was silent before" }
                guard
                    let since = event.metadata.attributes["since"].flatMap(Timestamp.init(rfc3339:))
                else { return "\(event.id) does not say since when" }
                if let heard, heard != since { return "\(event.id): not since \(since)" }
                let passed = event.time.microseconds - since.microseconds
                if passed < expect { return "\(event.id) is \(expect - passed) µs early" }
                (isSilent, heard) = (true, nil)
            case EventMetadata.backType:
                guard isSilent, heard != nil else {
                    return "\(event.id): the topic was not silent, or had no event"
                }
                isSilent = false
            default: heard = event.time
            }
        }
        return nil
    }
}
