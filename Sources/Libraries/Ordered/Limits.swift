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
}
