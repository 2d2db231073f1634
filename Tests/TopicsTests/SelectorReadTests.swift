import StoreSupport
import TestSupport
import Testing

@testable import Topics

/// A read in turns, between which the log changes, tells each event or a gap in its place.
@Suite struct SelectorReadTests {
    @Test(arguments: 1...8)
    func whatChangesBetweenTurnsIsToldOrAGap(seed: UInt64) throws {
        var race = try ReadRace(seed: seed)
        for _ in 0..<200 { try race.run() }
        #expect(race.turns > 500)
        #expect(race.delivered > 200)
        #expect(race.gaps > 5)
    }

    @Test func anotherSeedEachTime() throws {
        var race = try ReadRace(seed: SeededRandom.runSeed)
        for _ in 0..<60 { try race.run() }
    }

    @Test func aTurnIsBoundedHoweverManyTopicsThereAre() throws {
        let bench = try Bench()
        for index in 0..<3_000 { try bench.publish("t\(index).x", "\(index)") }
        let terms = (0..<50).map { "t\($0 * 7).*" }.joined(separator: ",")
        for text in [">", "*.x", terms] {
            let selector = try Selector(text)
            let now = bench.clock.now()
            let read = SelectorRead(
                from: .earliest, selector, .all, ReadLimit(events: 100, bytes: 1 << 20), now: now)
            var turns = 0
            var ids: [EventID] = []
            loop: while true {
                turns += 1
                var left = 200
                switch bench.bus.withLog({ read.turn(&$0, now: now, &left) }) {
                case .goOn: continue
                case .ask: Issue.record("memory has everything")
                case .done(.events(let events, let next, let isCutShort)):
                    ids += events.map(\.id)
                    guard isCutShort else { break loop }
                    #expect(read.goesOn(at: next, ReadLimit(events: 100, bytes: 1 << 20)))
                case .done: break loop
                }
            }
            #expect(ids.count == (text.contains("t0") ? 50 : 3_000))
            #expect(ids == ids.sorted())
            // Each topic is looked at once, however many batches are read.
            let looks = 3_000 * (selector.terms.count + 1) / 200
            #expect(turns >= looks * 9 / 10)
            #expect(turns <= looks + 3_000 / 100 + 3_000 / 200 + 10)
        }
    }

    @Test func whoGoesOnIsToldWhatWasLostMeanwhile() throws {
        let bench = try Bench()
        for index in 0..<20 { try bench.publish("a.t\(index)", "1", "2") }
        let selector = try Selector("a.*")
        let now = bench.clock.now()
        let limit = ReadLimit(events: 5, bytes: 1 << 20)
        let read = SelectorRead(from: .earliest, selector, .all, limit, now: now)
        guard case .done(.events(let first, let next, true)) = bench.bus.turn(of: read) else {
            Issue.record("five events")
            return
        }
        #expect(first.count == 5)
        let place = try bench.remove("a.t10")
        #expect(read.goesOn(at: next, limit))
        guard case .done(.gap(let gap, _)) = bench.bus.turn(of: read) else {
            Issue.record("a gap")
            return
        }
        #expect(gap.after == next.after && gap.through < place)
    }

    @Test func aReadHoldsOfAPageOnlyWhatItHasYetToTell() throws {
        let bench = try Bench(store: ShelfStore(), memoryBytesMax: 24_000)
        let payload = Payload(count: 10_000) { _ in }
        for _ in 0..<5 { try bench.publish("a.b", [payload]) }
        let limit = ReadLimit(events: 1, bytes: 1 << 20)
        let read = SelectorRead(
            from: .earliest, try Selector("a.*"), .all, limit, now: bench.clock.now())
        guard case .ask(let request) = bench.bus.turn(of: read) else {
            Issue.record("only the store has the first events")
            return
        }
        // More than was asked for, so that one event is left each time.
        let two = StoreRead(
            start: request.start, through: request.through, selector: request.selector,
            filter: request.filter, limit: ReadLimit(events: 2, bytes: 1 << 20))
        read.take(try bench.answer { then in bench.bus.readPage(two) { then($0) } })
        #expect(read.memoryBytes > 20_000)
        guard case .done(.events(let first, let next, true)) = bench.bus.turn(of: read) else {
            Issue.record("the first event")
            return
        }
        #expect(first.count == 1)
        #expect((10_000..<11_000).contains(read.memoryBytes))
        #expect(read.goesOn(at: next, limit))
        guard case .done(.events(let second, _, true)) = bench.bus.turn(of: read) else {
            Issue.record("the second event")
            return
        }
        #expect(second[0].id > first[0].id)
        #expect(read.memoryBytes < 1_000)
    }

    @Test func whoBeginsToWaitGoesOn() throws {
        let bench = try Bench()
        let first = try bench.publish("a.b", "1")[0]
        for index in 0..<20 { try bench.publish("a.t\(index)", "1") }
        try bench.remove("a.b")
        let selector = try Selector("a.*")
        let limit = ReadLimit(events: 5, bytes: 1 << 20)
        let read = SelectorRead(
            from: .after(first.predecessor), selector, .all, limit, now: bench.clock.now())
        guard case .done(.gap(_, var next)) = bench.bus.turn(of: read) else {
            Issue.record("a gap")
            return
        }
        next.isWaiting = true
        #expect(read.goesOn(at: next, limit))
        #expect(read.position == next)
        guard case .done(.events(let events, _, true)) = bench.bus.turn(of: read) else {
            Issue.record("five events")
            return
        }
        #expect(events.count == 5)
    }
}

/// One bus, one reader at a time, and changes between its turns.
private struct ReadRace {
    private var random: SeededRandom
    private let bench: Bench
    private let names = ["a", "b", "a.x", "a.y", "b.x", "c.x.z", "d.x", "e.x"]
    private let texts = [">", "*", "a.*", "*.x", "a.>,b", "a,b.x,c.>", "a,b,d.x", "a"]
    /// All events that ever were, with their topics.
    private var published: [(id: EventID, topic: TopicName, type: String?)] = []
    private let floor: EventID
    private(set) var turns = 0
    private(set) var delivered = 0
    private(set) var gaps = 0

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        bench = try Bench(defaults: Retention(keep: 6, bytes: nil, age: 30_000_000))
        floor = bench.bus.newest
    }

    private func isThere(_ id: EventID, _ topic: TopicName) -> Bool {
        if case .found = bench.bus.event(id, in: topic) { true } else { false }
    }

    private mutating func change() throws {
        let name = names.randomElement(using: &random)!
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try bench.register(name, keep: Int.random(in: 0...6, using: &random))
        case 1:
            guard bench.bus.description(of: try TopicName(name)) != nil else { return }
            try bench.remove(name)
        case 2:
            bench.clock.advance(seconds: Double.random(in: 0...8, using: &random))
            bench.bus.sweep()
        default:
            let type = Bool.random(using: &random) ? "red" : nil
            let topic = try TopicName(name)
            for id in try bench.publish(name, "x", "y", type: type) {
                published.append((id, topic, type))
            }
        }
    }

    /// One reader, from its start until it has caught up.
    mutating func run() throws {
        for _ in 0..<5 { try change() }
        let selector = try Selector(texts.randomElement(using: &random)!)
        let filter = EventFilter(
            type: [nil, nil, "red"].randomElement(using: &random)!, key: nil)
        func wants(_ event: (id: EventID, topic: TopicName, type: String?)) -> Bool {
            selector.matches(event.topic) && (filter[.type] ?? event.type) == event.type
        }
        let now = bench.clock.now()
        let low = published.dropLast(30).last?.id ?? .zero
        let start: StartPosition = [
            .earliest, .last(7), .ago(microseconds: 5_000_000), .now,
            .after(published.suffix(30).randomElement(using: &random)!.id), .after(low),
        ].randomElement(using: &random)!
        let limit = ReadLimit(
            events: [1, 3, 100].randomElement(using: &random)!, bytes: 1 << 20)
        var read = SelectorRead(from: start, selector, filter, limit, now: now)
        /// Whoever states a cursor is owed everything behind it; others what there was when they
        /// were placed.
        var owed: Set<EventID>?
        var cursor = EventID.zero
        if case .after(let id) = start, id != .zero {
            owed = Set(published.filter { wants($0) && $0.id > id }.map(\.id))
            cursor = id
        }
        var told: [EventID] = []
        var holes: [Gap] = []
        while true {
            turns += 1
            var steps = Int.random(in: 1...12, using: &random)
            let time = bench.clock.now()
            let turn = bench.bus.withLog { read.turn(&$0, now: time, &steps) }
            if owed == nil, let begin = read.begin {
                cursor = begin.after
                // Up to there losses never count for whoever did not state a cursor.
                let low = max(begin.after, begin.reportedThrough)
                owed = Set(
                    published.filter { wants($0) && $0.id > low && isThere($0.id, $0.topic) }
                        .map(\.id))
                if begin.stated != nil { owed = [] }
            }
            guard case .done(let outcome) = turn else {
                let count = published.count
                if Int.random(in: 0..<3, using: &random) == 0 { try change() }
                owed?.formUnion(published[count...].filter(wants).map(\.id))
                continue
            }
            switch outcome {
            case .events(let events, let next, _):
                told += events.map(\.id)
                #expect(events.allSatisfy(filter.admits))
                #expect(events.allSatisfy { selector.matches($0.topic) })
                cursor = next.after
            case .caughtUp(let next): cursor = next.after
            case .gap(let gap, _): holes.append(gap)
            case .older: Issue.record("memory has everything")
            }
            if case .caughtUp = outcome { break }
            if case .events(_, _, false) = outcome { break }
            var next = outcome.next
            // Its reader may begin to wait between two answers, and then waits for good.
            if Bool.random(using: &random) { next.isWaiting = true }
            if Bool.random(using: &random) {
                #expect(read.goesOn(at: next, limit))
            } else {
                read = SelectorRead(from: next, selector, filter, limit, now: bench.clock.now())
            }
        }
        delivered += told.count
        gaps += holes.count
        #expect(told == told.sorted() && Set(told).count == told.count)
        let missing = (owed ?? []).subtracting(told).filter { id in
            id <= cursor && !holes.contains { $0.after < id && id <= $0.through }
        }
        #expect(missing.isEmpty, "\(start) of \(selector): \(missing) of \(told), gaps \(holes)")
        // What another life may have lost is told, too.
        for gap in holes where gap.through > floor {
            let lost = published.contains {
                $0.id == gap.through && selector.matches($0.topic)
                    && !isThere($0.id, $0.topic)
            }
            #expect(lost, "\(start) of \(selector): nothing was lost at \(gap)")
        }
    }
}
