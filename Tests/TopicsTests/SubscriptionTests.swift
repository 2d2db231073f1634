import Broadcasting
import Protection
import Testing

@testable import Topics

struct SubscriptionTests {
    // MARK: What is delivered

    @Test func whatIsPublishedAfterItsMakingIsDeliveredInOrder() throws {
        let bench = try Bench()
        try bench.publish("a", "before")
        let subscription = try bench.subscribe("a")
        try bench.publish("a", "1", "2")
        try bench.publish("b", "other")
        let listener = Listener(subscription)
        #expect(listener.read() == ["1", "2"])
        try bench.publish("a", "3")
        #expect(listener.read() == ["3"])
        #expect(listener.read() == [])
    }

    @Test func topicsThatComeLaterBelongToAPatternFromTheirFirstEvent() throws {
        let bench = try Bench()
        let listener = try bench.listen("a.*,b.>")
        try bench.publish("a.new", "1")
        try bench.publish("a", "no")
        try bench.publish("b.x.y", "2")
        try bench.publish("a.new.deeper", "no")
        #expect(listener.read() == ["1", "2"])
        try bench.publish("a.newer", "3")
        #expect(listener.read() == ["3"])
    }

    @Test func everyStartIsFound() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2")
        bench.clock.advance(seconds: 10)
        let time = bench.clock.now()
        try bench.publish("b", "3")
        try bench.publish("a", "4")
        let starts: [(StartPosition, String, [String])] = [
            (.earliest, "*", ["1", "2", "3", "4"]), (.latest, "b", ["3"]),
            (.last(2), "a", ["2", "4"]), (.after(ids[0]), "*", ["2", "3", "4"]),
            (.time(time), "*", ["3", "4"]), (.ago(microseconds: 1), "a", ["4"]), (.now, "*", []),
        ]
        for (start, selector, expected) in starts {
            #expect(try bench.listen(selector, since: start).read() == expected, "\(start)")
        }
    }

    @Test func aFilterLetsOnlyWhatIsWantedThrough() throws {
        let bench = try Bench()
        let listener = try bench.listen("a", type: "red")
        let wakes = listener.wakes
        try bench.publish("a", "1", type: "red")
        try bench.publish("a", "2", type: "blue")
        let last = try bench.publish("a", "3")
        #expect(listener.read() == ["1"])
        #expect(listener.wakes == wakes + 1)
        #expect(listener.subscription.cursor == last[0])
    }

    @Test func aBatchIsReadAtATimeAndNothingIsLeftOut() throws {
        let bench = try Bench()
        let listener = try bench.listen("*", events: 7)
        let all = (0..<100).map { "\($0)" }
        for text in all { try bench.publish(["a", "b"].randomElement()!, text) }
        #expect(listener.read() == all)
    }

    @Test func aNameThatIsNotThereCanNotBeSubscribedToWhereAskingMakesNoTopics() throws {
        let bench = try Bench(autocreate: false)
        #expect(throws: BusError.topicUnknown(try TopicName("a"))) { try bench.subscribe("a,b") }
        #expect(bench.bus.statistics.subscribers == 0)
        try bench.register("a")
        let listener = try bench.listen("a,new.*")
        try bench.publish("a", "1")
        #expect(listener.read() == ["1"])
    }

    // MARK: Waking

    @Test func aBurstWakesAWaitingReaderOnce() throws {
        let bench = try Bench()
        let listener = try bench.listen("a")
        let wakes = listener.wakes
        for number in 0..<1_000 { try bench.publish("a", "\(number)") }
        #expect(listener.wakes == wakes + 1)
        #expect(listener.read().count == 1_000)
        #expect(listener.wakes == wakes + 1)
    }

    @Test func onlyWhoIsConcernedIsWoken() throws {
        let bench = try Bench()
        let listeners = try ["a", "a.x", "a.*", "b,c", ">", "*.y"].map { try bench.listen($0) }
        let wakes = listeners.map(\.wakes)
        try bench.publish("a.x", "1")
        try bench.publish("c", "2")
        #expect(zip(listeners, wakes).map { $0.wakes - $1 } == [0, 1, 1, 1, 1, 0])
        #expect(listeners.map { $0.read() } == [[], ["1"], ["1"], ["2"], ["1", "2"], []])
    }

    @Test func busesThatShareABroadcasterDoNotDisturbEachOthersSubscriptions() throws {
        let bench = try Bench()
        let other = try EventBus(
            store: MemoryStore(ceiling: nil), memory: bench.memory, clock: bench.clock,
            broadcaster: bench.broadcaster, log: Bench.silent)
        let listener = try bench.listen("a")
        let theirs = Listener(try other.subscribe(try Selector("a")))
        let (wakes, cursor) = (listener.wakes, listener.subscription.cursor)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty, .empty, .empty])
        _ = try bench.answer { other.publish(batch, then: $0) }
        #expect(theirs.read() == ["", "", ""])
        _ = try bench.answer { other.remove(batch.topic, then: $0) }
        #expect(theirs.read() == ["end"])
        #expect(listener.wakes == wakes)
        #expect(listener.subscription.cursor == cursor)
        try bench.publish("a", "1")
        #expect(listener.read() == ["1"])
    }

    @Test func theBusObservesItselfThroughTheBroadcasterOnceForAllSubscriptions() throws {
        let bench = try Bench()
        #expect(bench.broadcaster.observerships.isEmpty)
        let subscriptions = try (0..<10).map { try bench.subscribe("t\($0)") }
        #expect(bench.broadcaster.observerships.map(\.observers.count) == [1])
        withExtendedLifetime(subscriptions) {}
    }

    // MARK: Cursors

    @Test func theCursorIsThatOfTheLastDelivery() throws {
        let bench = try Bench()
        let start = bench.bus.newest
        let subscription = try bench.subscribe("a")
        #expect(subscription.cursor == start)
        let ids = try bench.publish("a", "1", "2", "3")
        let last = try bench.publish("b", "x")
        #expect(subscription.cursor == start)
        for index in 0..<2 {
            #expect(Listener(subscription, deliveries: 1).read() == ["\(index + 1)"])
            #expect(subscription.cursor == ids[index])
        }
        #expect(Listener(subscription, deliveries: 1).read() == ["3"])
        #expect(subscription.cursor == last[0])
    }

    @Test func aStartInTheRetainedPartHasTheCursorBeforeItsFirstEvent() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2", "3")
        let subscription = try bench.subscribe("a", since: .last(2))
        #expect(subscription.cursor == ids[0])
        #expect(try bench.listen("a", since: .after(subscription.cursor)).read() == ["2", "3"])
    }

    @Test func theCursorOfAQuietSubscriptionMovesOnWithTheBus() throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a")
        let listener = try bench.listen("a")
        for _ in 0..<3 {
            let ids = try bench.publish("b", "x", "y")
            #expect(subscription.cursor == ids[1])
            #expect(listener.subscription.cursor == ids[1])
        }
        let place = try bench.remove("b")
        #expect(subscription.cursor == place)
    }

    @Test func noCursorPassesAnEventWhileSomeOfThoseItConcernsAreStillToBeWoken() throws {
        let bench = try Bench()
        let subscriptions = try (0..<4).map { _ in try bench.subscribe("a") }
        let cursors = Protected<[EventID]>([])
        let executor = ManualExecutor { cursors.write { $0 += subscriptions.map(\.cursor) } }
        let listeners = subscriptions.map { Listener($0, on: executor) }
        cursors.value = []
        let last = try bench.publish("b", "x")
        let ids = try bench.publish("a", "1")
        #expect(cursors.value == Array(repeating: last[0], count: 16))
        #expect(listeners.map { $0.read() } == Array(repeating: ["1"], count: 4))
        #expect(subscriptions.allSatisfy { $0.cursor == ids[0] })
    }

    @Test func anyCursorResumesWithoutLossOrRepetition() throws {
        let bench = try Bench()
        var subscription = try bench.subscribe("a,b.*")
        var told: [String] = []
        var published: [String] = []
        for round in 0..<60 {
            for step in 0...(round % 4) {
                published.append("\(round) \(step)")
                try bench.publish(["a", "b.x", "b.y"][(round + step) % 3], "\(round) \(step)")
                try bench.publish("c", "no")
            }
            told += Listener(subscription, deliveries: round % 5).read()
            if round % 3 == 0 {
                subscription = try bench.subscribe("a,b.*", since: .after(subscription.cursor))
            }
        }
        told += Listener(subscription).read()
        #expect(told == published)
    }

    // MARK: Gaps

    @Test func aStatedCursorBehindWhatIsKeptIsToldAGapFirst() throws {
        let bench = try Bench()
        try bench.register("a", keep: 2)
        let ids = try bench.publish("a", "1", "2", "3", "4")
        let gap = Gap(after: ids[0], through: ids[1])
        #expect(try bench.listen("a", since: .after(ids[0])).read() == [gap.words, "3", "4"])
        #expect(try bench.listen("a", since: .after(ids[1])).read() == ["3", "4"])
        #expect(try bench.listen("a", since: .earliest).read() == ["3", "4"])
    }

    @Test func theCursorStaysBeforeAGapUntilWhatIsLeftOfItIsDelivered() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let first = try bench.publish("b", "kept")
        let lost = try bench.publish("a", "1", "2")
        let start = first[0].before
        let subscription = try bench.subscribe("a,b", since: .after(start))
        let gap = Gap(after: start, through: lost[0])
        #expect(Listener(subscription, deliveries: 1).read() == [gap.words])
        #expect(subscription.cursor == start)
        #expect(Listener(subscription, deliveries: 1).read() == ["kept"])
        #expect(subscription.cursor == first[0])
    }

    @Test func aCursorOfAnotherLifeIsToldAGapAndStartsOver() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2")
        let foreign = EventID(rawValue: ids[1].rawValue + 1_000)
        let gap = Gap(after: foreign, through: ids[0].before)
        let subscription = try bench.subscribe("a", since: .after(foreign))
        #expect(subscription.cursor == foreign)
        #expect(Listener(subscription, deliveries: 1).read() == [gap.words])
        #expect(subscription.cursor == .zero)
        #expect(Listener(subscription, deliveries: 2).read() == ["1", "2"])
    }

    @Test func aSlowReaderGetsWhatItHoldsThenAGapThenWhatIsKept() throws {
        let bench = try Bench()
        try bench.register("a", keep: 2)
        let subscription = try bench.subscribe("a", events: 3)
        let ids = try bench.publish("a", (0..<10).map { Payload(Array("\($0)".utf8)) })
        #expect(Listener(subscription, deliveries: 1).read() == ["0"])
        bench.clock.advance(seconds: 3)
        bench.bus.sweep()
        let gap = Gap(after: ids[2], through: ids[7])
        #expect(Listener(subscription, deliveries: 5).read() == ["1", "2", gap.words, "8", "9"])
    }

    @Test func fromItsMakingItStillGetsWhatRetentionRemovedAMomentAgo() throws {
        let bench = try Bench()
        try bench.register("a", keep: 0)
        let subscription = try bench.subscribe("a")
        try bench.publish("a", "1", "2", "3")
        bench.clock.advance(seconds: 1.9)
        bench.bus.sweep()
        #expect(Listener(subscription, deliveries: 3).read() == ["1", "2", "3"])
        let late = try bench.publish("a", "4")
        bench.clock.advance(seconds: 2)
        bench.bus.sweep()
        let gap = Gap(after: late[0].before, through: late[0])
        #expect(Listener(subscription, deliveries: 1).read() == [gap.words])
    }

    @Test func whatOthersLostIsNoGapForOneThatWaited() throws {
        var limits = BusLimits()
        limits.tombstonesMax = 2
        let bench = try Bench(limits: limits)
        let subscription = try bench.subscribe("a")
        let listener = try bench.listen("a")
        for index in 0..<10 {
            try bench.publish("t\(index)", "x")
            try bench.remove("t\(index)")
        }
        try bench.publish("a", "1")
        #expect(listener.read() == ["1"])
        #expect(Listener(subscription, deliveries: 1).read() == ["1"])
        for index in 0..<10 {
            try bench.publish("t\(index)", "x")
            try bench.remove("t\(index)")
        }
        let cursor = subscription.cursor
        try bench.remove("a")
        #expect(subscription.cursor == cursor)
        #expect(listener.read() == ["end"])
        #expect(Listener(subscription).read() == ["end"])
    }
}
