internal import BelfryClient
internal import Protection

/// `belfry push`: events to receivers of webhooks.
enum Pushing {
    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let webhooks = try WebhookFile.webhooks(of: arguments.operands[0])
        let start = try Names.start(arguments.text("--since") ?? "now")
        let end: SubscriptionEnd = arguments.has("--until-now") ? .now : .never
        let sender = try sender(trusting: arguments.text("--ca-file"))
        // Before anything is sent: a signal that comes with the first answer is to wait for it.
        let (signals, arrivals) = AsyncStream.makeStream(of: Int32.self)
        do throws(Errno) {
            try SignalPipe.open { arrivals.yield($0) }
        } catch {
            throw CommandFailure(.file, "signals cannot be listened to: \(error)")
        }
        let work = Task {
            await run(
                webhooks.map {
                    WebhookDelivery(
                        webhook: $0, sender: sender, session: session, start: start, end: end)
                })
        }
        Task { for await _ in signals { work.cancel() } }
        if let failure = await work.value { throw failure }
    }

    /// A file that has no certificate would fail every request, for ever. One that others may write
    /// would let any of them be the receiver.
    private static func sender(
        trusting authorities: String?
    ) throws(CommandFailure) -> WebhookSender {
        if let file = authorities {
            guard try TextFile.text(of: file).contains("-----BEGIN CERTIFICATE-----") else {
                throw CommandFailure(.file, "\(file) has no certificate: write it as PEM")
            }
        }
        do throws(ClientError) {
            return try WebhookSender(authorities: authorities)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Runs all of them; the first that fails stops the others, behind the answers that they wait for.
    private static func run(_ deliveries: [WebhookDelivery]) async -> CommandFailure? {
        await withTaskGroup(of: CommandFailure?.self) { group in
            for delivery in deliveries {
                group.addTask {
                    do throws(CommandFailure) {
                        try await delivery.run()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var first: CommandFailure?
            for await case let failure? in group where first == nil {
                first = failure
                group.cancelAll()
            }
            return first
        }
    }
}
