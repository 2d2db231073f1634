public import Access
public import Topics

/// The settings of the HTTP side of the bus. All of them can change while it runs.
public struct BusAPIConfiguration: Sendable, Equatable {
    /// The longest that one poll may wait, in microseconds.
    public var waitMax: Int64
    /// How long a poll waits if it does not say, in microseconds.
    public var waitDefault: Int64
    /// How often a stream shows that it lives, in microseconds.
    public var heartbeat: Int64
    /// Waiting requests and streams over all loops; beyond it 503 `LIMIT_BUS`.
    public var subscribersMax: Int
    /// Of these, the subscribers of one user; beyond it 429 `LIMIT_CALLER`.
    public var subscribersPerUIDMax: Int
    /// Of these, those to exactly one topic; nil for no bound of its own.
    public var subscribersPerTopicMax: Int?
    /// Bytes of one user that may wait for the store; beyond it 429 `LIMIT_CALLER`.
    public var queuedBytesPerUIDMax: Int
    /// Payload bytes of one event at the most. It also bounds the body of a publish of one event.
    public var eventBytesMax: Int
    /// The access rules and tokens: the verbs that each caller may use on each topic.
    public var access: AccessPolicy
    /// The topics that have figures of their own in `/metrics`; nil for none.
    public var metricsTopics: Selector?
    /// Whether browsers are shown the page.
    public var showsPage: Bool
    /// The version that `/version` answers.
    public var version: String

    /// A configuration with the contract's defaults.
    public init(
        waitMax: Int64 = 3_600_000_000, waitDefault: Int64 = 30_000_000,
        heartbeat: Int64 = 15_000_000, subscribersMax: Int = 16_000,
        subscribersPerUIDMax: Int = .max, subscribersPerTopicMax: Int? = nil,
        queuedBytesPerUIDMax: Int = .max, eventBytesMax: Int = 1 << 20,
        access: AccessPolicy, metricsTopics: Selector? = nil, showsPage: Bool = true,
        version: String
    ) {
        self.waitMax = waitMax
        self.waitDefault = waitDefault
        self.heartbeat = heartbeat
        self.subscribersMax = subscribersMax
        self.subscribersPerUIDMax = subscribersPerUIDMax
        self.subscribersPerTopicMax = subscribersPerTopicMax
        self.queuedBytesPerUIDMax = queuedBytesPerUIDMax
        self.eventBytesMax = eventBytesMax
        self.access = access
        self.metricsTopics = metricsTopics
        self.showsPage = showsPage
        self.version = version
    }
}
