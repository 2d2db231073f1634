import Foundation
import Protection
import TestSupport
import Testing

@testable import Topics

struct SubscriptionEndingTests {
    // MARK: The topic is deleted

    @Test func deletingExactlyItsNameEndsItAndNoOther() throws {
        let bench = try Bench()
        let selectors = ["a", "a,b", "*", "b"]
        let listeners = try selectors.map { try bench.listen($0) }
        try bench.publish("a", "1")
        #expect(listeners.map { $0.read() } == [["1"], ["1"], ["1"], []])
        let place = try bench.remove("a")
        #expect(listeners.map { $0.read() } == [["end"], [], [], []])
        #expect(listeners.map(\.subscription.cursor) == Array(repeating: place, count: 4))
        try bench.publish("a", "2")
        #expect(listeners.map { $0.read() } == [[], ["2"], ["2"], []])
    }

    @Test func whatWasNotDeliveredOfADeletedTopicIsAGapBeforeTheEnd() throws {
        let bench = try Bench()
        let start = bench.bus.newest
        let subscriptions = try ["a", "*"].map { try bench.subscribe($0) }
        let ids = try bench.publish("a", "1", "2")
        let place = try bench.remove("a")
        let gap = Gap(after: start, through: ids[1]).words
        #expect(Listener(subscriptions[0]).read() == [gap, "end"])
        #expect(Listener(subscriptions[1]).read() == [gap])
        #expect(subscriptions[0].cursor == place)
        #expect(try bench.listen("a", since: .after(place)).read() == [])
    }

    @Test func whatItHoldsOfADeletedTopicIsDeliveredBeforeTheGap() throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a", events: 3)
        let ids = try bench.publish("a", "1", "2", "3", "4")
        #expect(Listener(subscription, deliveries: 1).read() == ["1"])
        try bench.remove("a")
        let gap = Gap(after: ids[2], through: ids[3]).words
        #expect(Listener(subscription).read() == ["2", "3", gap, "end"])
    }

    @Test func aTopicThatIsMadeAgainIsNotWhatADeletedOneEndsWith() throws {
        let bench = try Bench()
        try bench.register("a", keep: 5)
        let slow = try bench.subscribe("a")
        let level = try bench.listen("a")
        let ids = try bench.publish("a", "1")
        #expect(level.read() == ["1"])
        let place = try bench.remove("a")
        try bench.register("a", keep: 1)
        try bench.publish("a", "2", "3", "4")
        bench.clock.advance(seconds: 5)
        bench.bus.sweep()
        #expect(level.read() == ["end"])
        let gap = Gap(after: ids[0].before, through: ids[0]).words
        #expect(Listener(slow).read() == [gap, "end"])
        #expect(slow.cursor == place && level.subscription.cursor == place)
        try bench.remove("a")
        #expect(slow.cursor == place)
    }

    @Test func aDeletionBeforeItsMakingDoesNotEndIt() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2")
        try bench.remove("a")
        let listener = try bench.listen("a", since: .after(ids[0]))
        #expect(listener.read() == [Gap(after: ids[0], through: ids[1]).words])
        try bench.publish("a", "3")
        #expect(listener.read() == ["3"])
    }

    @Test func aDeletionThatIsStillBeingToldDoesNotEndWhatIsMadeAfterIt() throws {
        let bench = try Bench()
        let again = Resubscriber(bench.bus)
        bench.broadcaster.register((any TopicObserver).self, observer: again)
        let first = try bench.listen("a")
        try bench.publish("a", "1")
        #expect(first.read() == ["1"])
        try bench.remove("a")
        #expect(first.read() == ["end"])
        let listener = Listener(try #require(again.subscription.value))
        try bench.publish("a", "2")
        #expect(listener.read() == ["2"])
    }

    /// Subscribes anew while a deletion is still being told.
    private final class Resubscriber: TopicObserver {
        let bus: EventBus
        let subscription = Protected<EventSubscription?>(nil)

        init(_ bus: EventBus) { self.bus = bus }

        func admitted(_ admission: Admission) {
            guard admission.change == .removal else { return }
            subscription.value = try? bus.subscribe(Selector(admission.topic))
        }
    }

    // MARK: The bus drains

    @Test func aDrainingBusEndsItBehindWhatIsVisible() throws {
        let bench = try Bench()
        let listeners = try ["a", "*", "quiet"].map { try bench.listen($0, events: 2) }
        let slow = try bench.subscribe("a", events: 2)
        let ids = try bench.publish("a", "1", "2", "3", "4", "5")
        bench.bus.drain()
        #expect(throws: BusError.draining) { try bench.publish("a", "6") }
        let all = ["1", "2", "3", "4", "5", "end"]
        #expect(listeners.map { $0.read() } == [all, all, ["end"]])
        #expect(Listener(slow).read() == all)
        #expect(slow.cursor == ids[4])
        #expect(try bench.listen("a", since: .last(2)).read() == ["4", "5", "end"])
        #expect(try bench.subscribers(of: "a") == 0)
    }

    // MARK: It is cancelled

    @Test func cancellingEndsItAtOnceAndDiscardsWhatItHolds() throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a")
        let ids = try bench.publish("a", "1", "2", "3")
        #expect(Listener(subscription, deliveries: 1).read() == ["1"])
        subscription.cancel()
        subscription.cancel()
        #expect(Listener(subscription).read() == ["end"])
        #expect(subscription.cursor == ids[0])
        try bench.publish("a", "4")
        #expect(subscription.cursor == ids[0])
        #expect(try bench.subscribers(of: "a") == 0)
    }

    @Test func cancellingEndsWhoWaits() throws {
        let bench = try Bench()
        let listener = try bench.listen("a")
        listener.subscription.cancel()
        #expect(listener.read() == ["end"])
        let other = try bench.listen("a")
        other.cancel()
        #expect(other.read() == ["end"])
        #expect(bench.bus.statistics.subscribers == 0)
    }

    @Test func aTaskThatIsCancelledBeforeItAsksGetsNothing() throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a")
        try bench.publish("a", "1")
        let executor = ManualExecutor()
        let told = Protected<[String]>([])
        let task = Task(executorPreference: executor) {
            for try await delivery in subscription { told.append(delivery.words) }
            told.append("end")
        }
        task.cancel()
        executor.run()
        #expect(told.value == ["end"])
        #expect(bench.bus.statistics.subscribers == 0)
    }

    // MARK: It is released

    @Test func itCountsAsASubscriberFromItsMakingUntilItIsReleased() throws {
        let bench = try Bench(defaults: Retention(keep: 0, bytes: nil, age: nil))
        var named: EventSubscription? = try bench.subscribe("a")
        var wide: EventSubscription? = try bench.subscribe("*,b")
        #expect(try bench.receipt("a", [.empty]).subscribers == 2)
        #expect(bench.bus.followers.selectorCount == 2)
        var iterator = named?.makeAsyncIterator()
        named = nil
        wide = nil
        #expect(try bench.receipt("a", [.empty]).subscribers == 1)
        #expect(bench.bus.followers.selectorCount == 1)
        iterator = nil
        #expect(bench.bus.followers.selectorCount == 0)
        #expect(bench.bus.statistics.subscribers == 0)
        bench.clock.advance(seconds: 5)
        bench.bus.sweep()
        #expect(try bench.subscribers(of: "a") == nil)
        withExtendedLifetime((named, wide, iterator)) {}
    }

    @Test func aDeletedTopicsSubscriptionsCountNoMoreBeforeTheyAreRead() throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a")
        try bench.publish("a", "1")
        try bench.remove("a")
        #expect(try bench.receipt("a", [.empty]).subscribers == 0)
        #expect(bench.bus.followers.selectorCount == 0)
        withExtendedLifetime(subscription) {}
    }

    @Test func whatIsReleasedInTheMiddleLeavesNoEventBehindAndNoBus() throws {
        weak var event: Event?
        weak var bus: EventBus?
        do {
            let bench = try Bench()
            bus = bench.bus
            let subscription = try bench.subscribe("a")
            try bench.publish("a", "1", "2", "3")
            #expect(Listener(subscription, deliveries: 1).read() == ["1"])
            event = try bench.read(from: .latest, "a").events[0]
            try bench.remove("a")
            #expect(event != nil)
            subscription.cancel()
            #expect(event == nil)
            let waiting = try bench.listen("*")
            #expect(waiting.read() == [])
        }
        #expect(event == nil)
        #expect(bus == nil)
    }

    @Test func aSubscriptionThatIsLeftWhileItsTaskWaitsEndsWithTheTask() throws {
        let bench = try Bench()
        var listener: Listener? = try bench.listen("a")
        #expect(bench.bus.statistics.subscribers == 1)
        listener = nil
        #expect(bench.bus.statistics.subscribers == 0)
        withExtendedLifetime(listener) {}
    }

    // MARK: Several readers

    @Test func aSecondIteratorGoesOnWhereTheFirstStopped() async throws {
        let bench = try Bench()
        let subscription = try bench.subscribe("a")
        try bench.publish("a", "1", "2", "3")
        var first = subscription.makeAsyncIterator()
        var second = subscription.makeAsyncIterator()
        #expect(try await first.next()?.words == "1")
        #expect(try await second.next()?.words == "2")
        #expect(try await first.next()?.words == "3")
    }

    @Test func askingWhileAnotherCallWaitsStopsWithASentence() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let bench = try Bench()
            let listener = try bench.listen("a.*")
            let other = Listener(listener.subscription)
            withExtendedLifetime((listener, other)) {}
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("a subscription to a.* was asked for its next event while"))
    }
}
