internal import JSON
public import Topics
internal import Wire

extension BusClient {
    /// Publishes a batch: all of its events, in order, or none.
    ///
    /// Several events go as lines: none of them is empty, has a line end in it, or ends in CR. The
    /// kernel or the token names the sender; the one in the batch is not sent. A batch with an
    /// expiry is `unsendable`: over HTTP an event is of use for a time from now on. So is one with attributes
    /// that only the bus gives, as a dead letter has.
    ///
    /// A batch with a condition is refused with 412 where the condition does not hold; ``version(of:)`` says one that does.
    ///
    /// A publish that gets no answer is sent again for ``ClientConfiguration/patience``, with its key, so that
    /// there is no second event.
    ///
    /// - Parameters:
    ///   - ttl: For how many microseconds the events are of use, 1 s to 365 days; nil for ever.
    ///   - key: The key of the publish, for a publisher that may publish the same once more, as after a
    ///     restart. Nil for one that nobody else has.
    /// - Throws: `ClientError`. Behind `outcomeUnknown` the events may be in the log; behind every
    ///   other error they are not, and never will be.
    /// - Complexity: O(bytes).
    public func publish(
        _ batch: PublishBatch, ttl: Int64? = nil, key: PublishKey? = nil
    ) async throws(ClientError) -> ClientReceipt {
        let receipt = try ClientReceipt(
            try await send(try PublishSending(batch, ttl), to: batch.topic, key))
        let count = batch.payloads.count
        guard let receipt, receipt.count == count || receipt.standing == .passed else {
            throw .malformedAnswer("the answer to a publish counts other events than were sent")
        }
        return receipt
    }

    /// Publishes each line of a text as an event: all of them, in order, or none.
    ///
    /// Lines end in LF or CRLF, and empty ones are skipped. The bus takes 10,000 lines or 16 MiB
    /// together.
    ///
    /// - Parameters:
    ///   - ttl: As for a batch.
    ///   - key: As for a batch.
    /// - Returns: Nil where there was no line.
    /// - Throws: `ClientError`, as for a batch.
    public func publish(
        lines text: Payload, to topic: TopicName, metadata: EventMetadata = .none,
        ttl: Int64? = nil, key: PublishKey? = nil
    ) async throws(ClientError) -> ClientReceipt? {
        let target = TargetPath("topics", topic.text).with("split", "lines")
        let sending = try PublishSending(text, target, metadata, ttl)
        return try ClientReceipt(try await send(sending, to: topic, key))
    }

    /// Publishes one text, and returns its id once it is visible.
    ///
    /// - Throws: `NameError` if `topic` is no name, else `ClientError`.
    @discardableResult
    public func publish(_ text: String, to topic: String) async throws -> EventID {
        let batch = PublishBatch(
            topic: try TopicName(topic), payloads: [Payload(Array(text.utf8))])
        return try await publish(batch).last
    }

    /// Sends a publish until it is answered, with the given key or one of its own.
    func send(
        _ sending: PublishSending, to topic: TopicName, _ key: PublishKey?
    ) async throws(ClientError) -> WholeAnswer {
        if let key {
            return try await repeating { () throws(ClientError) in try await send(sending, key) }
        }
        guard configuration.patience > .zero else { return try await send(sending, nil) }
        var keys = series.take(for: topic)
        defer { series.give(back: keys, for: topic) }
        let own = keys.next()
        do throws(ClientError) {
            return try await repeating { () throws(ClientError) in try await send(sending, own) }
        } catch {
            // Nobody asked for a key, so that none is worth no publish.
            guard case .refused(let refusal) = error, refusal.code == "KEYS_FULL" else {
                throw error
            }
            return try await send(sending, nil)
        }
    }

    /// Sends a publish again as long as its outcome is unknown, and patience lasts.
    private func repeating(
        _ send: () async throws(ClientError) -> WholeAnswer
    ) async throws(ClientError) -> WholeAnswer {
        var unknown: ClientError?
        // From the first lost answer on: a request may have waited longer than that for it.
        var end: ContinuousClock.Instant?
        while true {
            let failure: ClientError
            do throws(ClientError) {
                return try await send()
            } catch {
                failure = error
            }
            if case .outcomeUnknown = failure {
                unknown = failure
                end = end ?? ContinuousClock.now + configuration.patience
            } else if unknown == nil || failure.tellsOfEarlierAttempts {
                throw failure
            } else if !failure.isPassing {
                throw .outcomeUnknown("\(failure)")
            }
            // A crowd does not come back at once.
            let pause = Duration.milliseconds(Int.random(in: Limits.repeatMilliseconds))
            guard let unknown, let end, ContinuousClock.now < end else { throw unknown ?? failure }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw unknown
            }
        }
    }

    /// Sends a publish once.
    private func send(
        _ sending: PublishSending, _ key: PublishKey?
    ) async throws(ClientError) -> WholeAnswer {
        let headers = sending.headers + (key.map { ["Idempotency-Key: \($0)"] } ?? [])
        return try await answer(
            .post, sending.target, headers: headers, body: sending.body,
            expecting: [200, 201, 202])
    }
}

extension ClientError {
    /// Whether it says that an attempt before it did nothing either: the bus looks for the key before it
    /// refuses an event for want of room, for a key that differs, or for a condition that does not hold.
    fileprivate var tellsOfEarlierAttempts: Bool {
        if case .refused(let refusal) = self {
            [412, 422, 507].contains(refusal.status)
        } else {
            false
        }
    }
}
