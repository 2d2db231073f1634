internal import Dispatch
internal import Synchronization

/// One run of a block of a ``Once``, and the threads that wait for it.
///
/// One table has all waiting threads with their runs, so that a thread that would close a ring of
/// waits is stopped before it does. A thread waits for one run at most, and a run has one thread:
/// to see a ring is to follow one chain.
final class OnceRun: Sendable {
    private let thread = ThreadMark()
    private let isOver = Atomic(false)
    private let turnstile = DispatchSemaphore(value: 0)

    /// The threads that wait, each with the run it waits for; one that is over counts no more.
    private static let waits = Protected<[UInt: OnceRun]>([:])

    /// A run on the calling thread.
    init() {
        thread.set()
    }

    /// Lets all waiting threads go on.
    func end() {
        isOver.store(true, ordering: .releasing)
        turnstile.signal()
    }

    /// Returns when the run is over; stops the process if it never could be.
    ///
    /// - Complexity: O(runs that wait for each other in a row).
    func waitUntilOver() {
        let mark = ThreadMark()
        mark.set()
        let caller = mark.number
        let isRing = Self.waits.write { waits in
            guard !leads(to: caller, by: waits) else { return true }
            waits[caller] = self
            return false
        }
        if isRing {
            fatalError(
                """
                a block that is to run once waits for its own end: it came back to its own token, \
                or waits for a token whose block waits for it; let one of them go first, outside \
                the other's block
                """)
        }
        turnstile.wait()
        turnstile.signal()
        let waited = Self.waits.write { $0.removeValue(forKey: caller) }
        withExtendedLifetime(waited) {}
    }

    /// Whether this run cannot end before one of the thread's does.
    private func leads(to thread: UInt, by waits: [UInt: OnceRun]) -> Bool {
        var next = self
        while !next.isOver.load(ordering: .acquiring) {
            guard next.thread.number != thread else { return true }
            guard let further = waits[next.thread.number] else { return false }
            next = further
        }
        return false
    }
}
