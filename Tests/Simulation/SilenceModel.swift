import Topics

/// The topics of one bus that are expected to have events, as their publishers know them: what is told of their
/// silence comes once, in order, never early, and in time.
///
/// Times are those that passed, whatever a clock says.
struct SilenceModel {
    /// A topic and the expectations that it had.
    private struct Known {
        let persists: Bool
        var marks: [Mark] = []
        /// Registrations without an answer so far.
        var pending = 0
    }

    /// From an id on, a topic is expected to have an event within a time, or not.
    private struct Mark {
        let after: UInt64
        let expect: Int64?
        /// When it was asked for and answered; nil where nobody knows what came before.
        let span: Span?
    }

    /// Something came about between two times.
    private struct Span {
        let from: Int64
        var through: Int64
        let life: Int
        /// How often the clock was set before.
        let sets: Int
    }

    private struct Life {
        /// The newest id at its begin.
        let after: UInt64
        let begin: Int64
        let sets: Int
        var end = Int64.max
    }

    /// An event of a topic, as the bus has it now.
    struct Told {
        let id: UInt64
        let text: String
        let type: String?

        init(_ event: Event) {
            id = event.id.rawValue
            text = event.payload.text
            type = event.metadata.type
        }
    }

    private var topics: [String: Known] = [:]
    private var lives: [Life] = []
    /// When events were asked for, by their texts, and how often the clock was set before.
    private var asked: [String: (time: Int64, sets: Int)] = [:]

    // MARK: What happens

    /// A bus begins to live. A registration without an answer may have been taken: what is told of its topic is
    /// checked from here on.
    mutating func begin(
        after newest: UInt64, at now: Int64, sets: Int, expecting expect: (String) -> Int64?
    ) {
        lives.append(Life(after: newest, begin: now, sets: sets))
        for (name, topic) in topics where topic.pending > 0 {
            topics[name]?.pending = 0
            topics[name]?.marks = [Mark(after: newest, expect: expect(name), span: nil)]
        }
    }

    /// The newest id at the begin of this life.
    var start: UInt64 { lives.last?.after ?? 0 }

    /// The life of a bus ends.
    mutating func end(at now: Int64) { lives[lives.count - 1].end = now }

    /// A publisher asks for an event of a topic that is expected to have some.
    mutating func asked(_ text: String, at now: Int64, sets: Int) { asked[text] = (now, sets) }

    /// Somebody asks for another expectation of a topic.
    mutating func asksToExpect(_ topic: String, persists: Bool) {
        topics[topic, default: Known(persists: persists)].pending += 1
    }

    /// They were told that it holds behind an id, or that it does not.
    mutating func expects(
        _ topic: String, _ outcome: (expect: Int64?, after: UInt64)?, asked: Int64, at now: Int64,
        sets: Int
    ) {
        topics[topic]?.pending -= 1
        guard let (expect, after) = outcome else { return }
        let span = Span(from: asked, through: now, life: lives.count - 1, sets: sets)
        topics[topic]?.marks.append(Mark(after: after, expect: expect, span: span))
    }

    /// The time within which a topic is expected to have events, as far as is known.
    func expect(of topic: String) -> Int64? { topics[topic]?.marks.last?.expect }

    // MARK: Promises

    /// The state of a topic behind some of its events.
    private enum Phase {
        /// It may be silent or not.
        case unknown
        /// It had an event, and may have been silent before.
        case unknownHeard
        case heard, silent, back
    }

    /// The promise that the events of a topic break; nil where they break none.
    ///
    /// - Parameters:
    ///   - lost: The end of the events that it has lost.
    ///   - isSilent: Whether the bus describes the topic as silent.
    ///   - told: When an event became visible, if it did in the life in which it was taken.
    ///   - now: The time of now, at which everything that was due has been told.
    func finding(
        in events: [Told], of topic: String, lostThrough lost: UInt64, isSilent: Bool,
        told: [UInt64: Int64], at now: Int64
    ) -> String? {
        guard let known = topics[topic], let last = lives.last else { return nil }
        // Events are gone with their life, or for want of memory, where a topic does not persist.
        let start = known.persists ? 0 : max(last.after, lost)
        var walk = Walk(topic: topic, persists: known.persists)
        var marks = known.marks[...]
        func follow(through id: UInt64) {
            while let mark = marks.first, mark.after < id {
                walk.follow(mark)
                marks = marks.dropFirst()
            }
        }
        if !known.persists {
            follow(through: start)
            walk.beginAgain(lost > last.after ? nil : (last, lives.count - 1))
        }
        for event in events where event.id > max(start, known.marks.first?.after ?? .max) {
            follow(through: event.id)
            let life = lives.lastIndex { $0.after < event.id } ?? 0
            let through = min(told[event.id] ?? .max, lives[life].end, now)
            if let text = take(event, in: life, through: through, &walk) { return text }
        }
        follow(through: .max)
        return overdue(walk, at: now) ?? misdescribed(walk, isSilent: isSilent)
    }

    /// The events of a topic as far as they were looked at.
    private struct Walk {
        let topic: String
        let persists: Bool
        var phase = Phase.heard
        var expect: Int64?
        /// The last event of a publisher, or what it is expected from.
        var base: Span?

        init(topic: String, persists: Bool) {
            self.topic = topic
            self.persists = persists
        }

        mutating func follow(_ mark: Mark) {
            if mark.span == nil {
                (phase, base) = (.unknown, nil)
            } else if expect == nil || mark.expect == nil {
                (phase, base) = (.heard, mark.span)
            }
            expect = mark.expect
        }

        /// The bus has the state of the topic, and none of its events, at the begin of a life or later.
        mutating func beginAgain(_ begin: (life: Life, index: Int)?) {
            phase = .unknown
            base = begin.map { life, index in
                Span(from: life.begin, through: life.begin, life: index, sets: life.sets)
            }
        }
    }

    /// Looks at the next event. Returns the promise that it breaks.
    private func take(
        _ event: Told, in life: Int, through: Int64, _ walk: inout Walk
    ) -> String? {
        if let (from, sets) = asked[event.text] {
            walk.base = Span(from: from, through: through, life: life, sets: sets)
            switch walk.phase {
            case .silent: walk.phase = .back
            case .unknown: walk.phase = .unknownHeard
            case .unknownHeard, .heard, .back: break
            }
            return nil
        }
        let place = "\(event.type ?? "") \(event.id) of \(walk.topic)"
        guard let expect = walk.expect else { return "\(place): no event is expected" }
        if event.type == EventMetadata.backType {
            switch walk.phase {
            case .back, .unknown, .unknownHeard: walk.phase = .heard
            case .heard, .silent: return "\(place): the topic was not silent, or had no event"
            }
            return nil
        }
        switch walk.phase {
        case .heard, .unknown, .unknownHeard: walk.phase = .silent
        case .silent, .back: return "\(place): the topic was silent before"
        }
        guard let base = walk.base else { return nil }
        let earliest = earliest(base, in: life, expect: expect, walk.persists)
        return through < earliest ? "\(place) is \(earliest - through) µs early" : nil
    }

    /// The time before which a silence is not told.
    private func earliest(
        _ base: Span, in life: Int, expect: Int64, _ persists: Bool
    ) -> Int64 {
        guard base.life != life else { return base.from + expect }
        let begin = lives[life].begin
        let chance = begin + (persists ? min(expect, Self.chance) : expect)
        return base.sets == lives[life].sets ? max(base.from + expect, chance) : chance
    }

    /// How long publishers have the chance to be heard after a start.
    private static let chance: Int64 = 300_000_000

    /// The announcement that is missing; nil where none is.
    private func overdue(_ walk: Walk, at now: Int64) -> String? {
        guard let expect = walk.expect else { return nil }
        switch walk.phase {
        case .unknown, .silent: return nil
        case .back: return "\(walk.topic) has events again, and nobody was told"
        case .heard, .unknownHeard: break
        }
        guard let base = walk.base, let life = lives.last else { return nil }
        var latest = base.through + expect
        if base.life != lives.count - 1 {
            // The times of events rise, so after a clock was set back they are ahead.
            latest =
                life.sets == 0 && walk.persists
                ? max(latest, life.begin + min(expect, Self.chance)) : life.begin + expect
        }
        return now < latest
            ? nil : "\(walk.topic) is silent for \(now - latest) µs too long, and nobody was told"
    }

    private func misdescribed(_ walk: Walk, isSilent: Bool) -> String? {
        switch walk.phase {
        case .unknown, .unknownHeard: nil
        case .silent: isSilent ? nil : "\(walk.topic) is silent, and is described as heard"
        case .heard, .back:
            isSilent ? "\(walk.topic) is described as silent, and is not" : nil
        }
    }
}

/// The times at which events became visible, over all lives of a bus.
// @unchecked: everything that has it is in one thread.
final class ToldTimes: TopicObserver, @unchecked Sendable {
    private let time: SimulatedTime
    /// The time of each newest event of a batch.
    private(set) var times: [UInt64: Int64] = [:]

    init(_ time: SimulatedTime) { self.time = time }

    func observe(_ bus: EventBus) {
        bus.broadcaster.register((any TopicObserver).self, observer: self)
    }

    func admitted(_ admission: Admission) {
        guard SimulatedTopics.expected.contains(admission.topic.text) else { return }
        times[admission.newest.rawValue] = time.passed
    }
}
