internal import Glibc
internal import Protection

/// The end of `belfry pub --lines` that SIGINT or SIGTERM asks for: nothing more is read, and lines
/// that were read have a while to be published. A second signal ends the program at once.
final class LineStop: Sendable {
    private struct State {
        /// Whether the while is over.
        var isOver = false
        /// Ends the request that is on its way.
        var cancel: (@Sendable () -> Void)?
    }

    private let ending = WatchEnding()
    private let state = Protected(State())
    private let patience: Duration
    /// A pipe in which a byte comes with the first signal.
    private let readEnd: Int32
    private let writeEnd: Int32

    /// - Parameter patience: How long lines have behind the first signal.
    init(patience: Duration) throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure(.file, "no pipe could be made: \(TextFile.lastError)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        self.patience = patience
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// The first signal; nil where none came.
    var signal: Int32? { ending.signal }

    /// Has every later SIGINT and SIGTERM come here, for the rest of the process.
    func listen() throws(CommandFailure) {
        do throws(Errno) {
            try SignalPipe.open { [self] signal in
                if self.signal == nil { stop(by: signal) } else { SignalPipe.end(by: signal) }
            }
        } catch {
            throw CommandFailure(.file, "signals cannot be waited for: \(error)")
        }
    }

    /// Ends reading now, and the request that is on its way a while later.
    func stop(by signal: Int32) {
        ending.end(by: signal)
        _ = write(writeEnd, "", 1)
        Task { [self] in
            try? await Task.sleep(for: patience)
            let cancel = state.write { state in
                state.isOver = true
                return state.cancel
            }
            cancel?()
        }
    }

    /// Waits for standard input, as `ByteInput` does; false behind a signal too.
    func waitForInput(milliseconds: Int32 = -1) -> Bool {
        ByteInput.standard.isReady(withinMilliseconds: milliseconds, before: ByteInput(readEnd))
    }

    /// Calls `cancel` when the while behind a signal is over; at once where it is. Only the last one
    /// that was given is called.
    func bounds(_ cancel: @escaping @Sendable () -> Void) {
        let isOver = state.write { state in
            state.cancel = cancel
            return state.isOver
        }
        if isOver { cancel() }
    }

    /// Waits until then, or for a signal.
    func sleep(until end: ContinuousClock.Instant) async {
        _ = await ending.wait(for: end - ContinuousClock.now)
    }
}
