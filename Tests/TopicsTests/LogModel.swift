@testable import Topics

/// The log once more, as plainly as it can be said: one list of all events that ever were, searched
/// from end to end for every question. Slow, and obviously right.
struct LogModel {
    struct Entry {
        let event: Event
        /// When retention removed it; nil while it is retained.
        var removed: Timestamp?
        /// Whether it is not even there for those who wait.
        var isGone = false
    }

    struct Topic {
        var isRegistered = false
        var retention: Retention
        var exists = false
        var losses = Losses()
    }

    let grace: Int64
    let defaults: Retention
    var floor: Losses
    var newest: EventID { didSet { horizon = max(horizon, newest) } }
    /// The highest id that is known to be given.
    var horizon: EventID
    var now: Timestamp
    var entries: [Entry] = []
    var topics: [TopicName: Topic] = [:]

    init(floor: EventID, grace: Int64, defaults: Retention, now: Timestamp) {
        self.grace = grace
        self.defaults = defaults
        self.now = now
        self.floor = Losses(removedThrough: floor, removedTime: now, discardedThrough: floor)
        newest = floor
        horizon = floor
    }

    // MARK: Verbs

    mutating func publish(_ events: [Event]) {
        let name = events[0].topic
        topics[name, default: Topic(retention: defaults)].exists = true
        for event in events { entries.append(Entry(event: event)) }
        newest = events[events.count - 1].id
        settle()
    }

    mutating func register(_ name: TopicName, _ retention: Retention) {
        topics[name, default: Topic(retention: retention)].retention = retention
        topics[name]?.isRegistered = true
        topics[name]?.exists = true
        settle()
    }

    mutating func remove(_ name: TopicName, at id: EventID) {
        newest = max(newest, id)
        for index in entries.indices where entries[index].event.topic == name {
            if entries[index].removed == nil { lose(index) }
            entries[index].isGone = true
            noteGone(index)
        }
        entries.removeAll(where: \.isGone)
        topics[name]?.exists = false
        topics[name]?.isRegistered = false
        topics[name]?.retention = defaults
    }

    mutating func advance(to time: Timestamp) {
        now = time
        settle()
    }

    /// Cuts the largest topics down to the highest common level that frees `bytes`.
    mutating func evict(_ bytes: Int) {
        func size(_ name: TopicName) -> Int {
            entries.reduce(0) { sum, entry in
                sum + (entry.event.topic == name && !entry.isGone ? entry.event.memoryBytes : 0)
            }
        }
        let sizes = topics.keys.map { ($0, size($0)) }
        var (low, high) = (0, sizes.map(\.1).max() ?? 0)
        while low < high {
            let level = (low + high + 1) / 2
            let freed = sizes.reduce(0) { $0 + max(0, $1.1 - level) }
            if freed >= bytes { low = level } else { high = level - 1 }
        }
        for (name, start) in sizes {
            var size = start
            for index in entries.indices
            where entries[index].event.topic == name && !entries[index].isGone {
                guard size > low else { break }
                size -= entries[index].event.memoryBytes
                if entries[index].removed == nil { lose(index) }
                entries[index].isGone = true
                noteGone(index)
            }
        }
        settle()
    }

    private mutating func lose(_ index: Int) {
        let event = entries[index].event
        entries[index].removed = now
        topics[event.topic]?.losses.removedThrough = event.id
        topics[event.topic]?.losses.removedTime = event.time
    }

    private mutating func noteGone(_ index: Int) {
        let event = entries[index].event
        guard let known = topics[event.topic]?.losses.discardedThrough, known < event.id else {
            return
        }
        topics[event.topic]?.losses.discardedThrough = event.id
    }

    private mutating func settle() {
        for name in topics.keys { applyRetention(name) }
        for index in entries.indices {
            guard let removed = entries[index].removed, !entries[index].isGone,
                removed.advanced(microseconds: grace) <= now
            else { continue }
            entries[index].isGone = true
            noteGone(index)
        }
        entries.removeAll(where: \.isGone)
        for (name, topic) in topics where topic.exists {
            let isHeld = entries.contains { $0.event.topic == name }
            if !isHeld, !topic.isRegistered {
                topics[name]?.exists = false
                topics[name]?.retention = defaults
            }
        }
    }

    private mutating func applyRetention(_ name: TopicName) {
        guard let retention = topics[name]?.retention else { return }
        while true {
            let retained = retained(name)
            guard let first = retained.first else { return }
            let event = entries[first].event
            let bytes = retained.reduce(0) { $0 + entries[$1].event.payload.count }
            let isOld = retention.age.map { event.time.advanced(microseconds: $0) <= now } ?? false
            guard
                retained.count > retention.keep ?? .max || bytes > retention.bytes ?? .max || isOld
            else { return }
            lose(first)
        }
    }

    // MARK: Questions

    func retained(_ name: TopicName) -> [Int] {
        entries.indices.filter { entries[$0].event.topic == name && entries[$0].removed == nil }
    }

    func retained(_ selector: Selector, _ filter: EventFilter = .all) -> [Event] {
        entries.filter {
            selector.matches($0.event.topic) && $0.removed == nil && filter.admits($0.event)
        }.map(\.event)
    }

    func losses(_ selector: Selector) -> Losses {
        var losses = floor
        for (name, topic) in topics where selector.matches(name) { losses.rise(to: topic.losses) }
        return losses
    }

    func start(
        _ start: StartPosition, _ selector: Selector, _ filter: EventFilter
    ) -> LogPosition {
        let lost = losses(selector).removedThrough
        switch start {
        case .now: return LogPosition(after: newest, reportedThrough: newest)
        case .after(let id) where id != .zero: return LogPosition(after: id)
        case .after, .earliest:
            let first = retained(selector).first?.id
            return LogPosition(after: first.map(before) ?? newest, reportedThrough: lost)
        case .latest: return self.start(.last(1), selector, filter)
        case .last(0): return self.start(.now, selector, filter)
        case .last(let count):
            let wanted = retained(selector, filter)
            guard wanted.count >= count else { return self.start(.earliest, selector, filter) }
            return LogPosition(
                after: before(wanted[wanted.count - count].id), reportedThrough: lost)
        case .ago(let microseconds):
            return self.start(.time(now.advanced(microseconds: -microseconds)), selector, filter)
        case .time(let time):
            let first = retained(selector).first { $0.time >= time }?.id
            var position = LogPosition(after: first.map(before) ?? newest)
            if time <= losses(selector).removedTime {
                position.stated = .zero
            } else {
                position.reportedThrough = lost
            }
            return position
        }
    }

    private func before(_ id: EventID) -> EventID { EventID(rawValue: id.rawValue - 1) }

    func read(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit
    ) -> LogRead {
        let losses = losses(selector)
        let cursor = position.stated ?? position.after
        var next = position
        next.stated = nil
        if cursor > horizon {
            next.after = .zero
            next.reportedThrough = losses.removedThrough
            return .gap(Gap(after: cursor, through: losses.removedThrough), next: next)
        }
        let lost = position.isWaiting ? losses.discardedThrough : losses.removedThrough
        if cursor < lost, position.reportedThrough < lost {
            next.reportedThrough = lost
            return .gap(Gap(after: cursor, through: lost), next: next)
        }
        next.isWaiting = true
        next.after = max(next.after, newest)
        let there = entries.filter {
            selector.matches($0.event.topic) && $0.event.id > position.after
                && (position.isWaiting ? !$0.isGone : $0.removed == nil)
        }
        var taken: [Event] = []
        for event in there.map(\.event) {
            let bytes = taken.reduce(0) { $0 + $1.payload.count }
            let isFull =
                taken.count == limit.events
                || (filter.admits(event) && !taken.isEmpty
                    && bytes + event.payload.count > limit.bytes)
            if isFull {
                next.after = taken[taken.count - 1].id
                return .events(taken, next: next, isCutShort: true)
            }
            if filter.admits(event) { taken.append(event) }
        }
        return taken.isEmpty
            ? .caughtUp(next: next) : .events(taken, next: next, isCutShort: false)
    }
}
