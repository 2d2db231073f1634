internal import Protection

extension EventLoop: ThreadWork {}

/// A loop's thread, as others see it.
struct LoopThread: Sendable {
    let mailbox: Mailbox
    let meters: LoopMeters
    private let thread: OwnedThread

    /// Starts a thread that runs `loop` to its end and owns it.
    init(running loop: EventLoop) throws(ServerError) {
        mailbox = loop.mailbox
        meters = loop.meters
        do throws(Errno) {
            thread = try OwnedThread(running: loop)
        } catch {
            throw ServerError(doing: "starting a thread", code: error.code)
        }
    }

    /// Waits until the loop has ended; called once.
    func join() { thread.join() }
}
