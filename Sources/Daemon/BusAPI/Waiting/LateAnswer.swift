internal import HTTPFront

/// An answer that is made beside the loop, for as long as its client waits and the bus stays.
///
/// Belongs to its loop. It is not judged by rules here: the maker of the answer asks for the rules
/// of its moment.
final class LateAnswer: WaitingExchange {
    /// Cancelled when nobody waits any more.
    let cancellation = Cancellation()

    /// Has the client of a request wait. Returns a function that sends the answer once, from any
    /// thread.
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
