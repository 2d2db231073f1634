public import Topics
internal import Wire

/// A work group of a bus: its events are jobs, one worker's at a time, until somebody settles them.
///
/// ```swift
/// let mail = client.group("mail")
/// var settlement: ClientSettlement?
/// while let job = try await mail.next(worker: "w1", settling: settlement).job {
///     settlement = send(job.event) ? job.done : job.retry
/// }
/// ```
///
/// The words are those of `docs/http-work.md`. A settlement may be repeated where its outcome is
/// unknown, and so may a `next` of a named worker: the bus settles once, and hands a job that its
/// answer lost to the same worker again.
public struct ClientGroup: Sendable {
    /// Its name, 1 to 64 of `A-Z a-z 0-9 . _ -`, as the bus checks it.
    public let name: String
    let client: BusClient

    /// Settles a job if there is one to settle, then takes a job or waits for one.
    ///
    /// - Parameters:
    ///   - worker: The name of one loop: 1 to 64 of `A-Z a-z 0-9 . _ -`. If it still has a job, it
    ///     gets that again.
    ///   - settlement: The settlement that is made first, in the same commit if a job is at hand.
    ///   - selector: The topics of the group, which is made with the defaults if there is none.
    ///   - lease: How long the lease lasts, in microseconds, 1 s to 12 h; nil for the group's.
    ///   - wait: How long to wait for a job, in microseconds.
    /// - Throws: `ClientError`. A refusal with `LEASE_LOST` says that the job of the settlement is
    ///   somebody else's by now, or that another loop has the worker's name.
    public func next(
        worker: String? = nil, settling settlement: ClientSettlement? = nil,
        of selector: Selector? = nil, lease: Int64? = nil, wait: Int64 = 30_000_000
    ) async throws(ClientError) -> ClientTake {
        try ClientTake(await take(nil, worker, settlement, selector, lease, wait))
    }

    /// Settles jobs if there are some to settle, then takes several under one lease, or waits for the
    /// first of them.
    ///
    /// As ``next(worker:settling:of:lease:wait:)``. Payloads whose content type says JSON come without
    /// white space between tokens. A job that comes again comes alone.
    ///
    /// - Parameter max: How many jobs at most, 1 to 256.
    /// - Throws: `ClientError`. A settlement of some jobs of a batch goes by ``settle(_:)`` alone: here
    ///   it is refused with `PARAMETER_UNKNOWN`.
    public func next(
        max: Int, worker: String? = nil, settling settlement: ClientSettlement? = nil,
        of selector: Selector? = nil, lease: Int64? = nil, wait: Int64 = 30_000_000
    ) async throws(ClientError) -> ClientBatch {
        try ClientBatch(await take(max, worker, settlement, selector, lease, wait))
    }

    /// - Parameter max: The jobs of a batch at most; nil for one job as it is.
    private func take(
        _ max: Int?, _ worker: String?, _ settlement: ClientSettlement?, _ selector: Selector?,
        _ lease: Int64?, _ wait: Int64
    ) async throws(ClientError) -> WholeAnswer {
        var target = TargetPath("groups", name, "next")
            .with("worker", worker).with("of", selector.map { "\($0)" })
            .with("for", lease.map { Quantity.text(microseconds: $0) })
            .with("wait", Quantity.text(microseconds: wait))
            .with("as", max.map { _ in "json" }).with("max", max.map { "\($0)" })
        if let settlement {
            target = settlement.parameters(target.with(settlement.verb.name, settlement.lease))
        }
        return try await client.answer(
            .post, target, headers: settlement?.headers ?? [], body: settlement?.body,
            expecting: [200, 204],
            within: Int(wait / 1_000) + Limits.requestMillisecondsMax)
    }

    /// Settles a job, without taking another one.
    ///
    /// - Returns: Whether it was a reply that nobody waits for any more.
    /// - Throws: `ClientError`, a refusal with `JOB_SETTLED` if the job was settled before, with
    ///   `JOB_DEAD` if the job is a dead letter by now, and with `LEASE_LOST` if it is somebody
    ///   else's.
    @discardableResult
    public func settle(_ settlement: ClientSettlement) async throws(ClientError) -> Bool {
        let target = TargetPath("groups", name, settlement.verb.name)
            .with("lease", settlement.lease)
        let answer = try await client.answer(
            .post, settlement.parameters(target), headers: settlement.headers,
            body: settlement.body, expecting: [204])
        return answer.isReplyLate
    }

    /// Has a lease end so many microseconds from now, 1 s to 12 h.
    ///
    /// - Throws: `ClientError`, as ``settle(_:)``.
    public func extend(_ lease: String, by microseconds: Int64) async throws(ClientError) {
        _ = try await client.answer(
            .post,
            TargetPath("groups", name, "extend").with("lease", lease)
                .with("for", Quantity.text(microseconds: microseconds)),
            expecting: [204])
    }
}

extension BusClient {
    /// The group of this name, which need not be there: nothing is asked.
    public func group(_ name: String) -> ClientGroup { ClientGroup(name: name, client: self) }
}
