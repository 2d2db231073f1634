import Broadcasting
import Glibc
import Protection
import TestSupport
import Testing

@Suite(.blocking) struct BroadcasterThreadsTests {
    /// A topic that says when it goes.
    private final class Place: Hashable, Sendable {
        private let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

        deinit { onEnd() }

        static func == (left: Place, right: Place) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let bus = Broadcaster()

    @Test func noCallBeginsAfterUnregisterReturnedOnAnotherThread() throws {
        let hearing = Hearing()
        let (inside, unregistered) = (Gate(), Gate())
        let blocking = Listener { _ in
            inside.open()
            try? unregistered.wait()
        }
        let last = hearing.listener("last")
        bus.add(blocking)
        bus.add(last)
        try inParallel(2) { [bus] index in
            if index == 0 {
                bus.ring(1)
            } else {
                try inside.wait()
                bus.drop(last)
                unregistered.open()
            }
        }
        #expect(unregistered.isOpen)
        #expect(hearing.all == [])
    }

    @Test func registeringAndUnregisteringNeverWaitForACallUnderWay() throws {
        let (inside, done) = (Gate(), Gate())
        let blocking = Listener { _ in
            inside.open()
            try? done.wait()
        }
        bus.add(blocking)
        try inParallel(2) { [bus] index in
            if index == 0 {
                bus.ring(1)
            } else {
                try inside.wait()
                let other = Listener()
                bus.add(other)
                bus.drop(blocking)
                bus.unregister((any BellObserver).self)
                done.open()
            }
        }
        #expect(done.isOpen)
    }

    @Test func everyThreadReachesWhomItRegisteredItself() throws {
        try inParallel(8) { [bus] index in
            for round in 0..<300 {
                let rings = Protected(0)
                let mine = index * 1_000 + round
                let listener = Listener { if $0 == mine { rings.write { $0 += 1 } } }
                bus.add(listener, at: round.isMultiple(of: 2) ? nil : index)
                bus.ring(mine, at: index)
                #expect(rings.value == 1)
                bus.drop(listener)
                bus.ring(mine, at: index)
                #expect(rings.value == 1)
            }
        }
    }

    @Test func aStandingObserverMissesNothingWhileOthersComeAndGo() throws {
        let (notifiers, rounds) = (4, 500)
        let sums = Protected<[Int: Int]>([:])
        let standing = Listener { number in sums.write { $0[number, default: 0] += 1 } }
        bus.add(standing)
        try inParallel(8) { [bus] index in
            for round in 0..<rounds {
                if index < notifiers {
                    bus.ring(index * rounds + round, at: round % 3)
                } else {
                    let passing = Listener()
                    bus.add(passing, at: round.isMultiple(of: 2) ? nil : round % 3)
                    if round.isMultiple(of: 5) { bus.drop(passing) }
                }
            }
        }
        #expect(sums.value.count == notifiers * rounds)
        #expect(sums.value.values.allSatisfy { $0 == 1 })
    }

    /// One thread lets observers go, and never waits for the bus, while another one changes it and
    /// notifies. Where the latter looked at an observer in that moment, it ends it: inside the lock
    /// or a barrier block, using the bus would stop the process, which is one of its own here.
    @Test func anObserverThatEndsWhileItIsLookedAtMayUseTheBus() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            for _ in 0..<30 {
                let (bus, heir, ready, done) = (Broadcaster(), Listener(), Gate(), Gate())
                let changer = Protected<pthread_t?>(nil)
                let onEnd: @Sendable () -> Void = {
                    if changer.value == pthread_self() { bus.add(heir) }
                }
                try inParallel(2) { index in
                    if index == 0 {
                        var owned = (0..<300).map { _ in Listener(onEnd: onEnd) }
                        owned.forEach { bus.add($0) }
                        ready.open()
                        while owned.popLast() != nil {}
                        done.open()
                    } else {
                        try ready.wait()
                        changer.value = pthread_self()
                        while !done.isOpen {
                            bus.add(heir)
                            bus.ring(1)
                            bus.drop(heir)
                        }
                    }
                }
            }
        }
    }

    @Test func theEndsOfObserversMayUseTheBusOnManyThreads() throws {
        let ends = Protected(0)
        try inParallel(8) { [bus] index in
            for round in 0..<500 {
                let passing = Listener(onEnd: {
                    ends.write { $0 += 1 }
                    let heir = Listener()
                    bus.add(heir)
                    bus.drop(heir)
                })
                bus.add(passing)
                if index == 0 { bus.ring(round) }
            }
        }
        #expect(ends.value == 4_000)
    }

    @Test func theEndOfATopicMayUseTheBus() {
        let hearing = Hearing()
        let (listener, guest) = (hearing.listener("a"), Listener())
        bus.add(listener)
        bus.add(
            guest,
            at: Place { [bus] in
                bus.add(Listener())
                bus.ring(1)
            })
        bus.drop(guest)
        #expect(hearing.all == ["a1"])
    }

    @Test func whatIsKeptForObserversThatAreGoneIsSwept() {
        let forgotten = Protected(0)
        for _ in 0..<1_000 {
            bus.add(Listener(), at: Place { forgotten.write { $0 += 1 } })
        }
        #expect(forgotten.value >= 1_000 - 16)
    }

    @Test func anObserverMayUnregisterItselfWhenItEnds() {
        final class Polite: BellObserver {
            let bus: Broadcaster
            init(_ bus: Broadcaster) { self.bus = bus }
            deinit { bus.unregister((any BellObserver).self, observer: self) }
            func rang(_ number: Int) {}
        }
        let hearing = Hearing()
        let listener = hearing.listener("a")
        var polite: Polite? = Polite(bus)
        if let polite { bus.register((any BellObserver).self, observer: polite) }
        bus.add(listener)
        polite = nil
        bus.ring(1)
        #expect(hearing.all == ["a1"])
    }
}
