internal import Protection

/// Whether somebody wants the command to end, and a sleep that this cuts short.
final class WatchEnding: Sendable {
    private struct State {
        var isOver = false
        var signal: Int32?
        var sleeper: Task<Void, any Error>?
    }

    private let state = Protected(State())

    /// The signal that came first; nil where it was a key.
    var signal: Int32? { state.value.signal }

    /// Ends it, by a signal or a key. Only the first one counts.
    func end(by signal: Int32?) {
        let sleeper = state.write { state -> Task<Void, any Error>? in
            guard !state.isOver else { return nil }
            (state.isOver, state.signal) = (true, signal)
            return state.sleeper
        }
        sleeper?.cancel()
    }

    /// Waits so long, or until the end; whether it is over.
    func wait(for time: Duration) async -> Bool {
        let sleeper = Task { try await Task.sleep(for: time) }
        let isOver = state.write { state in
            state.sleeper = sleeper
            return state.isOver
        }
        if isOver { sleeper.cancel() }
        _ = await sleeper.result
        return state.value.isOver
    }
}
