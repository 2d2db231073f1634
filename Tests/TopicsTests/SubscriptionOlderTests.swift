import Protection
import StoreSupport
import TestSupport
import Testing

@testable import Topics

/// Subscriptions to what memory let go and only the store has.
struct SubscriptionOlderTests {
    /// A bus whose memory holds about a hundred small events.
    private static func bench(_ store: any EventStore) throws -> Bench {
        try Bench(
            store: store, defaults: Retention(keep: nil, bytes: nil, age: nil),
            memoryBytesMax: 24_000)
    }

    private static func fill(_ bench: Bench, _ texts: Range<Int>) throws -> [String] {
        try texts.map { number in
            try bench.publish(number % 2 == 0 ? "a" : "b", "\(number)")
            return "\(number)"
        }
    }

    @Test(arguments: [1, 7, 64])
    func whatOnlyTheStoreHasIsDeliveredWithoutASeam(events: Int) throws {
        let bench = try Self.bench(ShelfStore())
        let all = try Self.fill(bench, 0..<400)
        #expect(bench.bus.statistics.evicted > 200)
        let listener = try bench.listen("*", since: .earliest, events: events)
        #expect(listener.read() == all)
        #expect(try bench.listen("*", since: .last(350), events: events).read() == all.suffix(350))
        #expect(listener.read() == [])
        try bench.publish("a", "live")
        #expect(listener.read() == ["live"])
    }

    @Test func whatIsPublishedWhileTheStoreReadsComesBehindItOnce() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        var all = try Self.fill(bench, 0..<300)
        let subscription = try bench.subscribe("a,b", since: .earliest)
        store.closeDoor()
        let listener = Listener(subscription)
        #expect(store.waiting == 1 && listener.read() == [])
        let wakes = listener.wakes
        all += try Self.fill(bench, 300..<500)
        #expect(listener.wakes == wakes)
        store.openDoor()
        #expect(listener.read() == all)
    }

    @Test func whatGoesWhileTheStoreReadsIsAGap() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        store.closeDoor()
        let listener = try bench.listen("a", since: .after(ids[0]))
        try bench.register("a", keep: 200)
        store.openDoor()
        let gap = Gap(after: ids[0], through: ids[99]).words
        #expect(listener.read() == [gap] + (100..<300).map { "\($0)" })
    }

    @Test func aDeletionWhileTheStoreReadsIsAGapAndTheEnd() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        store.closeDoor()
        let listener = try bench.listen("a", since: .after(ids[4]))
        let unresolved = try bench.listen("a", since: .last(250))
        let place = try bench.remove("a")
        try bench.publish("a", "again")
        store.openDoor()
        #expect(listener.read() == [Gap(after: ids[4], through: ids[299]).words, "end"])
        #expect(unresolved.read() == ["end"])
        #expect(listener.subscription.cursor == place)
        #expect(unresolved.subscription.cursor == place)
    }

    @Test func aStartThatOnlyTheStoreCanFindHasTheCursorOfTheBeginning() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        let subscription = try bench.subscribe("a", since: .last(250))
        #expect(subscription.cursor == .zero)
        #expect(Listener(subscription, deliveries: 1).read() == ["50"])
        #expect(subscription.cursor == ids[50])
    }

    @Test func cancellingDoesNotWaitForTheStore() throws {
        let store = ShelfStore()
        let bench = try Self.bench(store)
        _ = try Self.fill(bench, 0..<300)
        store.closeDoor()
        let listener = try bench.listen("*", since: .earliest)
        let cancelled = try bench.listen("*", since: .earliest)
        #expect(store.waiting == 2)
        listener.subscription.cancel()
        cancelled.cancel()
        #expect(listener.read() == ["end"] && cancelled.read() == ["end"])
        #expect(bench.bus.statistics.subscribers == 0)
        store.openDoor()
        #expect(listener.read() == [] && cancelled.read() == [])
    }

    @Test func aStoreThatCanNotReadIsThrownOnceAndTheCursorResumes() throws {
        let store = BrokenShelfStore()
        let bench = try Self.bench(store)
        let all = try Self.fill(bench, 0..<300)
        let listener = try bench.listen("*", since: .earliest)
        #expect(listener.read() == ["the disk is gone"])
        #expect(Listener(listener.subscription).read() == ["end"])
        #expect(bench.bus.statistics.subscribers == 0)
        store.isBroken.value = false
        let cursor = listener.subscription.cursor
        #expect(try bench.listen("*", since: .after(cursor)).read() == all)
    }

    /// A shelf that cannot be read for a while.
    private final class BrokenShelfStore: EventStore {
        let isBroken = Protected(true)
        private let shelf = ShelfStore()

        var capabilities: StoreCapabilities { shelf.capabilities }
        var readiness: Readiness { shelf.readiness }

        func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
            try shelf.open(context)
        }

        func commit(
            _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
        ) {
            shelf.commit(entry, then: then)
        }

        func read(
            _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
        ) {
            guard !isBroken.value else { return then(.failure(.storeFailed("the disk is gone"))) }
            shelf.read(request, then: then)
        }

        func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
            shelf.trim(trim, then: then)
        }

        func close() { shelf.close() }
    }
}
