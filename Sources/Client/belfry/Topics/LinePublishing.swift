internal import BelfryClient
internal import Topics

/// Publishes the lines of standard input: those that come together as one batch.
struct LinePublishing {
    private let client: BusClient
    private let session: Session
    private let topic: TopicName
    private let metadata: EventMetadata
    private let ttl: Int64?
    private let rate: Int?
    private let stop: LineStop

    init(
        _ client: BusClient, _ session: Session, _ topic: TopicName,
        _ metadata: EventMetadata, ttl: Int64?, rate: Int?, stop: LineStop
    ) {
        self.client = client
        self.session = session
        self.topic = topic
        self.metadata = metadata
        self.ttl = ttl
        self.rate = rate
        self.stop = stop
    }

    /// Publishes all lines up to the end of the input, or those that were read until a signal, and
    /// returns the last id.
    func run() async throws(CommandFailure) -> EventID? {
        var lines = LineBatches(
            linesMax: min(Limits.batchLinesMax, rate.map { max($0 / 10, 1) } ?? .max))
        var last: EventID?
        var isOpen = true
        while isOpen || !lines.isEmpty {
            if isOpen { isOpen = try gather(&lines) }
            while let batch = lines.next(isLast: !isOpen) {
                let begin = ContinuousClock.now
                do throws(CommandFailure) {
                    last = try await publish(batch) ?? last
                } catch {
                    throw error.counting(batch.count, before: lines.count)
                }
                if let rate, stop.signal == nil {
                    let end = begin + .microseconds(batch.count * 1_000_000 / rate)
                    await stop.sleep(until: end)
                }
                // The lines that are left go at once.
                if stop.signal != nil { lines.linesMax = Limits.batchLinesMax }
            }
        }
        return last
    }

    /// Takes in lines until a short pause; false at the end of the input, or behind a signal.
    private func gather(_ lines: inout LineBatches) throws(CommandFailure) -> Bool {
        guard stop.waitForInput() else { return false }
        repeat {
            guard let count = ByteInput.standard.read(into: &lines.bytes) else {
                throw CommandFailure(.file, "standard input cannot be read: \(TextFile.lastError)")
            }
            if count == 0 { return false }
        } while lines.bytes.count < Limits.gatheredBytesMax
            && stop.waitForInput(milliseconds: Limits.pauseMilliseconds)
        return true
    }

    private func publish(_ batch: LineBatches.Batch) async throws(CommandFailure) -> EventID? {
        let (client, topic, metadata, ttl) = (client, topic, metadata, ttl)
        let session = session
        let asking = Task { () -> Result<ClientReceipt?, CommandFailure> in
            do throws(CommandFailure) {
                return .success(
                    try await session.ask { () throws(ClientError) in
                        try await client.publish(
                            lines: batch.text, to: topic, metadata: metadata, ttl: ttl)
                    })
            } catch {
                return .failure(error)
            }
        }
        stop.bounds { asking.cancel() }
        let receipt = try await asking.value.get()
        Publishing.tellHint(of: receipt)
        return receipt?.last
    }
}

extension CommandFailure {
    /// The same, with the lines that are not on the topic: those of the batch that failed, and those
    /// behind it.
    fileprivate func counting(_ batch: Int, before rest: Int) -> CommandFailure {
        // The sentence of an unknown outcome is about the batch.
        let count = code == .unknown ? rest : batch + rest
        guard let sentence, count > 0 else { return self }
        let lines = count == 1 ? "1 line that was read was" : "\(count) lines that were read were"
        return CommandFailure(code, "\(sentence); \(lines) not published")
    }
}
