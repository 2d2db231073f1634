internal import BelfryClient
internal import Glibc
internal import Topics
internal import Wire

/// Brings the events of one webhook to its receiver, one after the other, and keeps its cursor. Events of the bus, of
/// types such as `$silent`, are not sent.
struct WebhookDelivery: Sendable {
    private enum Ending { case arrived, over, stopped }

    let webhook: Webhook
    let sender: WebhookSender
    let session: Session
    /// The position at which the first run begins.
    let start: StartPosition
    let end: SubscriptionEnd

    /// Runs until the receiver wants no more, the end, or the cancellation of the task; then the event
    /// that is on its way still gets its answer.
    func run() async throws(CommandFailure) {
        let file = try CursorFile(webhook.cursorName)
        guard !file.isOver else {
            return say("it ended with 410: remove the line 'over' from \(file.path) to go on")
        }
        guard let subscription = try await subscribe(file.start) else { return }
        // From here on nothing that comes is missed, however this run ends.
        var kept = file.start ?? subscription.cursor
        if file.start == nil { try file.keep(kept) }
        while let delivery = try await next(subscription, file, &kept) {
            switch delivery {
            case .gap(let gap):
                say("events behind \(gap.after) up to \(gap.through) may be missing")
            case .event(let event):
                guard EventFilter.all.toActOn.admits(event) else { continue }
                switch await bring(event) {
                case .arrived:
                    try file.keep(event.id)
                    kept = event.id
                case .stopped: return
                case .over:
                    // Before this event: nobody took it.
                    return try file.keep(kept, isOver: true)
                }
            }
        }
    }

    private func subscribe(
        _ cursor: EventID?
    ) async throws(CommandFailure) -> ClientSubscription? {
        let (client, webhook, end) = (session.client, webhook, end)
        let since = cursor.map { StartPosition.after($0) } ?? start
        do throws(CommandFailure) {
            return try await session.ask { () throws(ClientError) in
                try await client.subscribe(webhook.selector, since: since, until: end)
            }
        } catch {
            guard !Task.isCancelled else { return nil }
            throw CommandFailure(error.code, "line \(webhook.line): \(error.sentence ?? "")")
        }
    }

    /// The next event or gap. Before it waits, it keeps the cursor, so that the next run does not
    /// go through an hour without events again.
    private func next(
        _ subscription: ClientSubscription, _ file: CursorFile, _ kept: inout EventID
    ) async throws(CommandFailure) -> Delivery? {
        guard !Task.isCancelled else { return nil }
        if let delivery = subscription.ready() { return delivery }
        if kept != subscription.cursor {
            try file.keep(subscription.cursor)
            kept = subscription.cursor
        }
        var iterator = subscription.makeAsyncIterator()
        do throws(ClientError) {
            return try await iterator.next()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Sends an event until it has arrived.
    private func bring(_ event: Event) async -> Ending {
        var text: [UInt8] = []
        EventEnvelope.write(event, to: &text, showsSender: false)
        let body = Payload(text)
        var attempts = WebhookAttempts()
        while true {
            let seconds = Int64(time(nil))
            let answer = await sender.post(
                body, to: webhook.address,
                headers: webhook.headers(of: event, seconds: seconds, body: body),
                within: Limits.webhookMilliseconds)
            switch attempts.step(behind: answer) {
            case .done: return .arrived
            case .over:
                say("\(webhook.address) answers 410 and gets nothing more")
                return .over
            case .again(let milliseconds):
                say("event \(event.id): \(Self.sentence(answer)); again in \(milliseconds) ms")
                do {
                    try await Task.sleep(for: .milliseconds(milliseconds))
                } catch {
                    return .stopped
                }
            }
        }
    }

    private static func sentence(_ answer: WebhookAnswer) -> String {
        switch answer {
        case .status(let status, _): "status \(status)"
        case .none(let detail): detail
        }
    }

    private func say(_ sentence: String) { Output.say("line \(webhook.line): \(sentence)") }
}
