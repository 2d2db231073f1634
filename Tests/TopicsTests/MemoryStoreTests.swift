import Broadcasting
import Protection
import Synchronization
import TestSupport
import Testing

@testable import Topics

struct MemoryStoreTests {
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
