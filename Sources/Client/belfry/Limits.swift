/// Every bound of the command.
enum Limits {
    /// The lines of one batch, as the bus has it.
    static let batchLinesMax = 10_000
    /// The bytes of one batch, as the bus has it.
    static let batchBytesMax = 16 << 20
    /// What is taken in of standard input before it is published.
    static let gatheredBytesMax = 4 << 20
    /// How long lines that come together may be apart.
    static let pauseMilliseconds: Int32 = 5
    /// How long a program that failed is left alone at most before it runs again.
    static let retrySecondsMax = 60
}
