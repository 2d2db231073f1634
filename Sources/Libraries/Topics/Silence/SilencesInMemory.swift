/// The topics that a store without a disk expects to have events.
struct SilencesInMemory {
    private var silences: [TopicName: Silence] = [:]
    private var queue = SilenceQueue()

    /// A topic has settings: it is expected to have an event within a time, or never, or as before.
    mutating func apply(
        _ change: SettingsChange, to topic: TopicName, at time: Timestamp, _ now: () -> Int64
    ) {
        // Nothing is expected of a topic that is new to this table, nor of one that keeps that.
        guard !change.kept.contains(.expect) else { return }
        let expect = change.settings.expect
        guard expect != nil || silences[topic] != nil else { return }
        silences[topic].follow(expect, at: time, now: now())
        queue.note(silences[topic], of: topic)
    }

    /// A topic has an event of a publisher.
    mutating func hear(_ topic: TopicName, at time: Timestamp, _ now: () -> Int64) {
        // Few topics are expected to have events.
        guard !silences.isEmpty, silences[topic] != nil else { return }
        silences[topic]?.hear(at: time, now: now())
        queue.note(silences[topic], of: topic)
    }

    /// The next topic of those of which the bus is to say something.
    func first(by now: Int64) -> (topic: TopicName, silence: Silence)? {
        queue.first(by: now).flatMap { topic in silences[topic].map { (topic, $0) } }
    }

    /// The announcement of a topic is in the log.
    mutating func announced(_ topic: TopicName) {
        silences[topic]?.announced()
        queue.note(silences[topic], of: topic)
    }

    /// A topic was removed.
    mutating func drop(_ topic: TopicName) {
        guard silences.removeValue(forKey: topic) != nil else { return }
        queue.note(nil, of: topic)
    }
}
