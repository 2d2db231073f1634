internal import HTTPFront

/// An answer that is made beside the loop, for as long as its client waits and the bus stays.
///
/// Belongs to its loop. It is judged by no rules here: what makes the answer asks for those of its moment.
final class LateAnswer: WaitingExchange {
    /// Cancelled when nobody waits any more.
    let cancellation = Cancellation()

    /// Has the client of a request wait. Returns what answers it, once, from any thread.
    func begin(_ exchange: Exchange) -> @Sendable (Response) -> Void {
        park(exchange, for: nil)
        // Its connection bounds it: it is no waiting request.
        loop.waits.enter(self, for: nil)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let answer = self
        return { [handle = loop.handle] response in handle.post { _ in answer.finish(response) } }
    }

    override func drain() {
        cancellation.cancel()
        finish(Refusal.leaving.response)
    }

    override func closed(_ socket: DetachedSocket) {
        leave()
        cancellation.cancel()
    }
}
