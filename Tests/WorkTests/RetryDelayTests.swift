import TestSupport
import Testing
import Topics

@testable import Work

/// When a job comes again that failed and whose worker names no delay.
@Suite(.blocking) struct RetryDelayTests {
    /// The delay by the attempts, and the longest jitter beside it, in microseconds.
    private static func delay(after attempt: Int) -> (base: Int64, jitterMax: Int64) {
        let base = min(Int64(1_000_000) << Int64(min(attempt - 1, 20)), 300_000_000)
        return (base, base / 10)
    }

    private static func due(
        after attempt: Int, of id: UInt64, in group: String = "g"
    ) throws -> Int64 {
        RetryDelay.microseconds(
            after: attempt, of: EventID(rawValue: id), in: try GroupName(group))
    }

    @Test func aRetryIsNeverEarlierThanItsDelayAndAtMostATenthLater() throws {
        for attempt in [1, 2, 3, 8, 9, 10, 31, 32, 1_000, Int.max] {
            let (base, jitterMax) = Self.delay(after: attempt)
            for id in [1, 2, 3, 1_000, EventID.max.rawValue] {
                let due = try Self.due(after: attempt, of: id)
                #expect((base...base + jitterMax).contains(due), "\(attempt) of \(id)")
                #expect(due <= Limits.retryMicrosecondsMax)
            }
        }
    }

    /// Made by another program: each machine and each version of this one has to find the same.
    @Test func theDelayIsTheSameOnEveryMachine() throws {
        #expect(try Self.due(after: 1, of: 1) == 1_080_257)
        #expect(try Self.due(after: 2, of: 1) == 2_119_715)
        #expect(try Self.due(after: 1, of: 2) == 1_076_787)
        #expect(try Self.due(after: 1, of: 1, in: "mail") == 1_075_927)
        #expect(try Self.due(after: 9, of: 4_711, in: "mail") == 274_353_757)
        #expect(try Self.due(after: 10, of: 4_711, in: "mail") == 326_612_828)
        #expect(
            try Self.due(after: 1_000, of: EventID.max.rawValue, in: "mail") == 328_085_473)
    }

    /// From the tenth attempt on all have the same delay, but for the jitter.
    @Test func attemptsOfOneJobHaveDelaysOfTheirOwn() throws {
        let delays = Set(try (10...110).map { try Self.due(after: $0, of: 1) })
        #expect(delays.count > 95)
    }

    @Test func groupsOfTheSameJobsHaveDelaysOfTheirOwn() throws {
        let alike = try (1...100).count {
            try Self.due(after: 1, of: $0, in: "a") == Self.due(after: 1, of: $0, in: "b")
        }
        #expect(alike < 5)
    }

    @Test func aThousandJobsThatFailAtOneMomentComeBackOverTheTenth() throws {
        let bench = try WorkBench()
        try bench.set()
        for number in 0..<1_000 { try bench.publish("\(number)") }
        let leases = try (0..<4).map { _ in try bench.take(max: 256).lease }
        for lease in leases { try bench.settle(Settlement(.retry(delay: nil), lease: lease)) }
        let jobs = try bench.work.jobs(of: GroupName("g"), countMax: 1_000)
        let dues = jobs.map(\.due.wholeMicroseconds)
        #expect(dues.count == 1_000)
        let (first, last) = (try #require(dues.min()), try #require(dues.max()))
        #expect(first >= 1_000_000 && last <= 1_100_000 && last - first >= 50_000)
        // Each hundredth of a second has its share, which is 100.
        let shares = Dictionary(grouping: dues) { ($0 - 1_000_000) / 10_000 }
        #expect(shares.values.allSatisfy { $0.count < 200 })
    }

    @Test func aJobIsAtHandOnceItsDelayIsOverAndNotBefore() throws {
        for attempt in 1...3 {
            let bench = try WorkBench()
            try bench.set()
            let id = try bench.publish("a")
            for _ in 1..<attempt {
                let lease = try bench.take().lease
                try bench.settle(Settlement(.retry(delay: 0), lease: lease))
            }
            try bench.settle(Settlement(.retry(delay: nil), lease: bench.take().lease))
            let due = RetryDelay.microseconds(
                after: attempt, of: id, in: try GroupName("g"))
            bench.advance(microseconds: due - 1)
            #expect(try bench.next().delivery == nil)
            bench.advance(microseconds: 1)
            #expect(try bench.take().jobs[0].attempt == attempt + 1)
        }
    }

    @Test func aDelayThatTheWorkerNamesHasNoJitter() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("a")
        for delay in [1, 10_000_000, 3_600_000_000] as [Int64] {
            try bench.settle(Settlement(.retry(delay: delay), lease: bench.take().lease))
            bench.advance(microseconds: delay - 1)
            #expect(try bench.next().delivery == nil)
            bench.advance(microseconds: 1)
        }
        #expect(try bench.take().jobs[0].attempt == 4)
    }
}
