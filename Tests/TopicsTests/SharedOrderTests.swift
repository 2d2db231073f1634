import StoreSupport
import TestSupport
import Testing

@testable import Topics

/// One order of several hosts: what others bring arrives, and a cursor goes on at any host.
struct SharedOrderTests {
    @Test(arguments: Array(1...40) + [SeededRandom.runSeed])
    func readersThatChangeHostMissNothing(seed: UInt64) throws {
        var run = try SharedOrderRun(seed: seed)
        let difference = try run.run(steps: 400)
        #expect(difference == nil, "seed \(seed)")
    }

    @Test(arguments: SharedStore.Fault.allCases)
    func aHostBrokenOnPurposeIsCaught(fault: SharedStore.Fault) throws {
        var run = try SharedOrderRun(seed: 1, fault: fault)
        #expect(try run.run(steps: 400) != nil)
    }

    /// Two hosts: the first has applied all, the second nothing.
    private struct Pair {
        let near: Bench
        let far: Bench
        let farStore: SharedStore
        let nearStore: SharedStore

        init() throws {
            let order = SharedOrder()
            nearStore = SharedStore(order, host: 0)
            farStore = SharedStore(order, host: 1)
            near = try Bench(store: nearStore)
            far = try Bench(store: farStore)
        }

        func publish(_ topic: String, _ texts: String...) throws {
            near.bus.publish(
                PublishBatch(
                    topic: try TopicName(topic), payloads: texts.map { Payload(Array($0.utf8)) })
            ) { _ in }
            while nearStore.applyNext() {}
        }
    }

    @Test func aCursorOfAHostAheadWaitsAtOneBehind() async throws {
        let hosts = try Pair()
        try hosts.publish("a", "1", "2")
        let cursor = hosts.near.bus.newest
        let subscription = try hosts.far.bus.subscribe(
            try Selector("a"), since: .after(cursor))
        try hosts.publish("a", "3")
        while hosts.farStore.applyNext() {}
        var told = subscription.makeAsyncIterator()
        #expect(try await told.next()?.text == "3")
        #expect(subscription.cursor == hosts.near.bus.newest)
    }

    @Test func aRemovalThatTheCursorHasSeenDoesNotEndItsSubscription() async throws {
        let hosts = try Pair()
        try hosts.publish("a", "1")
        hosts.near.bus.remove(try TopicName("a")) { _ in }
        while hosts.nearStore.applyNext() {}
        let subscription = try hosts.far.bus.subscribe(
            try Selector("a"), since: .after(hosts.near.bus.newest))
        var told = subscription.makeAsyncIterator()
        try hosts.publish("a", "2")
        while hosts.farStore.applyNext() {}
        #expect(try await told.next()?.text == "2")
    }

    @Test func aCursorThatNoHostGaveIsOfAnotherLife() throws {
        let hosts = try Pair()
        try hosts.publish("a", "1")
        while hosts.farStore.applyNext() {}
        let cursor = EventID(rawValue: hosts.near.bus.newest.rawValue + 7)
        for selector in ["a", "*"] {
            let first = try hosts.far.read(after: cursor, selector)
            guard case .older(let position) = first else {
                Issue.record("it was judged before the store was asked: \(first.words)")
                return
            }
            let read: LogRead = try hosts.far.answer { then in
                hosts.far.bus.readStore(
                    position, matching: try! Selector(selector), filter: .all, limit: .standard,
                    then: then)
            }
            #expect(read.gap?.after == cursor)
            #expect(try hosts.far.read(read.next, selector).texts == ["1"])
        }
    }

    /// Each of two hosts is asked before it knows of the other's registration.
    @Test func twoRegistrationsAtOnceUndoNothingOfEachOther() throws {
        let hosts = try Pair()
        let topic = try TopicName("a")
        func register(
            _ bench: Bench, keep: Int? = nil, expect: Int64? = nil,
            keeping kept: SettingsChange.Kept
        ) {
            var settings = TopicSettings(
                retention: Retention(keep: keep, bytes: nil, age: nil), persists: true)
            settings.expect = expect
            bench.bus.register(topic, SettingsChange(settings, keeping: kept), by: .unknown) { _ in
            }
        }
        register(hosts.near, keep: 9, keeping: [.expect, .hold])
        while hosts.nearStore.applyNext() {}
        while hosts.farStore.applyNext() {}
        register(hosts.near, keep: 5, keeping: [.expect, .hold])
        register(hosts.far, expect: 60_000_000, keeping: [.retention, .hold])
        register(hosts.near, keep: 6, keeping: [.expect, .hold])
        while hosts.nearStore.applyNext() {}
        while hosts.farStore.applyNext() {}
        for bench in [hosts.near, hosts.far] {
            let found = try #require(bench.bus.description(of: topic))
            #expect(found.retention.keep == 6 && found.expect == 60_000_000)
        }
        // Nothing is kept of a topic that is gone by then.
        hosts.near.bus.remove(topic) { _ in }
        register(hosts.far, keep: 7, keeping: [.expect, .hold])
        while hosts.nearStore.applyNext() {}
        while hosts.farStore.applyNext() {}
        for bench in [hosts.near, hosts.far] {
            let found = try #require(bench.bus.description(of: topic))
            #expect(found.retention.keep == 7 && found.expect == nil)
        }
    }

    @Test func whatGoesFollowsTheStoreAloneOnASharedOrder() throws {
        let order = SharedOrder()
        let store = SharedStore(order, host: 0)
        let bench = try Bench(
            store: store, defaults: Retention(keep: 1, bytes: nil, age: 1_000_000))
        for _ in 0..<3 { try bench.publish(waiting: "a", .empty, store) }
        bench.clock.advance(seconds: 100)
        bench.bus.sweep()
        #expect(bench.bus.description(of: try TopicName("a"))?.events == 3)
    }

    @Test func lossesThatTheStoreMergesAreToldToEveryReaderBelowThem() throws {
        let hosts = try Pair()
        let start = hosts.near.bus.newest
        try hosts.publish("a", "1")
        let lost = hosts.near.bus.newest
        hosts.near.bus.remove(try TopicName("a")) { _ in }
        try hosts.publish("b", "2")
        while hosts.farStore.applyNext() {}
        let before = try hosts.far.read(LogPosition(after: start), "b")
        #expect(before.gap == nil && before.texts == ["2"])
        hosts.far.bus.storeMerged(lossesThrough: lost, time: .distantPast)
        let after = try hosts.far.read(LogPosition(after: start), "b")
        #expect(after.gap == Gap(after: start, through: lost))
        #expect(try hosts.far.read(after.next, "b").texts == ["2"])
        #expect(hosts.far.bus.statistics.tombstones == 0)
    }

    @Test func whatArrivesIsNeverRefusedAndMemoryIsKept() throws {
        let order = SharedOrder()
        let (store, other) = (SharedStore(order, host: 0), SharedStore(order, host: 1))
        let near = try Bench(store: store)
        let far = try Bench(store: other, autocreate: false, memoryBytesMax: 1 << 20)
        for _ in 0..<64 {
            try near.publish(waiting: "a", Payload(count: 32_768) { _ in }, store)
        }
        while other.applyNext() {}
        #expect(far.bus.newest == near.bus.newest)
        #expect(far.bus.description(of: try TopicName("a"))?.events == 64)
        #expect(far.memory.used(.events) < 1 << 20)
    }
}

extension Delivery {
    /// The payload of an event; nil for a gap.
    fileprivate var text: String? {
        if case .event(let event) = self { event.payload.text } else { nil }
    }
}

extension Bench {
    /// Publishes one event by a store that applies it when told to.
    fileprivate func publish(
        waiting topic: String, _ payload: Payload, _ store: SharedStore
    ) throws {
        bus.publish(PublishBatch(topic: try TopicName(topic), payloads: [payload])) { _ in }
        while store.applyNext() {}
    }
}
