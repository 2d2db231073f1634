internal import BelfryClient
internal import Topics

/// `belfry bench`: measures this bus on this machine, over a topic of its own, which it removes.
struct Measuring {
    private let client: BusClient
    private let topic: TopicName
    private let count: Int
    private let payload: Payload
    private var rows: [MeasuredRow] = []

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let size = try arguments.count("--size") ?? 100
        guard size <= Limits.outputBytesMax else {
            throw CommandFailure(.usage, "'--size' is at most \(Limits.outputBytesMax)")
        }
        let name = "belfry-bench-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        var measuring = Measuring(
            client: session.client, topic: try Names.topic(name),
            count: try arguments.count("--events") ?? Limits.measuredEvents,
            payload: Payload([UInt8](repeating: 0x78, count: size)))
        let client = session.client
        let topic = measuring.topic
        _ = try await session.ask(isRepeatable: true) { () throws(ClientError) in
            try await client.register(topic, parameters: [("keep", "none"), ("bytes", "none")])
        }
        let failure = await measuring.measure()
        try? await client.remove(topic)
        if let failure { throw CommandFailure(failure) }
        measuring.print(asJSON: arguments.has("--json"))
    }

    private init(client: BusClient, topic: TopicName, count: Int, payload: Payload) {
        self.client = client
        self.topic = topic
        self.count = count
        self.payload = payload
    }

    private mutating func measure() async -> ClientError? {
        do throws(ClientError) {
            try await publishOneByOne()
            try await publishLines()
            try await receive()
            try await deliver()
            return nil
        } catch {
            return error
        }
    }

    /// The next event is published behind the answer to the one before.
    private mutating func publishOneByOne() async throws(ClientError) {
        var row = MeasuredRow("publish, one by one")
        for _ in 0..<min(count, Limits.measuredWaits) {
            let begin = ContinuousClock.now
            try await publish(1)
            row.add(ContinuousClock.now - begin)
        }
        rows.append(row)
    }

    private mutating func publishLines() async throws(ClientError) {
        var row = MeasuredRow("publish, as lines")
        let batchMax = max(1, min(1_000, Limits.gatheredBytesMax / (payload.count + 1)))
        var left = count
        while left > 0 {
            let part = min(left, batchMax)
            let begin = ContinuousClock.now
            try await publish(part)
            row.add(ContinuousClock.now - begin, events: part)
            left -= part
        }
        rows.append(row)
    }

    /// All of them from the beginning.
    private mutating func receive() async throws(ClientError) {
        var row = MeasuredRow("receive")
        let begin = ContinuousClock.now
        let subscription = try await client.subscribe(
            Selector(topic), since: .earliest, until: .now)
        var events = 0
        for try await case .event in subscription { events += 1 }
        row.add(ContinuousClock.now - begin, events: events)
        rows.append(row)
    }

    /// From before a publish until a subscription has it.
    private mutating func deliver() async throws(ClientError) {
        var row = MeasuredRow("deliver, one by one")
        let subscription = try await client.subscribe(Selector(topic))
        var iterator = subscription.makeAsyncIterator()
        for _ in 0..<min(count, Limits.measuredWaits) {
            let begin = ContinuousClock.now
            try await publish(1)
            _ = try await iterator.next()
            row.add(ContinuousClock.now - begin)
        }
        rows.append(row)
    }

    private func publish(_ events: Int) async throws(ClientError) {
        _ = try await client.publish(
            PublishBatch(topic: topic, payloads: Array(repeating: payload, count: events)))
    }

    private func print(asJSON isJSON: Bool) {
        guard !isJSON else {
            for row in rows { Output.standard.write(json: row.json) }
            return
        }
        PrintedTable.print(["WHAT", "EVENTS", "A SECOND", "MEDIAN", "99 %"], rows.map(\.cells))
    }
}
