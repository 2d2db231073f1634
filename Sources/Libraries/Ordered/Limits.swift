internal import Topics

/// The limits of an order and of the hosts on it.
enum Limits {
    /// Bytes of one append at most. A larger group travels in parts.
    static let appendBytesMax = 512 << 10
    /// Bytes of one append beside its entries, at most.
    static let headBytesMax = 512
    /// Bytes of the name of a host.
    static let hostBytesMax = 255
    /// Entries of one group.
    static let groupEntriesMax = 4_096
    /// Bytes of one user that go before those of another one.
    static let turnBytes = 16 << 10
    /// How far the clock of the server that takes an append may be ahead of that of its issuer, in
    /// microseconds: beyond it the time of the order does not follow.
    static let clockLeadMicroseconds: Int64 = 60_000_000
    /// Bytes that an entry costs in the outbox beside its own.
    static let entryOverheadBytes = 96
    /// Bytes of appends that are read and not applied yet, at most, but for the last one of them.
    static let readBytesMax = 4 << 20
    /// The highest number of a server that leads. Other numbers in a file end there too.
    static let lineMax: Int64 = (1 << 53) - 1
    /// How often the order is looked at where nothing else asks.
    static let lookMicroseconds: Int64 = 10_000_000
    /// When the order is looked at again after a look that failed.
    static let lookRetryMicroseconds: Int64 = 1_000_000
    /// The same after an append or a read that failed.
    static let reconnectMicroseconds: Int64 = 100_000
    /// When a replica that refused a group is asked again.
    static let applyRetryMicroseconds: Int64 = 1_000_000
    /// How long entries wait for an order that gives no answer.
    static let patienceMicroseconds: Int64 = 15_000_000
    /// How long the outcome of an entry is waited for.
    static let doubtMicroseconds: Int64 = 60_000_000
    /// How often a host makes appends because something is due, and how long it waits for another
    /// host to do that.
    static let tickMicroseconds: Int64 = 1_000_000
    /// How far behind the order a host may be.
    static let behindMicroseconds: Int64 = 5_000_000
    /// How long a job rests at most until it comes again.
    static let delayMicrosecondsMax: Int64 = 86_400_000_000
    /// How often reads are looked at whose clients may have left.
    static let sweepMicroseconds: Int64 = 1_000_000
    /// How long the task of a store sleeps at most, until it looks whether something is due.
    static let courierMilliseconds: Int32 = 1_000
    /// The same while something is tried again.
    static let retryMilliseconds: Int32 = 100
    /// Bytes of groups in parts that wait for their last part.
    static let partsBytesMax = 256 << 20
    /// Questions of one user for cursors that are ahead of this host.
    static let questionsPerUserMax = 1_024
}
