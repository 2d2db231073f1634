import Testing

@testable import Topics

/// What time and settings remove goes some at a time under one hold of the lock, and all of it in the
/// end.
struct SweepTests {
    private static let eventsMax = 5 * 10_000

    private func fill(_ bench: Bench, _ topic: String) throws {
        for _ in 0..<5 { try bench.publish(topic, [Payload](repeating: .empty, count: 10_000)) }
    }

    /// Sweeps to the end; returns the steps of each hold of the lock.
    private func sweep(_ bench: Bench) -> [Int] {
        var steps: [Int] = []
        let now = bench.clock.now()
        while true {
            let (count, isMore) = bench.bus.withLog { log in
                let before = log.steps
                let isMore = log.sweep(now: now)
                return (log.steps - before, isMore)
            }
            steps.append(count)
            if !isMore { return steps }
        }
    }

    @Test func whoeverRemovesATopicOfManyEventsLeavesThemToTheSweeper() throws {
        let bench = try Bench()
        try fill(bench, "large")
        try bench.publish("small", [Payload](repeating: .empty, count: Limits.freedAtOnceMax))
        try bench.remove("small")
        #expect(bench.bus.discardedCount == 0)
        try bench.remove("large")
        #expect(bench.bus.discardedCount == Self.eventsMax)
        #expect(bench.memory.used(.events) == 0)
        bench.bus.sweep()
        #expect(bench.bus.discardedCount == 0)
    }

    @Test func aTopicWhoseEventsExpireTogetherLosesThemSomeAtATime() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: 5_000_000))
        try fill(bench, "t")
        bench.clock.advance(seconds: 5)
        let expiry = sweep(bench)
        #expect(expiry.reduce(0, +) == Self.eventsMax)
        #expect(expiry.max()! <= Limits.retiredEventsMax)
        #expect(bench.bus.description(of: try TopicName("t"))?.events == 0)
        bench.clock.advance(seconds: 2)
        let release = sweep(bench)
        #expect(release.reduce(0, +) == Self.eventsMax)
        #expect(release.max()! <= Limits.retiredEventsMax)
        #expect(bench.bus.statistics.topics == 0 && bench.memory.used(.events) == 0)
    }

    @Test func afterTheClockWasSetBackTopicsAreLookedAfterSomeAtATime() throws {
        let bench = try Bench(defaults: Retention(keep: 1, bytes: nil, age: nil))
        for number in 0..<1_000 { try bench.publish("t\(number)", "1", "2") }
        bench.bus.sweep()
        bench.clock.advance(seconds: -3_600)
        let steps = sweep(bench)
        #expect(steps.reduce(0, +) == 1_000)
        #expect(steps.max()! <= Limits.sweptTopicsMax)
    }

    @Test func narrowerSettingsHoldForAllOfALargeTopicOnceTheyAreAnswered() throws {
        let bench = try Bench()
        try bench.register("t")
        try fill(bench, "t")
        #expect(try bench.register("t", keep: 10).topic.events == 10)
        // Nothing that they removed comes back.
        #expect(try bench.register("t").topic.events == 10)
    }

    @Test func narrowerDefaultsHoldForAllOfALargeTopicOnceTheyAreTakenOver() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: nil))
        try fill(bench, "t")
        try bench.publish("small", "1", "2", "3")
        bench.bus.reconfigure(
            limits: BusLimits(), defaults: Retention(keep: 2, bytes: nil, age: nil),
            autocreate: true)
        #expect(bench.bus.description(of: try TopicName("t"))?.events == 2)
        #expect(bench.bus.description(of: try TopicName("small"))?.events == 2)
        #expect(bench.bus.statistics.retained == 4)
    }
}
