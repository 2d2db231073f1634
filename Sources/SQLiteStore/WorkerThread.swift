internal import Glibc
internal import Topics

/// What a thread of a store does; it belongs to the thread once that runs.
protocol Work: AnyObject {
    func run()
}

/// A plain thread of a store, which blocks every signal but those of a crash.
///
/// A plain thread and not a dispatch queue: the workers of Dispatch set their own priority, which a
/// hardened service may not.
struct WorkerThread: Sendable {
    private let thread: pthread_t

    private final class Hands {
        let work: any Work

        init(_ work: any Work) {
            self.work = work
        }
    }

    /// Starts a thread that runs `work` to its end and owns it: nobody else touches it any more.
    init(running work: any Work) throws(StoreError) {
        // Unmanaged: the thread takes this reference over.
        let reference = Unmanaged.passRetained(Hands(work))
        var thread = pthread_t()
        var (all, previous) = (sigset_t(), sigset_t())
        sigfillset(&all)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            sigdelset(&all, signal)
        }
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(
            &thread, nil,
            { reference in
                // Unmanaged: the other end of the hand-over above.
                Unmanaged<Hands>.fromOpaque(reference!).takeRetainedValue().work.run()
                return nil
            }, reference.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            // Unmanaged: nobody took it over.
            reference.release()
            throw StoreError(detail: "no thread for the store: \(SystemError.text(code))")
        }
        self.thread = thread
    }

    /// Waits until the thread has ended; called once.
    func join() {
        pthread_join(thread, nil)
    }

    /// Lets the thread end by itself; called instead of `join`.
    func detach() {
        pthread_detach(thread)
    }
}
