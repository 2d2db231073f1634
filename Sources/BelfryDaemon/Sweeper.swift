internal import Glibc
internal import Protection

/// Calls something at a steady pace on a thread of its own, until it is stopped.
///
/// A plain thread and not a dispatch timer: the workers of Dispatch set their own priority, which
/// a hardened service may not, and say so on standard error.
final class Sweeper: Sendable {
    private let thread: Protected<pthread_t?>
    private let descriptor: Int32

    /// Begins after the first interval.
    ///
    /// - Throws: when the system has no thread or descriptor left.
    init(everyMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void)
        throws(DaemonError)
    {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[1]
        let pace = Pace(descriptor: ends[0], milliseconds: Int32(milliseconds), work: work)
        var thread = pthread_t()
        // Unmanaged: retained for the thread, which takes it over at once.
        let argument = Unmanaged.passRetained(pace)
        let code = pthread_create(
            &thread, nil,
            { argument in
                // Unmanaged: takes over what `init` retained.
                Unmanaged<Pace>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            close(ends[1])
            throw Self.failure(code)
        }
        self.thread = Protected(thread)
    }

    deinit {
        stop()
    }

    /// When this returns, no call runs and none will begin; a second call does nothing. Not to be
    /// called by the work itself.
    func stop() {
        let running = thread.write { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        // Not the end alone: a child made at this moment may hold another end of the pipe.
        write(descriptor, "", 1)
        close(descriptor)
        pthread_join(running, nil)
    }

    private static func failure(_ code: Int32) -> DaemonError {
        DaemonError(detail: "no thread for the care of the bus: \(Errno.text(code))")
    }

    /// What the thread runs, until there is something in its pipe.
    private final class Pace: Sendable {
        private let descriptor: Int32
        private let milliseconds: Int32
        private let work: @Sendable () -> Void

        init(descriptor: Int32, milliseconds: Int32, work: @escaping @Sendable () -> Void) {
            self.descriptor = descriptor
            self.milliseconds = milliseconds
            self.work = work
        }

        deinit {
            close(descriptor)
        }

        func run() {
            while true {
                var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let result = poll(&end, 1, milliseconds)
                if result > 0 { return }
                if result == 0 { work() }
            }
        }
    }
}
