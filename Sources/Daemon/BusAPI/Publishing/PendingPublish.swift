internal import Access
internal import HTTPFront
internal import Topics

/// A publish that was handed to the bus, with everything that its answer needs.
final class PendingPublish: Sendable {
    private let queued: QueuedBytes
    private let topic: TopicName
    private let isSplit: Bool
    private let showsSubscribers: Bool
    private let reply: PendingReply
    /// A sentence for the publisher about a likely mistake in the request; nil for none.
    private let hint: String?
    /// The rules and the caller, to decide whether the caller may know of another topic; nil if
    /// every caller may.
    private let access: (policy: AccessPolicy, caller: Caller)?
    private let prefix: PathPrefix

    init(
        _ request: PublishRequest, _ queued: QueuedBytes, to reply: PendingReply, hint: String?,
        access: (AccessPolicy, Caller)?,
        prefix: PathPrefix
    ) {
        topic = request.topic
        isSplit = request.isSplit
        showsSubscribers = request.showsSubscribers
        self.queued = queued
        self.reply = reply
        self.hint = hint
        self.access = access
        self.prefix = prefix
    }

    /// Answers with the place of the events, or tells why they are not in the log. Called on a
    /// thread of the store, or at once.
    func answer(_ result: Result<PublishReceipt, BusError>) {
        send(result.map { response($0) })
    }

    /// Answers with the ticket of events that are held, or tells why they are not.
    func answer(_ result: Result<HoldReceipt, BusError>) {
        send(result.map { PublishResponse.held($0, in: topic, below: prefix, hint: hint) })
    }

    private func send(_ result: Result<Response, BusError>) {
        queued.end()
        switch result {
        case .success(let response): reply.send(response)
        case .failure(let error): reply.send(Refusal(error).response)
        }
    }

    private func response(_ receipt: PublishReceipt) -> Response {
        if receipt.standing == .passed { return PublishResponse.passed(receipt, in: topic) }
        let isNew = receipt.standing == .new
        let namesake = receipt.namesake.flatMap { name in
            let isHidden = access.map { !$0.policy.subscribe(name, $0.caller).isAllowed }
            return isHidden == true ? nil : name
        }
        let hint = hint ?? namesake.map { PublishHint.topic(topic, beside: $0) }
        var response =
            isSplit
            ? PublishResponse.batch(receipt, in: topic, hint: hint)
            : PublishResponse.event(
                receipt, in: topic, below: prefix,
                showsSubscribers: showsSubscribers && isNew, hint: hint)
        if !isNew { response.headers.add(contentsOf: PublishResponse.isReplayed) }
        return response
    }
}
