import Synchronization
import TestSupport
import Testing

@testable import BelfryDaemon

@Suite(.blocking) struct PeriodicThreadTests {
    @Test func itCallsUntilItIsStoppedAndNeverAfterwards() throws {
        let calls = Counter()
        let first = Gate()
        let thread = try PeriodicThread(everyMilliseconds: 1) {
            calls.count.add(1, ordering: .relaxed)
            first.open()
        }
        try first.wait()
        thread.stop()
        let count = calls.count.load(ordering: .relaxed)
        thread.stop()
        #expect(calls.count.load(ordering: .relaxed) == count)
    }

    @Test func oneThatIsLetGoOfLetsGoOfItsWork() throws {
        weak var work: Counter?
        do {
            let calls = Counter()
            work = calls
            _ = try PeriodicThread(everyMilliseconds: 3_600_000) {
                calls.count.add(1, ordering: .relaxed)
            }
        }
        #expect(work == nil)
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }
}
