internal import Topics

/// How jobs that were tried often enough become dead letters.
extension GroupMachine {
    /// A job that goes to the dead topic.
    struct Letter {
        let event: Event
        let attempts: Int
        /// The lease that it was under; nil where its worker asks for the letter.
        var lease: LeaseToken?
        /// Why, in the words of its worker.
        var words: String?
    }

    /// The question whether letters may go to a topic.
    func question(of dead: TopicName) -> LetterQuestion {
        let chooser = record.deadChooser ?? StoredCaller(uid: record.owner, token: nil)
        return LetterQuestion(selector: selector, dead: dead, chooser: chooser)
    }

    /// Why a job became a dead letter, where its worker had no words for it.
    enum Reason: String {
        /// It was tried as often as the group tries.
        case attempts
        /// A worker said so.
        case worker
    }

    /// The event that a dead letter is.
    func batch(of letter: Letter, reason: Reason) -> PublishBatch {
        guard let topic = record.dead else {
            preconditionFailure("\(name) writes dead letters without a dead topic")
        }
        let event = letter.event
        let death: [DeathAttribute: String] = [
            .group: name.text, .topic: event.topic.text, .id: event.id.description,
            .attempts: String(letter.attempts), .reason: letter.words ?? reason.rawValue,
            .hops: String(event.hops + 1),
        ]
        guard let attributes = try? event.metadata.attributes.dying(death) else {
            preconditionFailure("\(name) says of a dead letter what no attribute can have")
        }
        return PublishBatch(
            topic: topic, metadata: event.metadata.with(attributes, expires: nil),
            sender: event.sender, payloads: [event.payload])
    }

    /// Whether a job is not to become a dead letter once more.
    func isCircling(_ id: EventID, _ found: Found) -> Bool {
        guard case .event(let event) = found, event.hops >= Limits.hopsMax else { return false }
        return table.jobs[id]?.mayCircle != true
    }

    /// The jobs that go next, at most so many.
    func burials(countMax: Int) -> [(id: EventID, topic: TopicName)] {
        table.dying.ids.prefix(countMax).compactMap { id in
            table.jobs[id].map { (id, $0.topic) }
        }
    }

    /// Ends jobs that are to become dead letters, by the events that the log has of them.
    mutating func bury(_ found: [EventID: Found], now: Int64) -> [Letter] {
        var letters: [Letter] = []
        for (id, found) in found.sorted(by: { $0.key < $1.key }) {
            guard let job = table.jobs[id], job.queue == .dying else { continue }
            switch found {
            case .gone: lose(id, now: now)
            case .over: close(id, now: now, \.expired)
            case .event(let event):
                letters.append(
                    Letter(
                        event: event, attempts: job.attempt, lease: job.lease, words: job.words))
                close(id, now: now, \.dead)
            }
        }
        return letters
    }
}

extension GroupMachine {
    /// Has a job that may not become a dead letter rest until it is looked at again.
    mutating func rest(_ id: EventID, until due: Int64) {
        guard var job = table.jobs[id] else { return }
        if let token = job.lease { table.release(id, from: token) }
        job.lease = nil
        job.queue = nil
        job.due = due
        table.put(job, at: id)
    }

    /// Forgets the words of workers for jobs that are still to become dead letters: no row has them.
    mutating func forgetWords() {
        for id in table.dying.ids {
            guard var job = table.jobs[id], job.words != nil else { continue }
            job.words = nil
            table.put(job, at: id)
        }
    }
}

extension Event {
    /// How often it became a dead letter.
    fileprivate var hops: Int {
        metadata.attributes[DeathAttribute.hops.rawValue].flatMap { Int($0) } ?? 0
    }
}
