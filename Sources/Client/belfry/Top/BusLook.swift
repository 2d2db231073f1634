internal import BelfryClient
internal import Topics

/// The figures, topics and groups of the bus at one moment.
struct BusLook: Sendable {
    let instant: ContinuousClock.Instant
    /// The figures of `/metrics`, by name and labels.
    let figures: [String: Double]
    let topics: [TopicDescription]
    let groups: [ClientGroupDescription]

    /// A figure, summed over its labels.
    func figure(_ name: String) -> Double {
        figures.filter { $0.key == name || $0.key.hasPrefix(name + "{") }
            .values.reduce(0, +)
    }
}

/// Looks at a bus again and again, without being a burden to it.
struct BusWatch {
    private let client: BusClient
    private var topics: [TopicDescription] = []
    private var groups: [ClientGroupDescription] = []
    /// The time until which the lists of the last look will do.
    private var listsDue: ContinuousClock.Instant?

    init(_ client: BusClient) { self.client = client }

    /// The next look. Long lists are older than the figures: the bus makes lists for us in a
    /// twentieth of the time at most.
    mutating func look() async throws(ClientError) -> BusLook {
        let begin = ContinuousClock.now
        if listsDue.map({ begin >= $0 }) ?? true {
            topics = try await client.topics().topics
            groups = try await client.groups()
            let end = ContinuousClock.now
            listsDue = end + (end - begin) * Limits.listPauseFactor
        }
        let figures = try await client.figures()
        return BusLook(
            instant: ContinuousClock.now, figures: figures, topics: topics, groups: groups)
    }
}
