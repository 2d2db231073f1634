#if !canImport(Darwin)
    internal import Glibc

    /// The task of a thread. It belongs to the thread once that runs.
    package protocol ThreadWork: AnyObject {
        func run()
    }

    /// A plain thread that owns its task. It blocks every signal but those of a crash: signals go
    /// to a thread that waits for them.
    ///
    /// Plain, and not a dispatch queue: the workers of Dispatch set their own priority, which a
    /// hardened service may not.
    package struct OwnedThread: Sendable {
        private let thread: pthread_t
        private let identity = Identity()

        /// Has the thread while it runs.
        private final class Identity: Sendable {
            let mark = ThreadMark()
        }

        private final class Block: ThreadWork {
            private let body: @Sendable () -> Void

            init(_ body: @escaping @Sendable () -> Void) { self.body = body }

            func run() { body() }
        }

        private final class Hands {
            private let work: any ThreadWork
            private let identity: Identity

            init(_ work: any ThreadWork, _ identity: Identity) {
                self.work = work
                self.identity = identity
            }

            func run() {
                identity.mark.set()
                work.run()
                identity.mark.clear()
            }
        }

        /// Starts a thread that runs `work` to its end and owns it: nobody else touches it any more.
        package init(running work: any ThreadWork) throws(Errno) {
            // Unmanaged: the thread takes this reference over.
            let reference = Unmanaged.passRetained(Hands(work, identity))
            var thread = pthread_t()
            // The mask is inherited.
            var (blocked, previous) = (sigset_t(), sigset_t())
            sigfillset(&blocked)
            // A crash must reach the crash handler.
            for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
                sigdelset(&blocked, signal)
            }
            pthread_sigmask(SIG_SETMASK, &blocked, &previous)
            let code = pthread_create(
                &thread, nil,
                { reference in
                    // Unmanaged: the other end of the hand-over above.
                    Unmanaged<Hands>.fromOpaque(reference!).takeRetainedValue().run()
                    return nil
                }, reference.toOpaque())
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            guard code == 0 else {
                // Unmanaged: nobody took it over.
                reference.release()
                throw Errno(code)
            }
            self.thread = thread
        }

        /// Starts a thread that runs `body` to its end.
        package init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
            try self.init(running: Block(body))
        }

        /// Waits until the thread has ended; called once. Called by the thread itself it does not
        /// wait, and the thread ends by itself behind its task.
        package func join() {
            if identity.mark.isOwn() { detach() } else { pthread_join(thread, nil) }
        }

        /// Lets the thread end by itself; called instead of `join`.
        package func detach() {
            pthread_detach(thread)
        }
    }
#endif
