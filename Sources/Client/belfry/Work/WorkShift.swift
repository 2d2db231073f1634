internal import BelfryClient
internal import Protection

/// The state that the loops of one run share: how many jobs are left, and how long to wait for the
/// bus.
final class WorkShift: Sendable {
    private struct State {
        var left: Int
        /// The time until which a bus that is not there is waited for; nil for ever.
        var deadline: ContinuousClock.Instant?
        var isEnding = false
    }

    /// Programs that run, and the wish to stop.
    let watch = ProgramWatch()
    private let state: Protected<State>
    private let patience: Duration

    /// - Parameter jobsMax: How many jobs are taken at most.
    init(jobsMax: Int?, patience: Duration) {
        self.patience = patience
        state = Protected(
            State(left: jobsMax ?? .max, deadline: ContinuousClock.now + patience))
    }

    /// Whether another job may be taken; one that is not is given back.
    func takes() -> Bool {
        guard !watch.isStopping else { return false }
        return state.write { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            return true
        }
    }

    /// No job came of the last ``takes()``.
    func gotNone() { state.write { $0.left += 1 } }

    /// The bus is there: from now on a worker waits for it, until it is to end.
    func reached() {
        state.write { state in
            if !state.isEnding { state.deadline = nil }
        }
    }

    /// Whether to ask a bus that is not there once more.
    var isPatient: Bool {
        let isStopping = watch.isStopping
        return state.write { state in
            if isStopping, !state.isEnding {
                state.isEnding = true
                state.deadline = ContinuousClock.now + patience
            }
            return state.deadline.map { ContinuousClock.now < $0 } ?? true
        }
    }
}
