import Broadcasting
import Protection
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import Topics

@Suite(.blocking) struct MemoryStoreTests {
    private static func batch(_ topic: String, _ count: Int = 1) throws -> PublishBatch {
        PublishBatch(
            topic: try TopicName(topic), payloads: Array(repeating: .empty, count: count))
    }

    private static func opened(
        _ store: MemoryStore = MemoryStore(ceiling: nil), clock: ManualClock = ManualClock(),
        commitQueueBytesMax: Int = 1 << 30
    ) throws -> MemoryStore {
        _ = try store.open(
            StoreContext(clock: clock, commitQueueBytesMax: commitQueueBytesMax))
        return store
    }

    @Test func commitsOfManyThreadsAreAnsweredInIDOrderOneAtATimeEachOnce() throws {
        let store = try Self.opened()
        let answered = Protected<[EventID]>([])
        let inside = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        try inParallel(8) { thread in
            for round in 0..<2_000 {
                let count = 1 + (thread + round) % 3
                store.commit(.events(try Self.batch("t\(thread)", count), persists: false)) {
                    if inside.add(1, ordering: .relaxed).newValue > 1 {
                        overlaps.add(1, ordering: .relaxed)
                    }
                    if case .success(.events(let events)) = $0 {
                        answered.write { $0 += events.map(\.id) }
                    }
                    inside.subtract(1, ordering: .relaxed)
                }
            }
        }
        let ids = answered.value
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(
            ids.count
                == (0..<8).reduce(0) { sum, thread in
                    sum + (0..<2_000).reduce(0) { $0 + 1 + (thread + $1) % 3 }
                })
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func anAnswerMayCommitAgainWithoutWaitingForItself() throws {
        let store = try Self.opened()
        let order = Protected<[Int]>([])
        let inner = try Self.batch("inner")
        store.commit(.events(try Self.batch("outer"), persists: false)) { _ in
            store.commit(.events(inner, persists: false)) { _ in order.write { $0.append(2) } }
            order.write { $0.append(1) }
        }
        #expect(order.value == [1, 2])
    }

    @Test func whatWaitsForTheStoreIsBounded() throws {
        let store = try Self.opened(commitQueueBytesMax: 2_000)
        let batch = try Self.batch("a")
        let taken = Protected(0)
        let refused = Protected(0)
        store.commit(.events(batch, persists: false)) { _ in
            for _ in 0..<20 {
                store.commit(.events(batch, persists: false)) { outcome in
                    switch outcome {
                    case .success: taken.write { $0 += 1 }
                    case .failure(.limit): refused.write { $0 += 1 }
                    case .failure(let error): Issue.record("\(error)")
                    }
                }
            }
            #expect(refused.value > 0)
            #expect(taken.value == 0)
        }
        #expect(taken.value > 0)
        #expect(taken.value + refused.value == 20)
        store.commit(.events(batch, persists: false)) {
            #expect(throws: Never.self, performing: $0.get)
        }
    }

    // MARK: Whose turn it is

    @Test func aThreadThatHasDoneItsTurnLeavesTheRestToAWaitingThread() throws {
        let store = try Self.opened(
            MemoryStore(ceiling: nil, idsAhead: 1, turnBytesMax: 1), commitQueueBytesMax: 2_000)
        let order = Protected<[Int]>([])
        let batch = try Self.batch("a")
        store.commit(.events(batch, persists: false)) { _ in
            for number in 1...3 {
                store.commit(.events(batch, persists: false)) { _ in order.append(number) }
            }
            store.waiters.arrive()
        }
        #expect(order.value == [] && store.handOvers == 1)
        store.waiters.leave()
        store.commit(.events(batch, persists: false)) { _ in order.append(4) }
        #expect(order.value == [1, 2, 3, 4] && store.handOvers == 1)
    }

    @Test func whoIsRefusedTakesOverWhatWasLeftToIt() throws {
        let store = try Self.opened(
            MemoryStore(ceiling: nil, idsAhead: 1, turnBytesMax: 1), commitQueueBytesMax: 2_000)
        let done = Protected(0)
        let batch = try Self.batch("a")
        store.commit(.events(batch, persists: false)) { _ in
            for _ in 0..<20 {
                store.commit(.events(batch, persists: false)) {
                    if case .success = $0 { done.write { $0 += 1 } }
                }
            }
            store.waiters.arrive()
        }
        #expect(done.value == 0 && store.handOvers == 1)
        store.waiters.leave()
        let large = PublishBatch(topic: batch.topic, payloads: [Payload(count: 2_000) { _ in }])
        let refused = Protected(false)
        store.commit(.events(large, persists: false)) {
            if case .failure(.limit) = $0 { refused.value = true }
        }
        #expect(refused.value && done.value > 0)
        let before = done.value
        store.commit(.events(batch, persists: false)) { _ in done.write { $0 += 1 } }
        #expect(done.value == before + 1)
    }

    @Test func aTurnIsNotOverWhereNobodyComes() throws {
        let store = try Self.opened(MemoryStore(ceiling: nil, idsAhead: 1, turnBytesMax: 1))
        let done = Protected(0)
        let batch = try Self.batch("a")
        store.commit(.events(batch, persists: false)) { _ in
            for _ in 0..<1_000 {
                store.commit(.events(batch, persists: false)) { _ in done.write { $0 += 1 } }
            }
        }
        #expect(done.value == 1_000 && store.handOvers == 0)
    }

    @Test(arguments: [1 << 30, 3_000])
    func turnsThatEndAllTheTimeLoseNothingAndKeepTheOrder(queuedBytesMax: Int) throws {
        let store = try Self.opened(
            MemoryStore(ceiling: nil, idsAhead: 1, turnBytesMax: 1),
            commitQueueBytesMax: queuedBytesMax)
        let ids = Protected<[EventID]>([])
        let refused = Atomic(0)
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let batches = try (0..<8).map { try Self.batch("t\($0)") }
        try inParallel(8) { thread in
            for _ in 0..<3_000 {
                store.commit(.events(batches[thread], persists: false)) { outcome in
                    guard case .success(.events(let events)) = outcome else {
                        refused.add(1, ordering: .relaxed)
                        return
                    }
                    if inside.add(1, ordering: .relaxed).newValue > 1 {
                        overlaps.add(1, ordering: .relaxed)
                    }
                    ids.write { $0 += events.map(\.id) }
                    inside.subtract(1, ordering: .relaxed)
                }
            }
        }
        let told = ids.value
        #expect(told.count + refused.load(ordering: .relaxed) == 24_000)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 })
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(queuedBytesMax < 1 << 30 || refused.load(ordering: .relaxed) == 0)
    }

    @Test func timesNeverFallAndIDsRiseWhenTheClockIsSetBack() throws {
        let clock = ManualClock()
        let store = try Self.opened(clock: clock)
        let answered = Protected<[Event]>([])
        for step in 0..<10 {
            clock.advance(seconds: step.isMultiple(of: 2) ? -100 : 30)
            store.commit(.events(try Self.batch("a", 2), persists: false)) { outcome in
                if case .success(.events(let events)) = outcome {
                    answered.write { $0 += events }
                }
            }
        }
        let events = answered.value
        #expect(events.count == 20)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.id < $1.id && $0.time <= $1.time })
    }

    // MARK: Under a bus

    private final class Reader: TopicObserver {
        let bus: EventBus
        let failures = Atomic<Int>(0)
        let highest = Protected(EventID.zero)

        init(bus: EventBus) { self.bus = bus }

        func admitted(_ admission: Admission) {
            let isRising = highest.write { highest in
                defer { highest = admission.newest }
                return admission.newest > highest
            }
            if !isRising || bus.newest < admission.newest {
                failures.add(1, ordering: .relaxed)
            }
        }
    }

    @Test func eventsBecomeVisibleInIDOrderToAllThreads() throws {
        let bench = try Bench()
        let reader = Reader(bus: bench.bus)
        bench.broadcaster.register((any TopicObserver).self, observer: reader)
        let selector = try Selector("*")
        let start = bench.bus.newest
        let bus = bench.bus
        let read = Protected<[EventID]>([])
        let limit = ReadLimit(events: 64, bytes: 1 << 20)
        try inParallel(8) { thread in
            if thread == 0 {
                var position = LogPosition(after: start)
                while read.read({ $0.count }) < 7 * 500 {
                    let found = bus.read(position, matching: selector, filter: .all, limit: limit)
                    position = found.next
                    read.write { $0 += found.ids }
                }
                return
            }
            for _ in 0..<500 {
                let batch = try Self.batch("t\(thread)")
                bus.publish(batch) { #expect(throws: Never.self, performing: $0.get) }
            }
        }
        let ids = read.value
        #expect(ids.count == 7 * 500)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(reader.failures.load(ordering: .relaxed) == 0)
    }
}
