internal import Glibc
internal import Protection

/// SIGINT and SIGTERM as bytes of a pipe, which a thread reads: the threads that others start here
/// take signals wherever they are.
enum SignalPipe {
    // nonisolated(unsafe): written once, before the handler that reads it is set.
    nonisolated(unsafe) private static var end: Int32 = -1

    /// Calls `body` on a thread of its own for each signal, for the rest of the process. Called once.
    static func open(_ body: @escaping @Sendable (Int32) -> Void) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        end = ends[1]
        let input = ends[0]
        try OwnedThread {
            while true {
                var signal: UInt8 = 0
                let count = read(input, &signal, 1)
                if count == 1 { body(Int32(signal)) }
                if count == 0 { return }
            }
        }.detach()
        for signal in [SIGINT, SIGTERM] {
            _ = Glibc.signal(signal) { signal in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: signal)
                _ = write(SignalPipe.end, &byte, 1)
                errno = before
            }
        }
    }

    /// Ends the process as one that knows nothing of signals.
    static func end(by number: Int32) {
        signal(number, SIG_DFL)
        // The threads of tasks take none.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}
