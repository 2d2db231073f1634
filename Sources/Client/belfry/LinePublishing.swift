internal import BelfryClient
internal import Topics

/// Publishes the lines of standard input: those that come together as one batch.
struct LinePublishing {
    private let client: BusClient
    private let session: Session
    private let topic: TopicName
    private let attributes: EventAttributes
    private let ttl: Int64?
    private let rate: Int?
    private let repeats: Bool

    init(
        _ client: BusClient, _ session: Session, _ topic: TopicName,
        _ attributes: EventAttributes, ttl: Int64?, rate: Int?, repeats: Bool
    ) {
        self.client = client
        self.session = session
        self.topic = topic
        self.attributes = attributes
        self.ttl = ttl
        self.rate = rate
        self.repeats = repeats
    }

    /// Publishes until the end of the input, and returns the last id.
    func run() async throws(CommandFailure) -> EventID? {
        var lines = LineBatches(
            linesMax: min(Limits.batchLinesMax, rate.map { max($0 / 10, 1) } ?? .max))
        var last: EventID?
        var isOpen = true
        while isOpen || !lines.isEmpty {
            if isOpen { isOpen = try gather(&lines) }
            while let batch = lines.next(isLast: !isOpen) {
                let begin = ContinuousClock.now
                last = try await publish(batch) ?? last
                if let rate {
                    let end = begin + .microseconds(batch.count * 1_000_000 / rate)
                    try? await Task.sleep(until: end, clock: .continuous)
                }
            }
        }
        return last
    }

    /// Takes in what comes until a short pause; false at the end of the input.
    private func gather(_ lines: inout LineBatches) throws(CommandFailure) -> Bool {
        repeat {
            guard let count = ByteInput.standard.read(into: &lines.bytes) else {
                throw CommandFailure(.file, "standard input cannot be read: \(TextFile.lastError)")
            }
            if count == 0 { return false }
        } while lines.bytes.count < Limits.gatheredBytesMax
            && ByteInput.standard.isReady(withinMilliseconds: Limits.pauseMilliseconds)
        return true
    }

    private func publish(_ batch: LineBatches.Batch) async throws(CommandFailure) -> EventID? {
        let (client, topic, attributes, ttl) = (client, topic, attributes, ttl)
        let tell: @Sendable (ClientError) -> Void = { _ in
            CommandRun.say(
                "\(batch.count) lines got no answer and are sent again: some may be doubled")
        }
        let receipt = try await session.ask(repeats: repeats ? tell : nil) {
            () throws(ClientError) in
            try await client.publish(lines: batch.text, to: topic, attributes: attributes, ttl: ttl)
        }
        return receipt?.last
    }
}
