internal import Protection
internal import Topics

/// A bus of another process on this machine, by the words of the bus in one's own.
///
/// ```swift
/// let client = try BusClient(.init(address: .socket("/run/belfry/belfry.sock")))
/// try await client.publish("v1.2 is live", to: "deploys")
/// ```
///
/// All of its requests and subscriptions share one thread. Of requests that change the bus it repeats
/// publishes alone, which have keys. Cancelling a task that waits ends its request.
///
/// Safe from any thread.
public final class BusClient: Sendable {
    let configuration: ClientConfiguration
    let thread: TransferThread
    /// The keys of its publishes.
    let series = SeriesPool()

    /// A client, which connects where it is first needed.
    ///
    /// - Throws: `ClientError.unreachable` where the system gives no thread.
    public init(_ configuration: ClientConfiguration = ClientConfiguration()) throws(ClientError) {
        self.configuration = configuration
        do throws(Errno) {
            thread = try TransferThread()
        } catch {
            throw .unreachable("no thread could be started: \(error)")
        }
    }

    /// Sends a request and returns its answer with any status.
    func answer(
        _ method: Transfer.Method, _ target: TargetPath, headers: [String] = [],
        body: Payload? = nil, within milliseconds: Int = Limits.requestMillisecondsMax
    ) async throws(ClientError) -> WholeAnswer {
        let collector = AnswerCollector()
        let authorization = try configuration.authorization()
        let transfer = Transfer(
            method, target.text, at: configuration.address,
            headers: headers + authorization.headers, body: body, millisecondsMax: milliseconds,
            isForKnown: authorization.isForKnown, to: collector)
        thread.start(transfer)
        let outcome = await withTaskCancellationHandler {
            await collector.outcome()
        } onCancel: {
            thread.cancel(transfer)
        }
        return try outcome.get()
    }

    /// The same, where every status but the expected ones is a refusal.
    func answer(
        _ method: Transfer.Method, _ target: TargetPath, headers: [String] = [],
        body: Payload? = nil, expecting statuses: Set<Int>,
        within milliseconds: Int = Limits.requestMillisecondsMax
    ) async throws(ClientError) -> WholeAnswer {
        let answer = try await answer(
            method, target, headers: headers, body: body, within: milliseconds)
        guard statuses.contains(answer.head.status) else { throw answer.failure(of: method) }
        return answer
    }
}
