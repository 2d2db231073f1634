import Dispatch
import Protection
import TestSupport
import Testing

@testable import Broadcasting

@Suite struct BroadcasterDeliveryTests {
    private protocol Bell: AnyObject, Sendable { func ring() }
    private final class Counter: Bell {
        private let count = Protected(0)
        var rings: Int { count.value }
        func ring() { count.write { $0 += 1 } }
    }

    @Test func aReleasedTokenEndsItsRegistration() {
        let (bus, counter) = (Broadcaster(), Counter())
        var token: ObserverToken? = bus.observe((any Bell).self, observer: counter)
        bus.notify((any Bell).self) { $0.ring() }
        #expect(token != nil)
        token = nil
        bus.notify((any Bell).self) { $0.ring() }
        #expect(counter.rings == 1)
    }

    @Test func aTokenEndsTheRegistrationWhoeverMadeIt() {
        let (bus, counter) = (Broadcaster(), Counter())
        bus.register((any Bell).self, observer: counter)
        bus.observe((any Bell).self, observer: counter).cancel()
        bus.notify((any Bell).self) { $0.ring() }
        #expect(counter.rings == 0)
        #expect(bus.observerships.isEmpty)
    }

    @Test func aCancelledTokenLeavesALaterRegistrationAlone() {
        let (bus, counter) = (Broadcaster(), Counter())
        let token = bus.observe((any Bell).self, topic: 1, observer: counter)
        token.cancel()
        bus.register((any Bell).self, topic: 1, observer: counter)
        token.cancel()
        bus.notify((any Bell).self, topic: 1) { $0.ring() }
        #expect(counter.rings == 1)
    }

    @Test func aQueueDeliversInOrderToThoseOfTheMoment() {
        let (bus, first, late) = (Broadcaster(), Counter(), Counter())
        let queue = DispatchQueue(label: "bells")
        bus.register((any Bell).self, observer: first)
        queue.suspend()
        bus.notify((any Bell).self, on: queue) { $0.ring() }
        bus.register((any Bell).self, observer: late)
        bus.notify((any Bell).self, on: queue) { $0.ring() }
        #expect(first.rings == 0)
        queue.resume()
        queue.sync {}
        #expect(first.rings == 2)
        #expect(late.rings == 1)
    }

    @Test func theMainQueueIsNamedShortly() async {
        let (bus, counter) = (Broadcaster(), Counter())
        bus.register((any Bell).self, observer: counter)
        await withCheckedContinuation { called in
            bus.notify((any Bell).self, on: .main) {
                MainActor.assertIsolated()
                $0.ring()
                called.resume()
            }
        }
        #expect(counter.rings == 1)
    }

    @Test func whoIsUnregisteredBeforeTheQueueRunsIsNotCalled() {
        let (bus, counter) = (Broadcaster(), Counter())
        let queue = DispatchQueue(label: "bells")
        bus.register((any Bell).self, observer: counter)
        queue.suspend()
        bus.notify((any Bell).self, on: queue) { $0.ring() }
        bus.unregister((any Bell).self, observer: counter)
        queue.resume()
        queue.sync {}
        #expect(counter.rings == 0)
    }

    @Test func anActorDeliversOnItself() async {
        let (bus, counter) = (Broadcaster(), Counter())
        bus.register((any Bell).self, observer: counter)
        await bus.notify((any Bell).self, on: MainActor.shared) {
            MainActor.assertIsolated()
            $0.ring()
        }
        #expect(counter.rings == 1)
    }

    @Test func whoObservesWhatCanBeAsked() {
        let (bus, counter, other) = (Broadcaster(), Counter(), Counter())
        bus.register((any Bell).self, observer: counter)
        bus.register((any Bell).self, topic: 7, observer: other)
        bus.register((any Bell).self, topic: 8, observer: Counter())
        let found = bus.observerships
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.observed.hasSuffix("Bell") })
        #expect(found.first { $0.topic == nil }?.observers.first === counter)
        #expect(found.first { $0.topic == AnyHashable(7) }?.observers.first === other)
    }

    @Test func theLivingAreNotSweptOverAtEveryRegistration() {
        let (bus, counters) = (Broadcaster(), (0..<1_000).map { _ in Counter() })
        var sweeps = 0
        for counter in counters {
            if bus.snapshot.isSweepDue { sweeps += 1 }
            bus.register((any Bell).self, observer: counter)
        }
        #expect(sweeps == 6)
    }
}
