import Broadcasting
import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// Reads that are shared within one delivery, beside lone reads of the same moment.
struct ReadCoalescerTests {
    private let bus: EventBus
    private let reads: ReadCoalescer
    private let budget = TurnBudget()
    private let meters = LoopMeters()

    init() throws {
        bus = try EventBus(
            store: MemoryStore(ceiling: nil), memory: MemoryBudget(bytesMax: 1 << 24),
            clock: StillClock(), broadcaster: Broadcaster(), log: Log(level: .error) { _, _ in })
        reads = ReadCoalescer(of: LoopLog(of: bus, within: budget))
    }

    /// Grace does not end between two reads of one moment.
    private struct StillClock: BusClock {
        func now() -> Timestamp { Timestamp(microseconds: 1_800_000_000_000_000) }
    }

    private struct Reader {
        let selector: Selector
        let filter: EventFilter
        let limit: ReadLimit
        var position: LogPosition
    }

    private func publish(_ topic: String, _ count: Int, type: String? = nil) throws {
        bus.publish(
            PublishBatch(
                topic: try TopicName(topic),
                metadata: try EventMetadata(type: type, key: nil, contentType: nil),
                sender: .unknown, payloads: (0..<count).map { Payload([UInt8($0 & 0x7F)]) })
        ) { _ in }
    }

    private func register(_ topic: String, keep: Int?) throws {
        let settings = TopicSettings(
            retention: Retention(keep: keep, bytes: nil, age: nil), persists: true)
        bus.register(try TopicName(topic), settings: settings, by: .unknown) { _ in }
    }

    private func read(_ reader: Reader) -> CoalescedRead {
        budget.endTurn(countingIn: meters)
        return reads.read(reader.position, reader.selector, reader.filter, reader.limit)
    }

    private func words(_ read: LogRead) -> String {
        switch read {
        case .events(let events, let next, let isCut): "\(events.map(\.id)) \(next.after) \(isCut)"
        case .caughtUp(let next): "caught up at \(next.after)"
        case .gap(let gap, let next): "\(gap), then \(next.after)"
        case .older(let next): "older at \(next.after)"
        }
    }

    private func next(_ read: LogRead) -> LogPosition {
        switch read {
        case .events(_, let next, _), .caughtUp(let next), .gap(_, let next), .older(let next): next
        }
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func aSharedReadTellsWhatALoneOneTells(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let hiding = TopicVisibility([1]) { !$0.text.hasPrefix("b") }
        let texts = ["a", "b", "a,b", "*", "*,b", "a,nowhere"]
        let selectors = try texts.map { try Selector($0) }
        let all = selectors + selectors.map { $0.limited(to: hiding) }
        var readers: [Reader] = []
        var shared = 0
        for _ in 0..<150 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let topic = ["a", "b", "c"].randomElement(using: &random)!
                switch Int.random(in: 0..<8, using: &random) {
                case 0: try register(topic, keep: [nil, 0, 2].randomElement(using: &random)!)
                case 1: bus.remove(try TopicName(topic)) { _ in }
                default:
                    try publish(
                        topic, [1, 1, 3, 9].randomElement(using: &random)!,
                        type: [nil, "red"].randomElement(using: &random)!)
                }
            }
            while readers.count < 40 {
                let start: StartPosition = [.now, .earliest].randomElement(using: &random)!
                let selector = all.randomElement(using: &random)!
                let filter = EventFilter(
                    type: [nil, nil, "red"].randomElement(using: &random)!, key: nil)
                readers.append(
                    Reader(
                        selector: selector, filter: filter,
                        limit: ReadLimit(
                            events: [2, 256].randomElement(using: &random)!, bytes: 1 << 16),
                        position: bus.position(start, matching: selector, filter: filter)))
            }
            reads.share(forOne: false) {
                var kept: [CoalescedRead] = []
                for index in readers.indices where Int.random(in: 0..<4, using: &random) > 0 {
                    let reader = readers[index]
                    let lone = bus.read(
                        reader.position, matching: reader.selector, filter: reader.filter,
                        limit: reader.limit)
                    let told = read(reader)
                    #expect(words(told.outcome) == words(lone), "\(reader)")
                    readers[index].position = next(told.outcome)
                    kept.append(told)
                }
                shared += kept.count - Set(kept.map(ObjectIdentifier.init)).count
            }
            readers.removeAll { _ in Int.random(in: 0..<20, using: &random) == 0 }
        }
        #expect(shared > 50)
    }

    @Test func readersAtOnePlaceShareOneReadAlsoAfterDifferentBeginnings() throws {
        let selector = try Selector("a")
        func reader() -> Reader {
            let position = bus.position(.now, matching: selector, filter: .all)
            let read = bus.read(position, matching: selector, filter: .all, limit: .standard)
            return Reader(
                selector: selector, filter: .all, limit: .standard, position: next(read))
        }
        var readers = [reader()]
        try publish("a", 1)
        let first = bus.read(
            readers[0].position, matching: selector, filter: .all, limit: .standard)
        readers[0].position = next(first)
        readers.append(reader())
        #expect(readers[0].position != readers[1].position)
        try publish("a", 1)
        reads.share(forOne: false) { #expect(read(readers[0]) === read(readers[1])) }
    }

    @Test func equalTextsThatShowDifferentTopicsShareNothing() throws {
        let open = try Selector("a,*")
        let limited = open.limited(to: TopicVisibility([7]) { $0.text == "a" })
        let position = LogPosition(after: bus.newest, isWaiting: true)
        try publish("a", 1)
        try publish("secret", 1)
        reads.share(forOne: false) {
            for (selector, count) in [(open, 2), (limited, 1), (open, 2), (limited, 1)] {
                let found = reads.read(position, selector, .all, .standard)
                guard case .events(let events, _, _) = found.outcome else {
                    Issue.record("\(found.outcome)")
                    return
                }
                #expect(events.count == count)
            }
        }
    }

    @Test func aBurstThatIsReadInStepsIsReadOnceForAll() throws {
        let selector = try Selector("a")
        let limit = ReadLimit(events: 5, bytes: 1 << 16)
        let start = LogPosition(after: bus.newest, isWaiting: true)
        try publish("a", 5 * Limits.sharedReadsMax)
        reads.share(forOne: false) {
            var made: Set<ObjectIdentifier> = []
            for _ in 0..<10 {
                var position = start
                for _ in 0..<Limits.sharedReadsMax {
                    let found = reads.read(position, selector, .all, limit)
                    made.insert(ObjectIdentifier(found))
                    position = next(found.outcome)
                }
            }
            #expect(made.count == Limits.sharedReadsMax)
        }
    }

    @Test func nothingIsKeptBetweenDeliveries() throws {
        let selector = try Selector("a")
        let position = LogPosition(after: bus.newest, isWaiting: true)
        weak var gone: CoalescedRead?
        reads.share(forOne: false) { gone = reads.read(position, selector, .all, .standard) }
        #expect(gone == nil)
        try publish("a", 1)
        let after = reads.read(position, selector, .all, .standard)
        guard case .events = after.outcome else {
            Issue.record("a read of before was told")
            return
        }
        #expect(reads.read(position, selector, .all, .standard) !== after)
    }
}
