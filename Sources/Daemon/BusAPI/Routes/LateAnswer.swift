internal import HTTPFront

/// An answer that is made beside the loop, for as long as its client waits.
///
/// Belongs to its loop.
final class LateAnswer: DetachedSocketOwner {
    /// Cancelled when the client has left.
    let cancellation = Cancellation()
    private var socket: DetachedSocket?

    /// Has the client of a request wait. Returns what answers it, once, from any thread.
    func begin(_ exchange: Exchange, on loop: LoopHandle) -> @Sendable (Response) -> Void {
        // Where the parser keeps it, nobody hears of its client's end.
        guard let socket = exchange.detach(self) else {
            return { [reply = exchange.reply] response in reply.send(response) }
        }
        self.socket = socket
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let answer = self
        return { response in loop.post { _ in answer.finish(response) } }
    }

    private func finish(_ response: Response) {
        let socket = self.socket
        self.socket = nil
        socket?.finish(response)
    }

    func closed(_ socket: DetachedSocket) {
        self.socket = nil
        cancellation.cancel()
    }

    func timedOut(_ socket: DetachedSocket) {}

    // There is no answer yet, and it is not far.
    func peerUncertain(_ socket: DetachedSocket) {}
}
