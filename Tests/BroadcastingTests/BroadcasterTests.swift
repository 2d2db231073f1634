import Broadcasting
import TestSupport
import Testing

@Suite struct BroadcasterTests {
    private let bus = Broadcaster()
    private let hearing = Hearing()

    @Test func observersAreCalledInOrderOfRegistration() {
        let listeners = ["c", "a", "b"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        listeners.forEach { bus.add($0) }
        bus.ring(1)
        #expect(hearing.all == ["c1", "a1", "b1"])
    }

    @Test func registeringTwiceChangesNothing() {
        let (first, second) = (hearing.listener("a"), hearing.listener("b"))
        bus.add(first)
        bus.add(second)
        bus.add(first)
        bus.ring(1)
        #expect(hearing.all == ["a1", "b1"])
    }

    @Test func beingReleasedIsEnoughToLeave() {
        var first: Listener? = hearing.listener("a")
        let second = hearing.listener("b")
        if let first { bus.add(first) }
        bus.add(second)
        first = nil
        bus.ring(1)
        #expect(hearing.all == ["b1"])
    }

    @Test func anUnregisteredObserverIsNotCalled() {
        let (first, second) = (hearing.listener("a"), hearing.listener("b"))
        bus.add(first)
        bus.add(second)
        bus.drop(first)
        bus.ring(1)
        bus.add(first)
        bus.ring(2)
        #expect(hearing.all == ["b1", "b2", "a2"])
    }

    @Test func protocolsAndBusesKnowNothingOfEachOther() {
        let listener = hearing.listener("a")
        bus.add(listener)
        bus.register((any LampObserver).self, observer: listener)
        bus.notify((any LampObserver).self) { $0.lit() }
        bus.unregister((any LampObserver).self)
        bus.notify((any LampObserver).self) { $0.lit() }
        Broadcaster().ring(1)
        bus.ring(2)
        #expect(hearing.all == ["a-1", "a2"])
    }

    @Test func protocolsOfTheSamePrintedNameAreNotMixedUp() {
        final class First {
            class Target {}
        }
        final class Second {
            class Target {}
        }
        let target = First.Target()
        bus.register(First.Target.self, observer: target)
        var calls = 0
        bus.notify(Second.Target.self) { _ in calls += 1 }
        #expect("\(First.Target.self)" == "\(Second.Target.self)")
        #expect(calls == 0)
        bus.notify(First.Target.self) { _ in calls += 1 }
        #expect(calls == 1)
    }

    @Test func protocolsOfOneNameInTwoModulesAreTwo() {
        final class Foreign: TestSupport.BellObserver {
            private(set) var rings = 0

            func bellRang() { rings += 1 }
        }
        let (own, foreign) = (hearing.listener("a"), Foreign())
        bus.add(own)
        bus.register((any TestSupport.BellObserver).self, observer: foreign)
        #expect("\((any BellObserver).self)" == "\((any TestSupport.BellObserver).self)")
        bus.ring(1)
        #expect(foreign.rings == 0)
        bus.notify((any TestSupport.BellObserver).self) { $0.bellRang() }
        #expect(foreign.rings == 1)
        bus.unregister((any TestSupport.BellObserver).self)
        bus.ring(2)
        #expect(hearing.all == ["a1", "a2"])
    }

    @Test func aTopicReachesItsObserversAndThoseOfAllTopics() {
        let listeners = ["a", "b", "c", "d"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        bus.add(listeners[0], at: "left")
        bus.add(listeners[1])
        bus.add(listeners[2], at: "right")
        bus.add(listeners[3], at: "left")
        bus.ring(1, at: "left")
        bus.ring(2, at: "right")
        bus.ring(3, at: "nowhere")
        bus.ring(4)
        #expect(hearing.all == ["a1", "b1", "d1", "b2", "c2", "b3", "b4"])
    }

    @Test func anObserverOfATopicAndOfAllIsCalledOnceAtItsFirstPlace() {
        let listeners = ["a", "b", "c"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        bus.add(listeners[0], at: 7)
        bus.add(listeners[1])
        bus.add(listeners[2])
        bus.add(listeners[0])
        bus.add(listeners[1], at: 7)
        bus.ring(1, at: 7)
        bus.ring(2)
        #expect(hearing.all == ["a1", "b1", "c1", "b2", "c2", "a2"])
    }

    @Test func topicsOfOneHashAreStillSeveral() {
        struct Crowded: Hashable, Sendable {
            let number: Int

            func hash(into hasher: inout Hasher) {}
        }
        let listeners = ["a", "b", "c"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        for (number, listener) in listeners.enumerated() {
            bus.add(listener, at: Crowded(number: number))
        }
        bus.ring(1, at: Crowded(number: 1))
        bus.drop(listeners[1])
        for number in 0..<4 { bus.ring(2, at: Crowded(number: number)) }
        #expect(hearing.all == ["b1", "a2", "c2"])
        #expect(bus.observerships.count == 2)
    }

    @Test func unregisteringEndsEveryTopic() {
        let listener = hearing.listener("a")
        bus.add(listener)
        bus.add(listener, at: 1)
        bus.add(listener, at: "one")
        bus.drop(listener)
        bus.ring(1)
        bus.ring(2, at: 1)
        bus.ring(3, at: "one")
        #expect(hearing.all == [])
    }

    @Test func unregisteringAProtocolEndsAllItsObservers() {
        let listeners = ["a", "b"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        bus.add(listeners[0])
        bus.add(listeners[1], at: 1)
        bus.unregister((any BellObserver).self)
        bus.ring(1, at: 1)
        #expect(hearing.all == [])
        bus.add(listeners[1])
        bus.ring(2)
        #expect(hearing.all == ["b2"])
    }

    @Test func aNotificationFromInsideACallIsDeliveredAtOnce() {
        let echo = Listener { [bus, hearing] number in
            hearing.note("echo\(number)")
            if number < 3 { bus.ring(number + 1) }
        }
        let listener = hearing.listener("a")
        bus.add(echo)
        bus.add(listener)
        bus.ring(1)
        #expect(hearing.all == ["echo1", "echo2", "echo3", "a3", "a2", "a1"])
    }

    @Test func anObserverThatRegistersDuringTheCallWaitsForTheNext() {
        let late = hearing.listener("late")
        let host = Listener { [bus] _ in bus.add(late) }
        bus.add(host)
        bus.ring(1)
        bus.ring(2)
        #expect(hearing.all == ["late2"])
    }

    @Test func anObserverThatIsUnregisteredDuringTheCallIsNotCalledAnyMore() {
        let last = hearing.listener("last")
        let host = Listener { [bus] _ in bus.drop(last) }
        bus.add(host)
        bus.add(last)
        bus.ring(1)
        #expect(hearing.all == [])
    }

    @Test func anObserverThatIsRegisteredAnewDuringTheCallWaitsForTheNext() {
        let last = hearing.listener("last")
        let host = Listener { [bus] _ in
            bus.drop(last)
            bus.add(last)
        }
        bus.add(host)
        bus.add(last)
        bus.ring(1)
        #expect(hearing.all == [])
        bus.drop(host)
        bus.ring(2)
        #expect(hearing.all == ["last2"])
    }

    @Test func unregisteringOneDuringTheCallLeavesTheOthers() {
        let listeners = ["a", "b", "c"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        let host = Listener { [bus] _ in bus.drop(listeners[1]) }
        bus.add(host)
        listeners.forEach { bus.add($0, at: 5) }
        bus.ring(1, at: 5)
        #expect(hearing.all == ["a1", "c1"])
    }

    @Test func anObserverMayLeaveFromInsideItsOwnCall() {
        let leaving = Listener { [bus, hearing] number in
            hearing.note("leaving\(number)")
            bus.unregister((any BellObserver).self)
        }
        let listener = hearing.listener("a")
        bus.add(leaving)
        bus.add(listener)
        bus.ring(1)
        bus.ring(2)
        #expect(hearing.all == ["leaving1"])
    }

    @Test func noTopicInAVariableReachesThoseOfAllTopics() {
        let topic: (any Hashable & Sendable)? = nil
        let listeners = ["a", "b"].map(hearing.listener)
        defer { withExtendedLifetime(listeners) {} }
        bus.add(listeners[0])
        bus.add(listeners[1], at: 1)
        bus.notify((any BellObserver).self, topic: topic) { $0.rang(1) }
        bus.notify((any BellObserver).self) { $0.rang(2) }
        #expect(hearing.all == ["a1", "a2"])
    }

    @Test func theDefaultBusIsReachedByTheTypeAsWell() {
        // A protocol of this test alone, as the bus is everybody's.
        class Passenger {}
        let (first, second) = (Passenger(), Passenger())
        var calls: [ObjectIdentifier] = []
        func ring() { Broadcaster.notify(Passenger.self) { calls.append(ObjectIdentifier($0)) } }
        Broadcaster.register(Passenger.self, observer: first)
        ring()
        var token: ObserverToken? = Broadcaster.observe(
            Passenger.self, topic: 1, observer: second)
        ring()
        Broadcaster.notify(Passenger.self, topic: 1) { calls.append(ObjectIdentifier($0)) }
        Broadcaster.shared.notify(Passenger.self, topic: 1) { calls.append(ObjectIdentifier($0)) }
        #expect(token != nil)
        token = nil
        Broadcaster.notify(Passenger.self, topic: 1) { calls.append(ObjectIdentifier($0)) }
        #expect(calls.count { $0 == ObjectIdentifier(first) } == 5)
        #expect(calls.count { $0 == ObjectIdentifier(second) } == 2)
        Broadcaster.unregister(Passenger.self, observer: first)
        ring()
        Broadcaster.register(Passenger.self, observer: first)
        Broadcaster.unregister(Passenger.self)
        ring()
        #expect(calls.count == 7)
    }

    @Test func aValueStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            struct Candle: LampObserver {
                func lit() {}
            }
            Broadcaster().register((any LampObserver).self, observer: Candle())
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            sentence.contains(
                "Candle cannot observe LampObserver: it is a value, register an object"))
    }
}
