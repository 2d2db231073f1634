/// Every bound of the client.
enum Limits {
    /// The bytes of a stream that wait until they are asked for; beyond them the bus waits.
    static let streamBytesMax = 256 << 10
    /// The bytes of one line of a stream: an event of 1 MiB of which each byte is an escape of six,
    /// and its envelope. No bus answers with a longer line.
    static let lineBytesMax = 8 << 20
    /// The bytes of one answer that is kept whole: a list of 100,000 topics has a quarter of it.
    static let answerBytesMax = 64 << 20
    /// The bytes that are kept of the body of a refusal of a stream.
    static let refusalBytesMax = 64 << 10
    /// The bytes that are read of the answer to a webhook, of which only the status counts.
    static let receiptBytesMax = 64 << 10
    /// The lines of one batch, as the bus has it.
    static let batchLinesMax = 10_000
    /// The pause before a publish without an answer is sent again.
    static let repeatMilliseconds = 50...500
    /// The keys of a series that stand alone. The bus remembers a series for 30 days, which is for publishers of
    /// many events.
    static let loneKeysMax: UInt64 = 16
    /// Series that nobody uses at the moment.
    static let idleSeriesMax = 10_000
    /// How long it takes at most to connect; everything is on this machine.
    static let connectMillisecondsMax = 10_000
    /// How long a request that does not wait for events may take.
    static let requestMillisecondsMax = 60_000
    /// How long the kernel has to find the listener at an address; it takes microseconds.
    static let socketTableMillisecondsMax = 1_000
    /// The bytes of one account of the system: those that `sysconf` names are 1,024.
    static let accountBytesMax = 16 << 10
    /// How long a loop sleeps at most if nothing is due.
    static let idleMillisecondsMax = 60_000
    /// The first delay of a reconnection is random up to this, so that a crowd does not come at once.
    static let reconnectMillisecondsFirst = 100
    /// The delay doubles up to this.
    static let reconnectMillisecondsMax = 5_000
    /// The attempt in a row before which an interruption is told. A bus that restarts is back by
    /// then, and nobody looks at a silent screen for long.
    static let toldAttempt = 5
}
