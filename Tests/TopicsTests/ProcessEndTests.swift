import Protection
import TestSupport
import Testing

@testable import Topics

/// A process may end while a thread that nobody waits for still has its bus.
@Suite struct ProcessEndTests {
    private static let kept = Protected<EventBus?>(nil)

    /// Swift counts the references to an object with weak ones in a block of its own, which the
    /// search for leaks finds by the weak references alone.
    @Test func aBusThatIsStillUsedAtTheEndIsNoLeak() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            try bench.publish("a", "x")
            Self.kept.value = bench.bus
        }
    }
}
