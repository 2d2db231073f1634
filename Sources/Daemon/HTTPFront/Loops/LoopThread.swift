internal import Protection

/// A loop's thread, as others see it.
struct LoopThread: Sendable {
    let mailbox: Mailbox
    let meters: LoopMeters
    private let thread: OwnedThread

    /// The task of the thread, with the objects that it owns.
    private final class Course: ThreadWork {
        private let loop: EventLoop
        private let makeHandler: RequestHandlerMaker

        init(
            _ loop: EventLoop, _ makeHandler: @escaping RequestHandlerMaker
        ) {
            self.loop = loop
            self.makeHandler = makeHandler
        }

        func run() { loop.run(makeHandler) }
    }

    /// Starts a thread that runs `loop` to its end, with the handler that `makeHandler` makes there.
    init(
        running loop: EventLoop, _ makeHandler: @escaping RequestHandlerMaker
    ) throws(ServerError) {
        mailbox = loop.mailbox
        meters = loop.meters
        do throws(Errno) {
            thread = try OwnedThread(running: Course(loop, makeHandler))
        } catch {
            throw ServerError(doing: "starting a thread", code: error.code)
        }
    }

    /// Waits until the loop has ended; called once.
    func join() { thread.join() }
}
