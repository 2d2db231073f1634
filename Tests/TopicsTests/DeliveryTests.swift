import Protection
import Synchronization
import TestSupport
import Testing

@testable import Topics

/// Publishers and readers on threads of their own, with retention and memory trimming under them.
@Suite(.blocking) struct DeliveryTests {
    private func run(
        keep: Int, memoryBytesMax: Int, seed: UInt64,
        breaking: @escaping @Sendable (LogRead) -> LogRead = { $0 }
    ) throws -> [String] {
        let bench = try Bench(memoryBytesMax: memoryBytesMax)
        let topics = ["a", "a.x", "a.y", "b"]
        for topic in topics { try bench.register(topic, keep: keep) }
        let texts = ["a", "a.*", ">", "a,b"]
        let selectors = try texts.map { try Selector($0) }
        let names = try topics.map { try TopicName($0) }
        let bus = bench.bus
        let clock = bench.clock
        let published = Protected<[TopicName: [UInt64]]>([:])
        let publishing = Atomic<Int>(3)
        let told = Protected<[Int: Told]>([:])
        let start = bus.newest
        try inParallel(3 + selectors.count) { thread in
            var random = SeededRandom(seed: seed &+ UInt64(thread))
            if thread < 3 {
                defer { publishing.subtract(1, ordering: .sequentiallyConsistent) }
                for _ in 0..<300 {
                    let name = names[Int.random(in: 0..<names.count, using: &random)]
                    let count = Int.random(in: 1...6, using: &random)
                    let payloads = (0..<count).map { _ in Payload(count: 50) { _ in } }
                    bus.publish(PublishBatch(topic: name, payloads: payloads)) { outcome in
                        guard case .success(let receipt) = outcome else { return }
                        let ids = receipt.first.rawValue...receipt.last.rawValue
                        published.write { $0[name, default: []] += ids }
                    }
                    if Int.random(in: 0..<20, using: &random) == 0 {
                        clock.advance(seconds: 1)
                        bus.sweep()
                    }
                }
                return
            }
            let reader = thread - 3
            var mine = Told()
            var position = LogPosition(after: start)
            while true {
                let isLast = publishing.load(ordering: .sequentiallyConsistent) == 0
                let limit = ReadLimit(
                    events: Int.random(in: 1...20, using: &random), bytes: 1 << 20)
                let read = bus.read(
                    position, matching: selectors[reader], filter: .all, limit: limit)
                let heard = breaking(read)
                mine.ids += heard.ids.map(\.rawValue)
                if let gap = heard.gap { mine.gaps.append(gap) }
                position = read.next
                if Int.random(in: 0..<10, using: &random) == 0 {
                    position = LogPosition(after: position.after)
                }
                if isLast, read.isCaughtUp { break }
            }
            told.write { $0[reader] = mine }
        }
        return selectors.enumerated().compactMap { reader, selector in
            let ids = published.value.filter { selector.matches($0.key) }.values.joined().sorted()
            return (told.value[reader] ?? Told()).fault(of: ids).map { "\(texts[reader]): \($0)" }
        }
    }

    @Test(arguments: [(2, 1 << 30), (50, 1 << 30), (100_000, 60_000)])
    func receivedAndToldGapsAreWhatWasPublished(keep: Int, memoryBytesMax: Int) throws {
        let seed = SeededRandom.runSeed
        #expect(try run(keep: keep, memoryBytesMax: memoryBytesMax, seed: seed) == [], "\(seed)")
    }

    @Test func aReaderThatHidesItsGapsIsCaught() throws {
        let faults = try run(keep: 2, memoryBytesMax: 30_000, seed: 1) { read in
            if case .gap(_, let next) = read { .caughtUp(next: next) } else { read }
        }
        #expect(faults.contains { $0.contains("dropped in silence") })
    }

    @Test func aReaderThatLosesAnEventIsCaught() throws {
        let faults = try run(keep: 100_000, memoryBytesMax: 1 << 30, seed: 1) { read in
            guard case .events(let events, let next, let isCut) = read, events.count > 3 else {
                return read
            }
            return .events(Array(events.dropFirst()), next: next, isCutShort: isCut)
        }
        #expect(faults.contains { $0.contains("dropped in silence") })
    }
}
