public import Broadcasting
package import Telemetry

// A bus with all that it needs, for a process that has nothing of its own to give it.
extension EventBus {
    /// A bus in the memory of this process, which looks after itself.
    ///
    /// Nothing is kept beyond the process: a cursor of an earlier run is told a gap. For a bus that
    /// is there again after a restart the library SQLiteStore has `EventBus(file:)`.
    ///
    /// ```swift
    /// let bus = try EventBus()
    /// try await bus.publish("v1.2 is live", to: "deploys")
    /// ```
    ///
    /// - Parameters:
    ///   - memoryBytesMax: The memory that events and topics may take together. Where it is
    ///     reached, the largest topics lose their oldest events.
    ///   - defaults: The retention of each topic that is not registered.
    ///   - limits: The limits of the bus.
    ///   - broadcaster: The broadcaster with which a ``TopicObserver`` may register.
    ///   - warn: Takes a line when something needs attention; nil for standard error.
    /// - Throws: ``StoreError`` if the clock is so wrong that no ids are left.
    public convenience init(
        memoryBytesMax: Int = EventBus.memoryBytesDefault, keeping defaults: Retention = .standard,
        limits: BusLimits = BusLimits(), broadcaster: Broadcaster = Broadcaster(),
        warn: (@Sendable (String) -> Void)? = nil
    ) throws(StoreError) {
        try self.init(
            sweeping: MemoryStore(ceiling: nil), memoryBytesMax: memoryBytesMax,
            keeping: defaults, limits: limits, broadcaster: broadcaster, log: Self.log(warn))
    }

    /// The memory that a bus takes if nothing else is said: 64 MiB.
    public static var memoryBytesDefault: Int { Limits.memoryBytesDefault }

    /// A bus on `store` that looks after itself.
    package convenience init(
        sweeping store: any EventStore, memoryBytesMax: Int, keeping defaults: Retention,
        limits: BusLimits, clock: any BusClock = SystemClock(), broadcaster: Broadcaster, log: Log,
        everyMilliseconds interval: Int? = nil
    ) throws(StoreError) {
        try self.init(
            store: store, limits: limits, defaults: defaults,
            memory: MemoryBudget(bytesMax: memoryBytesMax), clock: clock,
            broadcaster: broadcaster, log: log)
        selfSweeping.start(everyMilliseconds: interval) { [weak self] in self?.sweep() }
    }

    /// A log that hands warnings and graver lines to `warn`.
    package static func log(_ warn: (@Sendable (String) -> Void)?) -> Log {
        guard let warn else { return Log(level: .warning) }
        return Log(level: .warning) { _, line in warn(line) }
    }

    /// Publishes one text, and returns its id once it is visible.
    ///
    /// - Throws: ``NameError`` if `topic` is no name, else ``BusError``; the text is then not in the
    ///   log and never will be.
    @discardableResult
    public func publish(_ text: String, to topic: String) async throws -> EventID {
        let batch = PublishBatch(
            topic: try TopicName(topic), payloads: [Payload(Array(text.utf8))])
        return try await publish(batch).last
    }
}
