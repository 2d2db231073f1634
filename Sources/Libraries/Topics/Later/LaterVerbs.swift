// Events for later, for a process that has the bus itself.
extension EventBus {
    /// Has a batch held until it is due: then all of its events become visible, in order, within a second, at the place
    /// that they take then.
    ///
    /// A bus in memory forgets them with its process. One with a file holds them over restarts and reboots.
    ///
    /// - Parameters:
    ///   - batch: The events, without a condition.
    ///   - due: When the events are due. Those whose time is over become visible within a second.
    ///   - ttl: For how many microseconds they are of use from then on; nil for ever.
    /// - Returns: The ticket of the events, with which ``cancel(_:of:)`` takes them back.
    /// - Throws: `BusError`; the events are then not held, and never will be.
    /// - Complexity: O(events).
    public func publish(
        _ batch: PublishBatch, later due: DueTime, ttl: Int64? = nil
    ) async throws(BusError) -> HoldReceipt {
        try await hold(HeldBatch(batch, ttl: ttl, at: due))
    }

    /// Has a batch published again and again: at its first time, and then each time that the interval has passed.
    ///
    /// The times are those of a grid, which does not drift. If several were missed, the batch comes once.
    ///
    /// - Parameters:
    ///   - batch: The events, without a condition.
    ///   - every: The interval in microseconds, 1 s to 365 days.
    ///   - first: The first time; nil for one that is an interval away.
    ///   - name: The name of the schedule in its topic, at most 64 bytes. It replaces one of this name that differs;
    ///     the same one again changes nothing. Nil for a schedule without a name.
    ///   - ttl: For how many microseconds the events are of use, each time; nil for ever.
    /// - Returns: The ticket of the schedule, with which ``cancel(_:of:)`` ends it.
    /// - Throws: `BusError`; the batch is then not published by this.
    /// - Complexity: O(events).
    public func publish(
        _ batch: PublishBatch, every: Int64, from first: DueTime? = nil, name: String? = nil,
        ttl: Int64? = nil
    ) async throws(BusError) -> HoldReceipt {
        precondition(
            Schedule.intervals.contains(every), "an interval of \(every) µs is not 1 s to 365 days")
        precondition(
            (name ?? "n").utf8.count <= Schedule.nameBytesMax && name != "",
            "'\(name ?? "")' is no name of a schedule: it takes 1 to 64 bytes")
        let schedule = Schedule(every: every, name: name, print: Self.print(of: batch, ttl))
        return try await hold(
            HeldBatch(
                batch, ttl: ttl, at: first ?? .after(microseconds: every), schedule: schedule,
                replacesOthers: true))
    }

    /// Cancels the events that are held by a ticket for a topic, or ends their schedule.
    ///
    /// - Returns: How the ticket ended: cancelled by this, or otherwise before.
    /// - Throws: `BusError` where the store cannot tell.
    public func cancel(_ ticket: EventID, of topic: TopicName) async throws(BusError) -> HeldEnd {
        let outcome = await withCheckedContinuation { continuation in
            cancel(ticket, of: topic) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    /// The events that are held for a topic, by their tickets: 4,096 at most.
    ///
    /// - Parameters:
    ///   - topic: The topic that they are for.
    ///   - after: The ticket behind which to begin.
    public func held(for topic: TopicName, after: EventID = .zero) -> [HeldHead] {
        held(for: topic, after: after, countMax: .max) { _ in true }.heads
    }

    /// The payloads of events that are held; none where they are held no more.
    ///
    /// - Throws: `BusError` where the store cannot read them.
    /// - Complexity: O(events).
    public func payloads(of head: HeldHead) async throws(BusError) -> [Payload] {
        var payloads: [Payload] = []
        var after: EventID?
        while payloads.count < head.count {
            let outcome = await withCheckedContinuation { continuation in
                readHeld(head, after: after, .standard, for: .process) {
                    continuation.resume(returning: $0)
                }
            }
            let events = try outcome.get()
            guard let last = events.last else { return [] }
            payloads += events.map(\.payload)
            after = last.id
        }
        return payloads
    }

    private func hold(_ held: HeldBatch) async throws(BusError) -> HoldReceipt {
        let outcome = await withCheckedContinuation { continuation in
            hold(held) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    /// A digest over all that a publisher said of events, by which a schedule is the same again.
    private static func print(of batch: PublishBatch, _ ttl: Int64?) -> UInt64 {
        var bytes: [UInt8] = []
        func add(_ text: String) { bytes += Array(text.utf8) + [0] }
        for field in MetadataField.all { add(batch.metadata[field] ?? "") }
        add(batch.metadata.attributes.text)
        add(ttl.map { "\($0)" } ?? "")
        for payload in batch.payloads {
            add("\(payload.count)")
            payload.withUnsafeBytes { bytes += $0 }
        }
        return bytes.withUnsafeBytes { Checksum.fnv1a($0) }
    }
}
