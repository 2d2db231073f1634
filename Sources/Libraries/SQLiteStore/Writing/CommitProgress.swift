internal import Protection

/// How many commits have begun, and how many of them are settled.
///
/// A reader that has seen a commit must not answer before the `then` of its jobs. The log would not
/// know yet why events are missing. So the answer waits until every commit that had begun when the
/// read ended is settled: told, or known to be rolled back.
///
/// Safe from any thread; one thread begins and settles.
final class CommitProgress: Sendable {
    private let state = Protected(State())

    private struct State {
        var begun = 0
        var settled = 0
        var waiting: [@Sendable () -> Void] = []
    }

    /// Notes that a commit begins, which others must be told of.
    func begin() {
        state.write { $0.begun += 1 }
    }

    /// Notes that every commit so far is settled, and calls the closures that waited for that.
    func settle() {
        let waiting = state.write { state in
            state.settled = state.begun
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    /// How many have come to their end, and whether none is under way.
    var standing: (settled: Int, isIdle: Bool) {
        state.read { ($0.settled, $0.settled == $0.begun) }
    }

    /// Whether everything that has begun by now is settled. If not, `later` is called when it is,
    /// on the thread that settles.
    func isSettled(orCall later: @escaping @Sendable () -> Void) -> Bool {
        state.write { state in
            if state.begun != state.settled { state.waiting.append(later) }
            return state.begun == state.settled
        }
    }
}
