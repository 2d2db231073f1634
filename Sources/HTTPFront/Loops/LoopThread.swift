internal import Glibc
internal import Synchronization

/// A loop's thread, as others see it.
struct LoopThread: Sendable {
    let mailbox: Mailbox
    let meters: LoopMeters
    private let thread: pthread_t

    /// Starts a thread that runs `loop` to its end and owns it.
    init(running loop: EventLoop) throws(ServerError) {
        mailbox = loop.mailbox
        meters = loop.meters
        // Unmanaged: the thread takes this reference over.
        let reference = Unmanaged.passRetained(loop)
        var thread = pthread_t()
        // Signals go to the thread that waits for them, never to a loop: the mask is inherited.
        var (all, previous) = (sigset_t(), sigset_t())
        sigfillset(&all)
        // A crash must reach the crash handler.
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
            sigdelset(&all, signal)
        }
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(
            &thread, nil,
            { reference in
                // Unmanaged: the other end of the hand-over above.
                Unmanaged<EventLoop>.fromOpaque(reference!).takeRetainedValue().run()
                return nil
            }, reference.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            // Unmanaged: nobody took it over.
            reference.release()
            throw ServerError(doing: "starting a thread", code: code)
        }
        self.thread = thread
    }

    /// Waits until the loop has ended; called once.
    func join() {
        pthread_join(thread, nil)
    }
}
