internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

/// One publish that waits for a worker's reply.
///
/// Belongs to its loop.
final class ReplyWait: WaitingExchange {
    private var asking: Asking?
    private let topic: TopicName
    private let caller: Caller

    init(to topic: TopicName, by caller: Caller, on loop: BusLoop) {
        self.topic = topic
        self.caller = caller
        super.init(on: loop)
    }

    /// Publishes the request, and waits so many microseconds.
    func begin(
        _ batch: PublishBatch, within microseconds: Int64, _ exchange: Exchange
    ) throws(Refusal) {
        let account = exchange.account
        try loop.waits.refuseIfFull(for: account)
        let queued = try loop.queue(batch.queuedBytes, for: account)
        park(exchange, for: microseconds)
        loop.waits.enter(self, for: account)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let wait = self
        asking = loop.work.ask(batch, within: microseconds) { [handle = loop.handle] result in
            queued.end()
            handle.post { _ in wait.answered(result) }
        }
    }

    private func answered(_ result: Result<Reply, WorkError>) {
        asking = nil
        reauthorize()
        if let revoked { return finish(revoked.response) }
        switch result {
        case .success(let reply): finish(response(reply, status: 200))
        case .failure(.replyRefused(let refusal?)): finish(response(refusal, status: 502))
        case .failure(let error): finish(Refusal(error).response)
        }
    }

    /// The answer with a worker's reply, exactly as the worker gave it.
    private func response(_ reply: Reply, status: Int) -> Response {
        var headers: HeaderLines = [
            ("Content-Type", reply.contentType ?? "application/octet-stream")
        ]
        if let id = reply.request {
            headers.add("Event-ID") { $0.append(decimal: id.rawValue) }
        }
        headers.add(contentsOf: RawEvent.browserGuards)
        return Response(
            status: status, headers: headers, body: SentReply(reply.payload).body)
    }

    /// A caller that may not publish the request may not hear the reply either.
    override func requireAllowed() throws(Refusal) {
        try loop.gate.requireStill(caller) { $0.publish(topic, caller) }
    }

    override func end() { asking?.cancel() }
}

/// The payload of a reply while it is sent, which is in no log.
private final class SentReply: Sendable {
    private let payload: Payload

    init(_ payload: Payload) { self.payload = payload }

    var body: ResponseBody { .shared(owner: self, payload.bytes) }
}
