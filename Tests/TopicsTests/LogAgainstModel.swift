import StoreSupport
import TestSupport

@testable import Topics

/// Does the same random things to the log and to its model, and stops at the first answer in which
/// they differ.
struct LogAgainstModel {
    /// A delivery that is broken on purpose, between the log and the comparison.
    enum Fault: CaseIterable {
        case changes(ReadFault)
        case movesTheCursorTooFar, forgetsThatItWaits

        static let allCases =
            ReadFault.allCases.map(Fault.changes) + [.movesTheCursorTooFar, .forgetsThatItWaits]
    }

    private var random: SeededRandom
    private let fault: Fault?
    private let sweeps: Bool
    private var log: EventLog
    private var model: LogModel
    private var now = Timestamp(microseconds: 1_700_000_000_000_000)
    private var nextID: UInt64 = 1_000
    private var readers: [Reader] = []
    private var subscribed: [TopicName] = []

    private struct Reader {
        let selector: Selector
        let filter: EventFilter
        var position: LogPosition
    }

    private let names: [TopicName]
    private let selectors: [Selector]

    /// With `sweeps` the log is cared for whenever time moves, and everything is compared; without
    /// it only what requests that state their cursor see, which must not depend on care.
    init(seed: UInt64, fault: Fault? = nil, sweeps: Bool = true) throws {
        random = SeededRandom(seed: seed)
        self.fault = fault
        self.sweeps = sweeps
        names = try ["a", "b", "a.x", "a.y", "a.x.z", "b.x"].map { try TopicName($0) }
        selectors = try [
            "a", "b", "a.x", "a.y", "a.x.z", "b.x", "nowhere", "*", "a.*", "a.>", ">", "*.x",
            "a,b", "a.x,b,nowhere,a,b.x", "b.x,a.y", "a.*,b", "a.>,a.x", "*,a.*,b.x", "nowhere,b",
        ].map { try Selector($0) }
        var limits = BusLimits()
        limits.graceMicroseconds = Bool.random(using: &random) ? 2_000_000 : 0
        let defaults = Retention(
            keep: Int.random(in: 0...20, using: &random), bytes: nil, age: 30_000_000)
        let floor = EventID(rawValue: nextID)
        log = EventLog(
            contents: StoreContents(newest: floor, floor: floor, floorTime: now),
            store: StoreCapabilities(keepsOlder: false), limits: limits, defaults: defaults,
            autocreate: true, now: now)
        model = LogModel(
            floor: floor, grace: limits.graceMicroseconds, defaults: defaults, now: now)
    }

    /// Runs so many steps. Returns the first difference, nil if there was none.
    mutating func run(steps: Int) -> String? {
        for step in 0..<steps {
            if let difference = self.step() { return "step \(step): \(difference)" }
        }
        return nil
    }

    private mutating func step() -> String? {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: publish()
        case 6: register()
        case 7: if Int.random(in: 0..<3, using: &random) == 0 { remove() }
        case 8, 9: advance()
        case 10: if sweeps { evict() } else { learnHorizon() }
        case 11: if sweeps { subscribe() }
        case 12..<15: return compareStated()
        case 15: return compareStart()
        case 16..<19: if sweeps { return compareReader() }
        default: if sweeps { return compareTopics() }
        }
        return nil
    }

    // MARK: Doing

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func newID() -> EventID {
        nextID += UInt64.random(in: 1...3, using: &random)
        return EventID(rawValue: nextID)
    }

    private mutating func publish() {
        let name = pick(names)
        let count = pick([1, 1, 1, 2, 5, 30])
        let type = pick([nil, "red", "blue"] as [String?])
        let metadata = try! EventMetadata(type: type, key: nil, contentType: nil)
        let payloads = (0..<count).map { _ in
            Payload(count: Int.random(in: 0...50, using: &random)) { _ in }
        }
        let batch = PublishBatch(topic: name, metadata: metadata, payloads: payloads)
        // Another host publishes some of them.
        let isOwn = Int.random(in: 0..<4, using: &random) > 0
        let room = MemoryRoom(bytesMax: .max / 2, others: 0)
        let prepared = isOwn ? try? log.prepare(batch, room: room) : nil
        if let prepared, Int.random(in: 0..<10, using: &random) == 0 {
            return log.settle(prepared)
        }
        let events = payloads.map {
            Event(
                id: newID(), time: now, topic: name, payload: $0, metadata: metadata,
                sender: .unknown, isStored: false)
        }
        if let prepared { log.settle(prepared) }
        _ = log.arrive(events, owner: nil, now: now)
        model.publish(events)
    }

    private mutating func register() {
        let retention = Retention(
            keep: pick([nil, 0, 1, 5]), bytes: pick([nil, 200]), age: pick([nil, 5_000_000]))
        let name = pick(names)
        let settings = TopicSettings(retention: retention, persists: true)
        _ = log.register(name, SettingsChange(settings), owner: nil, now: now)
        model.register(name, retention)
    }

    private mutating func remove() {
        let name = pick(names)
        let id = newID()
        log.remove(name, at: id)
        model.remove(name, at: id)
    }

    private mutating func advance() {
        now = now.advanced(
            microseconds: Int64.random(
                in: 1...pick([1_000, 1_000_000, 10_000_000]), using: &random))
        if sweeps { while log.sweep(now: now) {} }
        model.advance(to: now)
    }

    private mutating func evict() {
        let bytes = Int.random(in: 1...max(1, log.eventBytes), using: &random)
        guard log.eventBytes > 0 else { return }
        log.evict(bytes)
        model.evict(bytes)
    }

    /// The log learns of an id that is given and not here yet.
    private mutating func learnHorizon() {
        let id = EventID(rawValue: nextID + UInt64.random(in: 0...3, using: &random))
        log.rise(horizon: id)
        model.horizon = max(model.horizon, id)
    }

    private mutating func subscribe() {
        if subscribed.count > 3 {
            let name = subscribed.removeFirst()
            log.endSubscription(Selector(name), isForgotten: true)
        } else {
            let name = pick(names)
            subscribed.append(name)
            _ = log.beginSubscription(Selector(name))
        }
    }

    // MARK: Comparing

    private mutating func randomFilter() -> EventFilter {
        EventFilter(type: pick([nil, nil, "red"]), key: nil)
    }

    private mutating func randomLimit() -> ReadLimit {
        ReadLimit(events: pick([1, 3, 1_000]), bytes: pick([1, 60, 1 << 20]))
    }

    private mutating func randomSteps() -> Int {
        pick([1, 2, 5, 20, Limits.turnStepsMax])
    }

    private mutating func randomID() -> EventID {
        let low = Int64(nextID) - 150
        let id = Int64.random(in: low...(Int64(nextID) + 3), using: &random)
        return EventID(rawValue: UInt64(max(0, id)))
    }

    private mutating func compareStated() -> String? {
        compare(LogPosition(after: randomID()), pick(selectors), randomFilter())
    }

    private mutating func compareStart() -> String? {
        let selector = pick(selectors)
        let filter = randomFilter()
        let back = Int64.random(in: 0...40_000_000, using: &random)
        let start: StartPosition = pick([
            .after(.zero), .after(randomID()), .now, .earliest, .latest,
            .last(Int.random(in: 0...20, using: &random)), .ago(microseconds: back),
            .time(now.advanced(microseconds: -back)),
        ])
        let found = log.start(start, selector, filter, now: now, steps: randomSteps())
        let expected = model.start(start, selector, filter)
        guard found == expected else {
            return "\(start) of \(selector): \(found), not \(expected)"
        }
        return compare(found, selector, filter)
    }

    private mutating func compareReader() -> String? {
        if readers.count < 8 {
            readers.append(
                Reader(
                    selector: pick(selectors), filter: randomFilter(),
                    position: LogPosition(after: randomID())))
        }
        let index = Int.random(in: 0..<readers.count, using: &random)
        let reader = readers[index]
        let (found, difference) = read(reader.position, reader.selector, reader.filter)
        readers[index].position = found.next
        if Int.random(in: 0..<40, using: &random) == 0 { readers.remove(at: index) }
        return difference
    }

    private mutating func compare(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter
    ) -> String? {
        var position = position
        for _ in 0..<3 {
            let (found, difference) = read(position, selector, filter)
            if let difference { return difference }
            guard found.gap != nil else { return nil }
            position = found.next
        }
        return "the same gap of \(selector) was told three times"
    }

    private mutating func read(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter
    ) -> (LogRead, String?) {
        let limit = randomLimit()
        let honest = log.read(position, selector, filter, limit, now: now, steps: randomSteps())
        if let difference = compareShort(position, selector, filter, limit, honest) {
            return (honest, difference)
        }
        if let difference = compareAlike(position, selector, filter, limit, honest) {
            return (honest, difference)
        }
        let found = broken(honest)
        let expected = model.read(position, selector, filter, limit)
        guard !found.says(the: expected) else { return (found, nil) }
        return (found, "\(position) of \(selector): \(found.words), not \(expected.words)")
    }

    /// The short way to read one topic has to tell the same as the long one.
    private mutating func compareShort(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        _ told: LogRead
    ) -> String? {
        guard let name = selector.singleName else { return nil }
        var batch = ReadBatch(filter: filter, limit: limit)
        guard let short = log.read(position, name, &batch, now: now),
            short.says(the: told)
        else { return "\(position) of \(selector) is told something else on the short way" }
        return nil
    }

    /// A reader at a place that counts as the same has to be told the same.
    private mutating func compareAlike(
        _ position: LogPosition, _ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit,
        _ told: LogRead
    ) -> String? {
        var other = position
        other.reportedThrough = pick([.zero, position.after, newID(), randomID()])
        guard other.isAlike(position) else { return nil }
        let found = log.read(other, selector, filter, limit, now: now)
        guard found.telling == told.telling, found.next.isAlike(told.next) || found.isOlder
        else { return "\(other) is not told what \(position) is: \(told.words)" }
        return nil
    }

    private func broken(_ read: LogRead) -> LogRead {
        switch (fault, read) {
        case (.changes(let fault), _): fault.change(read) ?? read
        case (.movesTheCursorTooFar, .events(let events, var next, true)):
            {
                next.after = log.newest
                return .events(events, next: next, isCutShort: true)
            }()
        case (.forgetsThatItWaits, .events(let events, var next, let isCut)):
            {
                next.isWaiting = false
                return .events(events, next: next, isCutShort: isCut)
            }()
        default: read
        }
    }

    private mutating func compareTopics() -> String? {
        let described = log.descriptions(now: now, steps: randomSteps())
        let existing = model.topics.filter(\.value.exists)
        guard Set(described.map(\.name)) == Set(existing.keys) else {
            return "topics \(described.map(\.name.text)), not \(existing.keys.map(\.text))"
        }
        for topic in described {
            let retained = model.retained(Selector(topic.name))
            guard topic.events == retained.count, topic.oldest == retained.first?.id,
                topic.newest == retained.last?.id,
                topic.bytes == retained.reduce(0, { $0 + $1.payload.count }),
                topic.isRegistered == existing[topic.name]?.isRegistered
            else { return "\(topic), not \(retained.map(\.id))" }
        }
        let selector = pick(selectors)
        let summary = log.summary(of: selector, now: now, steps: randomSteps())
        let retained = model.retained(selector)
        guard summary.count == retained.count, summary.oldest == retained.first?.id,
            summary.cursor == model.newest,
            summary.exists == existing.keys.contains(where: { selector.matches($0) })
        else { return "\(selector) has the summary \(summary)" }
        let held = model.entries.reduce(0) { $0 + ($1.isGone ? 0 : $1.event.memoryBytes) }
        guard log.eventBytes == held else {
            return "events take \(log.eventBytes) bytes, not \(held)"
        }
        return compareLookups()
    }

    private mutating func compareLookups() -> String? {
        let name = pick(names)
        let id = randomID()
        let isRetained = model.retained(Selector(name)).contains { $0.id == id }
        switch log.event(id, in: name, now: now) {
        case .found(let event): return event.id == id && isRetained ? nil : "found \(id) in \(name)"
        case .removed where !isRetained && id <= model.losses(Selector(name)).removedThrough:
            return nil
        case .unknown where !isRetained && id > model.losses(Selector(name)).removedThrough:
            return nil
        case .removed, .unknown: return "did not know \(id) in \(name)"
        case .older: return "\(id) is said to be in a store that there is not"
        }
    }
}

extension LogRead {
    func says(the other: LogRead) -> Bool {
        switch (self, other) {
        case (.events(let own, let next, let isCut), .events(let others, let otherNext, let other)):
            own.map(\.id) == others.map(\.id) && next == otherNext && isCut == other
        case (.caughtUp(let next), .caughtUp(let otherNext)): next == otherNext
        case (.gap(let gap, let next), .gap(let otherGap, let otherNext)):
            gap == otherGap && next == otherNext
        default: false
        }
    }

    /// What a reader is told, wherever it stands then.
    var telling: String { "\(ids) \(String(describing: gap)) \(isCaughtUp)" }

    var words: String {
        switch self {
        case .events(let events, let next, let isCut):
            "events \(events.map(\.id)) next \(next) cut short \(isCut)"
        case .caughtUp(let next): "caught up at \(next)"
        case .gap(let gap, let next): "\(gap) next \(next)"
        case .older(let next): "older at \(next)"
        }
    }
}
