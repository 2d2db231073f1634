internal import Glibc
internal import Protection

/// The signals that command a service. They are taken one at a time, by the caller of ``next()``.
///
/// They are blocked, not handled: no code runs at an arbitrary moment. Used by the program alone;
/// a daemon inside another process touches no signal.
public struct SignalWatcher: Sendable {
    /// The command that a signal stands for.
    public enum Command: Equatable, Sendable {
        /// SIGTERM or SIGINT, and SIGHUP of a terminal that is gone.
        case stop
        /// Every other SIGHUP.
        case reload
        /// SIGUSR1.
        case report
    }

    /// Whether it was begun in a terminal, and without nohup(1).
    private let endsWithTerminal: Bool

    /// Takes the signals over for this thread and those it makes, so it is called before there
    /// are others. Writing to a closed pipe or socket becomes an error instead of the end.
    public init() {
        signal(SIGPIPE, SIG_IGN)
        endsWithTerminal = Self.hasTerminal && !Self.isHangupIgnored
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next signal.
    public func next() -> Command {
        var set = Self.set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return switch number {
        case SIGHUP: endsWithTerminal && !Self.hasTerminal ? .stop : .reload
        case SIGUSR1: .report
        default: .stop
        }
    }

    /// Takes in signals that repeat a request at once: `timeout` and some supervisors signal a
    /// process and then its group, and mean it once.
    func takeRepetitions() {
        var set = Self.set
        var pause = timespec(tv_sec: 0, tv_nsec: Limits.repetitionMilliseconds * 1_000_000)
        while sigtimedwait(&set, nil, &pause) > 0 {}
    }

    /// Whether there is a terminal that controls this process; the kernel takes it away before it sends
    /// SIGHUP (tty_ioctl(4), `TIOCNOTTY`).
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    private static var isHangupIgnored: Bool {
        var action = sigaction()
        return sigaction(SIGHUP, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] { sigaddset(&set, number) }
        return set
    }
}

extension SignalWatcher {
    /// From now on, ends the process with `code` at the next request to stop, even if its other
    /// threads hang.
    func endProcess(onNextStopWith code: ExitCode) {
        do throws(Errno) {
            try OwnedThread {
                while next() != .stop {}
                _exit(code.rawValue)
            }.detach()
        } catch {
            fatalError("no thread could be made to wait for a signal: \(error)")
        }
    }
}
