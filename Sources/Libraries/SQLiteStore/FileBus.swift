public import Broadcasting
public import Topics

// A bus on a file, with all that it needs.
extension EventBus {
    /// A bus whose events are kept in one file of SQLite, and that looks after itself.
    ///
    /// Published events are there again after a restart, and cursors go on. The folder has to
    /// exist. One process at a time can use the file.
    ///
    /// ```swift
    /// let bus = try EventBus(file: "builds.db")
    /// defer { bus.close() }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file; it is made if there is none.
    ///   - sync: Whether a loss of power may cost the last second or so.
    ///   - sizeBytesMax: The bytes that the file may take. Beyond them, the topics furthest above
    ///     an equal share lose their oldest events. At least
    ///     ``SQLiteStoreConfiguration/sizeBytesMin``.
    ///   - memoryBytesMax: The bytes that events and topics may take in memory. Events without room
    ///     there are read from the file.
    ///   - defaults: The retention of each topic that is not registered.
    ///   - limits: How much the bus takes on.
    ///   - broadcaster: Where a `TopicObserver` may register.
    ///   - warn: Takes a line when something needs attention; nil for standard error.
    /// - Throws: `StoreError` if the file cannot be used. Its sentence says how to fix that.
    public convenience init(
        file path: String, sync: SQLiteStoreConfiguration.Sync = .normal,
        sizeBytesMax: Int = 4 << 30, memoryBytesMax: Int = EventBus.memoryBytesDefault,
        keeping defaults: Retention = .standard, limits: BusLimits = BusLimits(),
        broadcaster: Broadcaster = Broadcaster(), warn: (@Sendable (String) -> Void)? = nil
    ) throws(StoreError) {
        let log = EventBus.log(warn)
        let configuration = SQLiteStoreConfiguration(
            path: path, sync: sync, sizeBytesMax: sizeBytesMax,
            tombstonesMax: limits.tombstonesMax)
        try self.init(
            sweeping: SQLiteStore(configuration, log: log), memoryBytesMax: memoryBytesMax,
            keeping: defaults, limits: limits, broadcaster: broadcaster, log: log)
    }
}
