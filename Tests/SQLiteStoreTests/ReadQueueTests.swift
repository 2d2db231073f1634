import Glibc
import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct ReadQueueTests {
    /// Processor time of taking each of so many jobs that wait, in nanoseconds, and their order.
    private func take(_ count: Int) throws -> (each: Double, isInOrder: Bool) {
        let queue = ReadQueue()
        let order = Order()
        for number in 0..<count { queue.add(.answer { order.add(number) }) }
        let begin = Self.processorNanoseconds
        for _ in 0..<count {
            if case .job(.answer(let answer)) = queue.take(sleepingAt: WakeUp()) { answer() }
        }
        let end = Self.processorNanoseconds
        return (Double(end - begin) / Double(count), order.count == count)
    }

    /// Counts what comes as long as it comes in order.
    // @unchecked: used by the thread of one test alone.
    private final class Order: @unchecked Sendable {
        private(set) var count = 0

        func add(_ number: Int) {
            if number == count { count += 1 }
        }
    }

    private static var processorNanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test func whatIsAddedIsTakenInThatOrder() throws {
        #expect(try take(1_000).isInOrder)
    }

    /// A hundred times as many that wait: moving them up at each would cost each a hundred times.
    @Test func takingOneCostsTheSameHoweverManyWait() throws {
        _ = try take(1_000)
        let few = try (0..<5).map { _ in try take(1_000).each }.max()!
        let many = try take(100_000).each
        #expect(many < 20 * few, "\(many) ns beside \(few) ns")
    }

    @Test func whatWaitsAtTheEndIsGivenBack() throws {
        let queue = ReadQueue()
        for _ in 0..<3 { queue.add(.answer {}) }
        _ = queue.take(sleepingAt: WakeUp())
        #expect(queue.close().count == 2)
        #expect(queue.add(.answer {}) == .closed)
        guard case .closed = queue.take(sleepingAt: WakeUp()) else {
            Issue.record("a closed queue gave something")
            return
        }
    }

    /// A read of a user, which looks for `topic`.
    private func read(_ topic: String, for user: UInt32?) throws -> ReadQueue.Job {
        var request = StoreRead(
            start: .after(.zero), through: .max, selector: try Selector(topic), filter: .all,
            limit: ReadLimit(events: 1, bytes: 1))
        request.client = StoreClient(user: user)
        return .read(ReadJob(request) { _ in })
    }

    /// What the next job looks for.
    private func next(_ queue: ReadQueue) -> String? {
        guard case .job(.read(let read)) = queue.take(sleepingAt: WakeUp()) else { return nil }
        return "\(read.request.selector)"
    }

    @Test func usersTakeTurnsHoweverManyReadsOneHasWaiting() throws {
        let queue = ReadQueue()
        for number in 0..<50 { queue.add(try read("a\(number)", for: 1)) }
        #expect(next(queue) == "a0")
        queue.add(try read("b0", for: 2))
        queue.add(try read("c0", for: nil))
        queue.add(try read("b1", for: 2))
        // What needs another turn goes behind those of its user, not behind everybody.
        queue.add(try read("a0", for: 1), isUnderWay: true)
        #expect((0..<6).compactMap { _ in next(queue) } == ["a1", "b0", "c0", "a2", "b1", "a3"])
    }

    @Test func aUserWithTooManyReadsIsRefusedAndNobodyElse() throws {
        let queue = ReadQueue(perUserMax: 2)
        for _ in 0..<2 { #expect(queue.add(try read("a", for: 1)) == .queued) }
        #expect(queue.add(try read("a", for: 1)) == .tooMany)
        #expect(queue.add(try read("a", for: 1), isUnderWay: true) == .queued)
        #expect(queue.add(try read("b", for: 2)) == .queued)
        #expect(queue.add(.answer {}) == .queued)
    }

    /// Readers that sleep between any two jobs, and one job at a time: one that wakes nobody stays.
    @Test func eachJobWakesAReader() throws {
        let queue = ReadQueue()
        let done = Protected(0)
        try inParallel(3) { thread in
            guard thread == 0 else {
                let wakeUp = WakeUp()
                while case .job(.answer(let answer)) = queue.take(sleepingAt: wakeUp) { answer() }
                return
            }
            defer { _ = queue.close() }
            for _ in 0..<20_000 {
                let gate = Gate()
                queue.add(
                    .answer {
                        done.write { $0 += 1 }
                        gate.open()
                    })
                try gate.wait()
            }
        }
        #expect(done.value == 20_000)
    }
}
