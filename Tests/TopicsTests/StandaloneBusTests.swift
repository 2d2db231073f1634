import Broadcasting
import Protection
import TestSupport
import Testing

@testable import Topics

/// A bus that is made without a store, a budget or a log.
@Suite struct StandaloneBusTests {
    /// A clock that stands still, and counts its readers from a moment on.
    private final class WatchedClock: BusClock {
        private let time = Protected(Timestamp(microseconds: 1_700_000_000_000_000))
        private let gate = Protected<Gate?>(nil)

        func now() -> Timestamp {
            gate.value?.open()
            return time.value
        }

        /// Moves on, and returns a gate that so many looks at the clock open.
        func advance(microseconds: Int64, untilLooks count: Int) -> Gate {
            let gate = Gate(openings: count)
            time.write { $0 = $0.advanced(microseconds: microseconds) }
            self.gate.value = gate
            return gate
        }
    }

    private func bus(_ clock: WatchedClock) throws -> EventBus {
        try EventBus(
            sweeping: MemoryStore(ceiling: nil), memoryBytesMax: 1 << 20,
            keeping: Retention(keep: nil, bytes: nil, age: 1_000_000), limits: BusLimits(),
            clock: clock, broadcaster: Broadcaster(), log: Bench.silent, everyMilliseconds: 10)
    }

    @Test func itNeedsNothingAndKeepsWhatIsPublished() async throws {
        let bus = try EventBus()
        let id = try await bus.publish("v1.2 is live", to: "deploys")
        let selector = try Selector("deploys")
        let start = bus.position(.earliest, matching: selector, filter: .all)
        let limit = ReadLimit(events: 10, bytes: 1 << 20)
        guard
            case .events(let events, _, _) = bus.read(
                start, matching: selector, filter: .all, limit: limit)
        else {
            Issue.record("nothing was kept")
            return
        }
        #expect(events.map(\.id) == [id])
        #expect(events.map(\.payload.text) == ["v1.2 is live"])
        await #expect(throws: NameError.self) { try await bus.publish("a", to: "a b") }
        bus.close()
    }

    @Test(.blocking) func itSweepsItself() throws {
        let clock = WatchedClock()
        let bus = try bus(clock)
        let topic = try TopicName("a")
        bus.publish(PublishBatch(topic: topic, payloads: [Payload([1])])) { _ in }
        #expect(bus.statistics.retained == 1)
        // The third look begins a sweep behind one that saw the new time.
        try clock.advance(microseconds: 10_000_000, untilLooks: 3).wait()
        #expect(bus.statistics.retained == 0)
        bus.close()
    }

    @Test(.blocking) func aClosedBusSweepsNoMore() throws {
        let clock = WatchedClock()
        let bus = try bus(clock)
        try clock.advance(microseconds: 0, untilLooks: 1).wait()
        bus.close()
        let gate = clock.advance(microseconds: 0, untilLooks: 1)
        #expect(throws: Gate.TimedOut.self) { try gate.wait(within: .milliseconds(100)) }
    }

    @Test(.blocking) func itGoesWhenItIsReleased() throws {
        weak var gone: EventBus?
        let clock = WatchedClock()
        do {
            let bus = try bus(clock)
            gone = bus
            try clock.advance(microseconds: 0, untilLooks: 1).wait()
        }
        // A sweep that runs at this moment holds it until its own end.
        let gate = clock.advance(microseconds: 0, untilLooks: 2)
        #expect(throws: Gate.TimedOut.self) { try gate.wait(within: .milliseconds(100)) }
        #expect(gone == nil)
    }

    @Test func warningsGoToWhomTheBusWasToldTo() throws {
        let lines = Protected<[String]>([])
        let log = EventBus.log { line in lines.append(line) }
        log.warning("something")
        log.notice("nothing of interest")
        #expect(lines.value == ["something"])
    }
}
