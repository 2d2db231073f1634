internal import Protection

/// The wait of one task for an answer that may take long.
///
/// It ends early if its task is cancelled or its time is over. Then its request is cancelled, and
/// answers all the same.
final class TaskWait: Sendable {
    private enum State {
        /// Its request was not made yet.
        case beginning(isCancelled: Bool)
        case waiting(cancel: @Sendable () -> Void)
        case over
    }

    private let state = Protected(State.beginning(isCancelled: false))

    private init() {}

    /// Has `ask` make a request, and waits for the answer. `ask` returns a closure that cancels it.
    ///
    /// - Parameter limit: How long it takes at most; nil for as long as it takes.
    static func answer<Value: Sendable>(
        within limit: Duration? = nil,
        _ ask: (@escaping @Sendable (Result<Value, WorkError>) -> Void) -> @Sendable () -> Void
    ) async -> Result<Value, WorkError> {
        let wait = TaskWait()
        let timer = limit.map { limit in
            Task {
                do { try await Task.sleep(for: limit) } catch { return }
                wait.cancel()
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            let answer = await withCheckedContinuation { continuation in
                wait.begin(cancelledBy: ask { continuation.resume(returning: $0) })
            }
            wait.end()
            return answer
        } onCancel: {
            wait.cancel()
        }
    }

    private func begin(cancelledBy cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.write { state in
            guard case .beginning(let isCancelled) = state else { return false }
            state = isCancelled ? .over : .waiting(cancel: cancel)
            return isCancelled
        }
        if isCancelled { cancel() }
    }

    private func cancel() {
        let cancel = state.write { state -> (@Sendable () -> Void)? in
            switch state {
            case .beginning:
                state = .beginning(isCancelled: true)
                return nil
            case .waiting(let cancel):
                state = .over
                return cancel
            case .over: return nil
            }
        }
        cancel?()
    }

    private func end() {
        // The closure that it held is let go outside of the lock.
        _ = state.write { state in
            defer { state = .over }
            return state
        }
    }
}
