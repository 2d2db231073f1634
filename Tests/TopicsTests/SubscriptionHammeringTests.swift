import Protection
import TestSupport
import Testing

@testable import Topics

/// Publishers on four threads, tasks that read subscriptions of all kinds, and retention, memory and
/// deletions that take events away under them.
@Suite(.timeLimit(.minutes(30)))
struct SubscriptionHammeringTests {
    /// A delivery that is broken on purpose, between the bus and the count.
    enum Fault: CaseIterable {
        case dropsAnEvent, repeatsAnEvent, swapsEvents, hidesGaps
    }

    private static let topics = ["a", "a.x", "a.y", "b", "b.x"]
    private static let selectors = ["a", "b", "a.*", ">", "*", "*.x", "a,b", "a.>,b", "b.x"]

    private struct Run {
        let bench: Bench
        let seed: UInt64
        let removes: Bool
        let published = Protected<[TopicName: [UInt64]]>([:])
        let isDrained = Protected(false)
        let readersAreThere = Gate(openings: 2 * SubscriptionHammeringTests.selectors.count)

        /// What one of the publishers does.
        func publish(_ thread: Int) throws {
            var random = SeededRandom(seed: seed &+ UInt64(thread))
            let names = try SubscriptionHammeringTests.topics.map { try TopicName($0) }
            try readersAreThere.wait(within: .seconds(300))
            for _ in 0..<250 {
                let name = names.randomElement(using: &random)!
                let count = Int.random(in: 1...6, using: &random)
                let payloads = (0..<count).map { _ in Payload(count: 50) { _ in } }
                bench.bus.publish(PublishBatch(topic: name, payloads: payloads)) { outcome in
                    guard case .success(let receipt) = outcome else { return }
                    let ids = receipt.first.rawValue...receipt.last.rawValue
                    published.write { $0[name, default: []] += ids }
                }
                switch Int.random(in: 0..<40, using: &random) {
                case 0, 1:
                    bench.clock.advance(seconds: 1)
                    bench.bus.sweep()
                case 2 where removes: bench.bus.remove(name) { _ in }
                default: break
                }
            }
        }

        /// Reads one selector, a while by each subscription, until the bus is drained.
        func listen(_ selector: Selector, from start: EventID, _ reader: Int) async throws -> Told {
            var random = SeededRandom(seed: seed &+ 100 &+ UInt64(reader))
            var told = Told()
            var cursor = start
            while true {
                let isLast = isDrained.value
                let limit = ReadLimit(
                    events: [1, 3, 64].randomElement(using: &random)!, bytes: 1 << 20)
                let subscription = try bench.bus.subscribe(
                    selector, since: .after(cursor), limit: limit)
                readersAreThere.open()
                var left = isLast ? .max : Int.random(in: 1...300, using: &random)
                for try await delivery in subscription {
                    switch delivery {
                    case .event(let event): told.ids.append(event.id.rawValue)
                    case .gap(let gap): told.gaps.append(gap)
                    }
                    let next = subscription.cursor
                    #expect(next >= cursor)
                    cursor = next
                    left -= 1
                    if left == 0 { break }
                    if Int.random(in: 0..<30, using: &random) == 0 { await Task.yield() }
                }
                #expect(subscription.cursor >= cursor)
                cursor = subscription.cursor
                if isLast { return told }
            }
        }
    }

    private func run(
        keep: Int?, memoryBytesMax: Int, removes: Bool, seed: UInt64, fault: Fault? = nil
    ) async throws -> (faults: [String], told: [Told]) {
        let run = Run(
            bench: try Bench(
                defaults: Retention(keep: keep, bytes: nil, age: nil),
                memoryBytesMax: memoryBytesMax),
            seed: seed, removes: removes)
        let start = run.bench.bus.newest
        let readers = try (Self.selectors + Self.selectors).map { try Selector($0) }
        let tasks = readers.enumerated().map { reader, selector in
            Task { try await run.listen(selector, from: start, reader) }
        }
        try await inParallel(4) { try run.publish($0) }
        run.bench.bus.drain()
        run.isDrained.value = true
        var all: [Told] = []
        for task in tasks { all.append(try await task.value) }
        #expect(run.bench.bus.statistics.subscribers == 0)
        #expect(run.bench.bus.followers.selectorCount == 0)
        let faults = zip(readers, all).compactMap { selector, told in
            let ids = run.published.value.filter { selector.matches($0.key) }.values.joined()
            return Self.broken(told, fault).fault(of: ids.sorted()).map { "\(selector): \($0)" }
        }
        return (faults, all)
    }

    private static func broken(_ told: Told, _ fault: Fault?) -> Told {
        var told = told
        let middle = told.ids.count / 2
        switch fault {
        case .dropsAnEvent where middle > 0: told.ids.remove(at: middle)
        case .repeatsAnEvent where middle > 0: told.ids.insert(told.ids[middle], at: middle)
        case .swapsEvents where middle > 0: told.ids.swapAt(middle - 1, middle)
        case .hidesGaps: told.gaps = []
        default: break
        }
        return told
    }

    @Test(arguments: [(0, 1 << 30), (2, 1 << 30), (50, 1 << 30), (100_000, 60_000)])
    func receivedAndToldGapsAreWhatWasPublished(keep: Int, memoryBytesMax: Int) async throws {
        let seed = SeededRandom.runSeed
        let (faults, told) = try await run(
            keep: keep, memoryBytesMax: memoryBytesMax, removes: true, seed: seed)
        #expect(faults == [], "seed \(seed)")
        #expect(told.contains { !$0.gaps.isEmpty })
        #expect(keep == 0 || told.contains { !$0.ids.isEmpty })
    }

    @Test func whereNothingGoesNoGapIsToldAndEverythingIsReceived() async throws {
        let seed = SeededRandom.runSeed
        let (faults, told) = try await run(
            keep: nil, memoryBytesMax: 1 << 30, removes: false, seed: seed)
        #expect(faults == [] && told.allSatisfy(\.gaps.isEmpty), "seed \(seed)")
    }

    @Test(arguments: Fault.allCases)
    func aDeliveryBrokenOnPurposeIsCaught(fault: Fault) async throws {
        let keep = fault == .hidesGaps ? 2 : nil
        let (faults, _) = try await run(
            keep: keep, memoryBytesMax: 1 << 30, removes: false, seed: 1, fault: fault)
        #expect(!faults.isEmpty)
    }

    @Test func subscriptionsThatComeAndGoUnderPublishersLeaveNothingBehind() async throws {
        let bench = try Bench()
        let bus = bench.bus
        let names = try Self.topics.map { try TopicName($0) }
        let selectors = try Self.selectors.map { try Selector($0) }
        let read = Protected(0)
        try await inParallel(4) { thread in
            var random = SeededRandom(seed: UInt64(thread))
            for round in 0..<1_500 {
                if thread < 2 {
                    let batch = PublishBatch(
                        topic: names.randomElement(using: &random)!, payloads: [.empty])
                    bus.publish(batch) { _ in }
                    continue
                }
                let selector = selectors.randomElement(using: &random)!
                let subscription = try bus.subscribe(selector, since: .last(3))
                guard round % 10 == 0 else { continue }
                let task = Task {
                    for try await _ in subscription { read.write { $0 += 1 } }
                }
                if Bool.random(using: &random) { subscription.cancel() } else { task.cancel() }
            }
        }
        while bus.statistics.subscribers > 0 { await Task.yield() }
        #expect(bus.followers.selectorCount == 0)
        #expect(bus.statistics.published == 3_000)
    }
}
