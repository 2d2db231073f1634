import Glibc
import TestSupport
import Testing

@testable import SQLiteStore

@Suite(.blocking) struct ReadQueueTests {
    /// Processor time of taking each of so many jobs that wait, in nanoseconds, and their order.
    private func take(_ count: Int) throws -> (each: Double, isInOrder: Bool) {
        let queue = try ReadQueue()
        let order = Order()
        for number in 0..<count { queue.add(.answer { order.add(number) }) }
        let begin = Self.processorNanoseconds
        for _ in 0..<count {
            if case .answer(let answer)? = queue.take() { answer() }
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
        let queue = try ReadQueue()
        for _ in 0..<3 { queue.add(.answer {}) }
        _ = queue.take()
        #expect(queue.close().count == 2)
        #expect(!queue.add(.answer {}))
        if queue.take() != nil { Issue.record("a closed queue gave something") }
    }
}
