internal import Protection

/// Whether what is committed was told, too.
///
/// A reader that has seen a commit must not answer before the `then` of what was committed: the
/// log would not know yet why events are missing. So its answer waits until every commit that had
/// begun when it had read is settled: told, or known to be rolled back.
///
/// Safe from any thread; one thread begins and settles.
final class CommitProgress: Sendable {
    private let state = Protected(State())

    private struct State {
        var begun = 0
        var settled = 0
        var waiting: [@Sendable () -> Void] = []
    }

    /// A commit begins that others must be told of.
    func begin() {
        state.write { $0.begun += 1 }
    }

    /// Everything that was committed has been told.
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
