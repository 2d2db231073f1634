internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

/// One publish that waits for what a worker replies.
///
/// Belongs to its loop.
final class WaitingRequest: WorkWait, DetachedSocketOwner {
    // The loop's handler owns every wait through its table, and outlives them.
    unowned let handler: BusHandler
    var path: AnswerPath?
    private var asking: Asking?
    private let topic: TopicName
    private let caller: Caller
    private let hasIgnoredKey: Bool
    private var accessNumber: UInt32
    /// Why it is not told of the reply any more.
    private var forbidden: Refusal?

    init(
        to topic: TopicName, by caller: Caller, hasIgnoredKey: Bool, on handler: BusHandler
    ) {
        self.topic = topic
        self.caller = caller
        self.hasIgnoredKey = hasIgnoredKey
        self.handler = handler
        accessNumber = handler.accessNumber
    }

    /// Publishes the request, and waits so many microseconds.
    func begin(
        _ batch: PublishBatch, within microseconds: Int64, _ exchange: Exchange
    ) throws(Refusal) {
        let account = exchange.account
        try handler.refuseIfFull(for: account)
        let queued = try handler.queue(batch.queuedBytes, for: account)
        path = AnswerPath(to: exchange, for: self)
        path?.socket?.setDeadline(milliseconds: Int(microseconds / 1_000))
        handler.workWaits.enter(self, for: account)
        // This is only touched again on its loop, where the job runs.
        nonisolated(unsafe) let wait = self
        asking = handler.work.ask(batch, within: microseconds) {
            [loop = handler.loop] result in
            queued.end()
            loop.post { _ in wait.answered(result) }
        }
    }

    private func answered(_ result: Result<Reply, WorkError>) {
        asking = nil
        judge()
        if let forbidden { return finish(forbidden.response) }
        switch result {
        case .success(let reply): finish(response(reply, status: 200))
        case .failure(.replyRefused(let refusal?)): finish(response(refusal, status: 502))
        case .failure(let error): finish(Refusal(error).response)
        }
    }

    /// What a worker said, as it said it.
    private func response(_ reply: Reply, status: Int) -> Response {
        var headers: HeaderLines = [
            ("Content-Type", reply.contentType ?? "application/octet-stream")
        ]
        if let id = reply.request {
            headers.add("Event-ID") { $0.append(decimal: id.rawValue) }
        }
        if hasIgnoredKey { headers.add(contentsOf: PublishHeaders.keyIsIgnored) }
        headers.add(contentsOf: EventRoute.browserGuards)
        return Response(
            status: status, headers: headers, body: SentReply(reply.payload).body)
    }

    /// Judges it by the rules and tokens of now, unless it was already: whoever may not publish the
    /// request may not hear the reply either.
    func judge() {
        guard accessNumber != handler.accessNumber, forbidden == nil else { return }
        accessNumber = handler.accessNumber
        handler.budget.add(Limits.judgementSteps)
        do throws(Refusal) {
            try handler.requireStill(caller) { $0.publish(topic, caller) }
        } catch {
            forbidden = error
            asking?.cancel()
        }
    }

    func drain() { asking?.cancel() }

    func timedOut(_ socket: DetachedSocket) { asking?.cancel() }

    func peerUncertain(_ socket: DetachedSocket) { asking?.cancel() }

    func closed(_ socket: DetachedSocket) {
        leave()
        asking?.cancel()
    }
}

/// The payload of a reply while it is sent, which is in no log.
private final class SentReply: Sendable {
    private let payload: Payload

    init(_ payload: Payload) { self.payload = payload }

    var body: ResponseBody { .shared(owner: self, payload.bytes) }
}
