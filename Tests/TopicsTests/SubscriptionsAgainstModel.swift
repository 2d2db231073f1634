import TestSupport

@testable import Topics

/// Does the same random things to a bus with subscriptions and to the models of both, and stops at
/// the first delivery, cursor or count in which they differ.
struct SubscriptionsAgainstModel {
    private struct Pair {
        let real: EventSubscription
        var model: SubscriptionModel
    }

    private var random: SeededRandom
    private let bench: Bench
    private var log: LogModel
    private var pairs: [Pair] = []
    private let names: [TopicName]
    private let selectors: [Selector]
    private(set) var told = 0
    private(set) var gaps = 0
    private(set) var ends = 0

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        names = try ["a", "b", "a.x", "a.y", "a.x.z"].map { try TopicName($0) }
        selectors = try [
            "a", "b", "a.x", "a.y", "*", "a.*", "a.>", ">", "*.x", "a,b", "a.*,b", "a.>,a.x",
        ].map { try Selector($0) }
        let defaults = Retention(
            keep: Int.random(in: 0...20, using: &random), bytes: nil, age: 30_000_000)
        bench = try Bench(defaults: defaults)
        log = LogModel(
            floor: bench.bus.newest, grace: bench.bus.limits.graceMicroseconds,
            defaults: defaults, now: bench.clock.now())
    }

    /// Runs so many steps, then drains the bus. Returns the first difference, nil if there was none.
    mutating func run(steps: Int) async throws -> String? {
        for step in 0..<steps {
            if let difference = try await self.step() { return "step \(step): \(difference)" }
        }
        bench.bus.drain()
        for index in pairs.indices { pairs[index].model.drain() }
        for index in pairs.indices {
            if let difference = try await deliver(.max, to: index) { return "end: \(difference)" }
        }
        return nil
    }

    private mutating func step() async throws -> String? {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: return try publish()
        case 6: try register()
        case 7: if Int.random(in: 0..<2, using: &random) == 0 { remove() }
        case 8, 9: advance()
        case 10..<13: try subscribe()
        case 13: try leave()
        default:
            guard !pairs.isEmpty else { return nil }
            let count = pick([1, 2, 5, .max])
            return try await deliver(count, to: Int.random(in: pairs.indices, using: &random))
        }
        return compareCursors()
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func publish() throws -> String? {
        let name = pick(names)
        let metadata = try EventMetadata(
            type: pick([nil, "red", "blue"]), key: nil, contentType: nil)
        let payloads = (0..<pick([1, 1, 2, 5, 30])).map { _ in
            Payload(count: Int.random(in: 0...50, using: &random)) { _ in }
        }
        let receipt = try bench.receipt(name.text, payloads, type: metadata.type)
        let counted = pairs.count { $0.model.isCounted && $0.model.selector.matches(name) }
        log.publish(
            payloads.enumerated().map { index, payload in
                Event(
                    id: EventID(rawValue: receipt.first.rawValue + UInt64(index)),
                    time: receipt.time, topic: name, payload: payload, metadata: metadata,
                    sender: .unknown, isStored: false)
            })
        for index in pairs.indices { pairs[index].model.admitted(name, isRemoval: false, log) }
        guard receipt.subscribers == counted else {
            return "\(receipt.subscribers) subscribers of \(name), not \(counted)"
        }
        return compareCursors()
    }

    private mutating func register() throws {
        let name = pick(names)
        let retention = Retention(
            keep: pick([nil, 0, 1, 5]), bytes: pick([nil, 200]), age: pick([nil, 5_000_000]))
        try bench.register(
            name.text, keep: retention.keep, bytes: retention.bytes, age: retention.age)
        log.register(name, retention)
    }

    private mutating func remove() {
        let name = pick(names)
        guard let place = try? bench.remove(name.text) else { return }
        log.remove(name, at: place)
        for index in pairs.indices {
            pairs[index].model.admitted(name, isRemoval: true, log)
        }
    }

    private mutating func advance() {
        let most: Int64 = pick([1_000, 1_000_000, 10_000_000])
        bench.clock.advance(microseconds: Int64.random(in: 1...most, using: &random))
        bench.bus.sweep()
        log.advance(to: bench.clock.now())
    }

    // MARK: Subscriptions

    private mutating func subscribe() throws {
        guard pairs.count < 12 else { return }
        let back = Int64.random(in: 0...40_000_000, using: &random)
        let newest = Int64(log.newest.rawValue)
        let id = EventID(
            rawValue: UInt64(newest + Int64.random(in: -100...2, using: &random)))
        let start: StartPosition = pick([
            .now, .now, .earliest, .latest, .after(id), .after(id), .after(.zero),
            .last(Int.random(in: 0...20, using: &random)), .ago(microseconds: back),
        ])
        try subscribe(pick(selectors), EventFilter(type: pick([nil, nil, "red"]), key: nil), start)
    }

    private mutating func subscribe(
        _ selector: Selector, _ filter: EventFilter, _ start: StartPosition
    ) throws {
        let limit = ReadLimit(events: pick([1, 3, 64]), bytes: pick([1, 60, 1 << 20]))
        let real = try bench.bus.subscribe(selector, since: start, filter: filter, limit: limit)
        let model = SubscriptionModel(selector, filter, limit, start, in: log)
        pairs.append(Pair(real: real, model: model))
    }

    /// One of them is cancelled or released, and perhaps another one goes on at its cursor.
    private mutating func leave() throws {
        guard !pairs.isEmpty else { return }
        let left = pairs.remove(at: Int.random(in: pairs.indices, using: &random))
        if Bool.random(using: &random) { left.real.cancel() }
        let cursor = left.real.cursor
        let (selector, filter) = (left.model.selector, left.model.filter)
        guard Bool.random(using: &random) else { return }
        try subscribe(selector, filter, .after(cursor))
    }

    private mutating func deliver(_ most: Int, to index: Int) async throws -> String? {
        var iterator = pairs[index].real.makeAsyncIterator()
        var count = 0
        while count < most {
            var model = pairs[index].model
            // What would wait is not asked, and so has not looked.
            guard let expected = model.next(log) else { return nil }
            pairs[index].model = model
            let found: SubscriptionModel.Told =
                switch try await iterator.next() {
                case .event(let event): .event(event.id)
                case .gap(let gap): .gap(gap)
                case nil: .end
                }
            let selector = pairs[index].model.selector
            guard found == expected else { return "\(selector) told \(found), not \(expected)" }
            if let difference = compareCursors() { return difference }
            count += 1
            told += 1
            if case .gap = found { gaps += 1 }
            if found == .end {
                ends += 1
                break
            }
        }
        return nil
    }

    private func compareCursors() -> String? {
        for pair in pairs where pair.real.cursor != pair.model.cursor {
            return "\(pair.model.selector) at \(pair.real.cursor), not \(pair.model.cursor)"
        }
        return nil
    }
}
