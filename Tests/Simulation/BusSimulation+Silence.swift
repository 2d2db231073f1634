import DiskSupport
import TestSupport
import Topics

/// The steps of topics that are expected to have events.
extension BusSimulation {
    /// A publisher is heard, or somebody expects it within another time, or no more.
    func beHeard(using random: inout SeededRandom) throws {
        let topic = SimulatedTopics.expected.randomElement(using: &random)!
        if Int.random(in: 0..<3, using: &random) == 0 {
            let spans: [Int64?] = [1_000_000, 3_000_000, 10_000_000, 400_000_000, nil]
            return try expect(spans.randomElement(using: &random)!, of: topic)
        }
        let (number, text) = (model.batches.count, "\(model.batches.count).0")
        let batch = PublishBatch(
            topic: try TopicName(topic), sender: Sender(uid: 1, pid: nil),
            payloads: [Payload(Array(text.utf8))])
        _ = model.asked(BusModel.Batch(topic: topic, key: nil, texts: [text]))
        model.silences.asked(text, at: time.passed, sets: time.sets)
        note("publish \(text) to \(topic)")
        publish(batch, number, isThere: false)
        if shows(.forgetsBack, each: 2) { try forgetSilence(of: topic) }
    }

    /// Has a topic be expected to have events within a time, or not.
    func expect(_ expect: Int64?, of topic: String) throws {
        let (lives, passed, sets) = (lives, time.passed, time.sets)
        let persists = topic == SimulatedTopics.quiet
        note("\(topic) is expected to have an event within \(expect ?? 0) µs")
        model.silences.asksToExpect(topic, persists: persists)
        var settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: nil), persists: persists)
        settings.expect = expect
        if let expect, shows(.silencesEarly, each: 1) {
            settings.expect = max(expect / 2, 1_000_000)
        }
        if let expect, shows(.silencesLate, each: 1) { settings.expect = 2 * expect }
        life.bus.register(
            try TopicName(topic), settings: settings, by: Sender(uid: 1, pid: nil)
        ) { [self] outcome in
            guard lives == self.lives else { return }
            let newest = life.bus.newest.rawValue
            let isTaken = if case .success = outcome { true } else { false }
            note("\(topic): \(isTaken ? "so it is" : "it is not") behind \(newest)")
            model.silences.expects(
                topic, isTaken ? (expect, newest) : nil, asked: passed, at: time.passed, sets: sets)
        }
    }

    /// Has the bus forget whether a topic is silent, as a planted fault has it.
    private func forgetSilence(of topic: String) throws {
        guard let expect = model.silences.expect(of: topic) else { return }
        let persists = topic == SimulatedTopics.quiet
        try life.bus.register(topic, persists: persists)
        try life.bus.register(topic, persists: persists, expect: expect)
    }

    /// A life begins, with what it has of its topics.
    func beginToExpect() throws {
        told.observe(life.bus)
        model.silences.begin(
            after: life.bus.newest.rawValue, at: time.passed, sets: time.sets
        ) { topic in
            (try? TopicName(topic)).flatMap { life.bus.description(of: $0)?.expect }
        }
        guard story.fault == .silencesTwice else { return }
        for topic in SimulatedTopics.expected { try forgetSilence(of: topic) }
    }

    /// The disk is well and nothing comes for a while: everything that is due is told.
    func restCalmly(using random: inout SeededRandom) throws {
        life.disk.heal()
        settle()
        let most: Int64 = [1, 3_000_000, 12_000_000, 450_000_000].randomElement(using: &random)!
        let span = Int64.random(in: 1...most, using: &random)
        time.advance(microseconds: span)
        note("\(span) µs pass calmly")
        try checkSilences()
    }

    /// Looks at all that was told of silences, at a time at which the disk is well.
    func checkSilences() throws {
        // A store that refused takes something first.
        for _ in 0..<3 {
            life.bus.sweep()
            life.groups.sweep()
            settle()
        }
        for topic in SimulatedTopics.expected where model.finding == nil {
            // A start loses all events of a topic that does not persist.
            let start = topic == SimulatedTopics.fading ? model.silences.start : floor
            guard let (events, lost) = try events(of: topic, on: life.bus, after: start) else {
                continue
            }
            let isSilent = life.bus.description(of: try TopicName(topic))?.silentSince != nil
            let text = model.silences.finding(
                in: events.map { SilenceModel.Told($0) }, of: topic, lostThrough: lost,
                isSilent: isSilent, told: told.times, at: time.passed)
            if let text { model.fail(text) }
        }
    }
}
