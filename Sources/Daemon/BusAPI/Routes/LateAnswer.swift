internal import HTTPFront

/// An answer that is made beside the loop, for as long as its client waits and the bus stays.
///
/// Belongs to its loop.
final class LateAnswer: WorkWait, DetachedSocketOwner {
    /// Cancelled when nobody waits any more.
    let cancellation = Cancellation()
    // The loop's handler owns every wait through its table, and outlives them.
    unowned let handler: BusHandler
    var path: AnswerPath?

    init(on handler: BusHandler) { self.handler = handler }

    /// Has the client of a request wait. Returns what answers it, once, from any thread.
    func begin(_ exchange: Exchange) -> @Sendable (Response) -> Void {
        path = AnswerPath(to: exchange, for: self)
        // Its connection bounds it: it is no waiting request.
        handler.workWaits.enter(self, for: nil)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let answer = self
        return { [loop = handler.loop] response in loop.post { _ in answer.finish(response) } }
    }

    // Whoever makes it asks for the rules of that moment.
    func judge() {}

    func drain() {
        cancellation.cancel()
        if path != nil { finish(Refusal.leaving.response) }
    }

    func closed(_ socket: DetachedSocket) {
        leave()
        cancellation.cancel()
    }

    func timedOut(_ socket: DetachedSocket) {}

    // There is no answer yet, and it is not far.
    func peerUncertain(_ socket: DetachedSocket) {}
}
