/// What the HTTP side of the bus can be told; all of it can change while it runs.
public struct BusAPIConfiguration: Sendable, Equatable {
    /// The longest that one poll may wait, in microseconds.
    public var waitMax: Int64
    /// How long a poll waits that does not say, in microseconds.
    public var waitDefault: Int64
    /// Waiting requests over all loops; beyond it 503 `LIMIT_BUS`.
    public var subscribersMax: Int
    /// Payload bytes of one event; also the bound of what a publishing body may have.
    public var eventBytesMax: Int
    /// The user who runs the bus: may administer every topic, as root may.
    public var administrator: UInt32
    /// What `/version` answers.
    public var version: String

    /// A configuration with the contract's defaults.
    public init(
        waitMax: Int64 = 3_600_000_000, waitDefault: Int64 = 30_000_000,
        subscribersMax: Int = 16_000, eventBytesMax: Int = 1 << 20, administrator: UInt32,
        version: String
    ) {
        self.waitMax = waitMax
        self.waitDefault = waitDefault
        self.subscribersMax = subscribersMax
        self.eventBytesMax = eventBytesMax
        self.administrator = administrator
        self.version = version
    }
}
