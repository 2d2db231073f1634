extension EventLog {
    /// Takes over whether a topic is silent, as its store kept it.
    mutating func takeOver(_ silence: Silence?, of topic: TopicName) {
        guard let silence, let record = records[topic] else { return }
        change(record, to: silence)
    }

    /// A topic has settings: it is expected to have an event within a time, or nil for never.
    mutating func expect(_ expect: Int64?, of topic: TopicName, at time: Timestamp, now: Int64) {
        guard let record = records[topic] else { return }
        var silence = record.silence
        silence.follow(expect, at: time, now: now)
        change(record, to: silence)
    }

    /// Events of a topic arrived. Copies of announcements are not among those that are expected.
    ///
    /// - Parameters:
    ///   - isAnnouncement: Whether the bus says by them that the topic is silent, or is not any more.
    ///   - now: The clock that nobody sets. It is read for topics alone that are expected to have events.
    mutating func hear(_ events: [Event], isAnnouncement: Bool, now: () -> Int64) {
        guard let record = records[events[0].topic], var silence = record.silence else { return }
        if isAnnouncement {
            // The store knows the time of the last event: clocks of hosts differ.
            silence.announced(by: events[0].metadata)
            // Lists of topics show it.
            noteChange(of: record)
        } else {
            guard !events[0].metadata.isOfSilence else { return }
            silence.hear(at: events[events.count - 1].time, now: now())
        }
        change(record, to: silence)
    }

    private mutating func change(_ record: TopicRecord, to silence: Silence?) {
        expectedCount += (silence == nil ? 0 : 1) - (record.silence == nil ? 0 : 1)
        statistics.silent +=
            (silence?.since == nil ? 0 : 1) - (record.silence?.since == nil ? 0 : 1)
        record.silence = silence
        silences.note(silence, of: record.name)
    }

    /// Forgets whether a topic is silent, which is gone.
    mutating func forgetSilence(of record: TopicRecord) { change(record, to: nil) }

    /// Whether the store is to say of a topic that it is silent, or is not any more.
    func isSilenceDue(at now: Int64) -> Bool { silences.first(by: now) != nil }
}
