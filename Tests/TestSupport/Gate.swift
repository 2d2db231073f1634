internal import Dispatch
internal import Synchronization

/// A gate that threads wait at until it is opened, each of them within a bound of time.
///
/// With several openings it is a latch: it opens when that many calls of ``open()`` were made, so
/// a test can wait until all of its threads have arrived. Once open it stays open.
///
/// Safe from any thread. A wait blocks its thread, so wait on threads of your own
/// (``inParallel(_:within:_:)``) rather than on tasks where many do.
public final class Gate: Sendable {
    /// A gate was not opened in time.
    public struct TimedOut: Error, Equatable, CustomStringConvertible {
        /// The openings that were still missing.
        public let missing: Int

        /// That many openings were missing.
        public init(missing: Int) {
            self.missing = missing
        }

        /// Says how many openings were missing.
        public var description: String { "the gate stayed shut: \(missing) openings are missing" }
    }

    private let missing: Atomic<Int>
    private let turnstile = DispatchSemaphore(value: 0)

    /// A gate that opens with the given number of openings, at least one.
    public init(openings: Int = 1) {
        precondition(openings > 0, "a gate needs at least one opening, not \(openings)")
        missing = Atomic(openings)
    }

    /// Whether it is open.
    public var isOpen: Bool { missing.load(ordering: .acquiring) <= 0 }

    /// Makes one opening; the last one lets all threads through. Further ones change nothing.
    public func open() {
        if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            turnstile.signal()
        }
    }

    /// Returns when the gate is open.
    ///
    /// - Throws: ``TimedOut`` if that takes longer than `bound`.
    public func wait(within bound: Duration = .seconds(60)) throws(TimedOut) {
        let (seconds, attoseconds) = bound.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        guard turnstile.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
            throw TimedOut(missing: missing.load(ordering: .acquiring))
        }
        turnstile.signal()
    }
}
