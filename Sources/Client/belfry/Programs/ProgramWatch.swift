internal import Glibc
internal import Protection

/// The programs that run, and the wish to stop, which comes by SIGINT or SIGTERM.
final class ProgramWatch: Sendable {
    private struct State {
        var running: Set<pid_t> = []
        var isStopping = false
        /// The last signal that came.
        var signal: Int32?
        var isWaiting: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Protected(State())

    /// Whether nothing new is to begin.
    var isStopping: Bool { state.value.isStopping }

    /// Has every later SIGINT and SIGTERM come here, for the rest of the process.
    func listen() throws(CommandFailure) {
        do throws(Errno) {
            try SignalPipe.open { [self] signal in stop(signal) }
        } catch {
            throw CommandFailure(.file, "signals cannot be waited for: \(error)")
        }
    }

    /// Ends waits, and passes the signal on to the programs that run.
    func stop(_ signal: Int32? = nil) {
        let waiting = state.write { state in
            state.isStopping = true
            state.signal = signal ?? state.signal
            // Under the lock, so that no process that has ended is meant. A call of the system.
            if let signal { for target in state.running { Self.pass(signal, to: target) } }
            defer { state.isWaiting = [:] }
            return state.isWaiting.values
        }
        for cancel in waiting { cancel() }
    }

    /// Calls `cancel` when it is time to stop, until ``doneWaiting(_:)``; at once where it is.
    func waits(_ cancel: @escaping @Sendable () -> Void) -> Int {
        let (number, isStopping) = state.write { state in
            state.next += 1
            if !state.isStopping { state.isWaiting[state.next] = cancel }
            return (state.next, state.isStopping)
        }
        if isStopping { cancel() }
        return number
    }

    /// The wait of this number is over.
    func doneWaiting(_ number: Int) { state.write { $0.isWaiting[number] = nil } }

    /// A program runs: its process id, or the negative one of its group. A signal that came while it
    /// was started is passed on now.
    func add(_ target: pid_t) {
        state.write { state in
            state.running.insert(target)
            // Under the lock as in ``stop(_:)``.
            if let signal = state.signal { Self.pass(signal, to: target) }
        }
    }

    /// The program has ended.
    func remove(_ target: pid_t) { state.write { _ = $0.running.remove(target) } }

    /// A program that is no group of its own hears Ctrl-C from the terminal, as we do.
    private static func pass(_ signal: Int32, to target: pid_t) {
        if signal != SIGINT || target < 0 { kill(target, signal) }
    }

    /// Whether a child has ended that was not waited for.
    static func hasEnded(_ pid: pid_t) -> Bool {
        var information = siginfo_t()
        let code = waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT | WNOHANG)
        return code == 0 ? information.si_signo != 0 : errno != EINTR
    }

    /// Waits for the end of a child; calls `gone` when it has ended and its id is still its own.
    static func end(of pid: pid_t, gone: () -> Void) -> ProgramEnding {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        gone()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return ProgramEnding(status: status)
    }
}
