/// Every bound of the command.
enum Limits {
    /// The lines of one batch, as the bus has it.
    static let batchLinesMax = 10_000
    /// The bytes of one batch, as the bus has it.
    static let batchBytesMax = 16 << 20
    /// The bytes of standard input that are gathered before they are published.
    static let gatheredBytesMax = 4 << 20
    /// How long lines that come together may be apart.
    static let pauseMilliseconds: Int32 = 5
    /// How long lines that were read have behind a signal: a bus that restarts is back by then, and
    /// a person does not wait longer.
    static let lastLinesSecondsMax = 10
    /// The bytes that are kept of a program's output: no event is larger.
    static let outputBytesMax = 1 << 20
    /// How long a request for a job waits before it is asked anew.
    static let waitMicroseconds: Int64 = 30_000_000
    /// How long a process that a program left behind may still write output that counts as the
    /// program's. It is enough for the last lines of a `tee`, and little for a worker whose program
    /// starts daemons.
    static let leftBehindMilliseconds = 500
    /// How often a program is looked at where the kernel does not say that it has ended.
    static let lookMilliseconds: Int32 = 100
    /// The end of an output that `belfry run` tells, in bytes and lines.
    static let tailBytesMax = 8 << 10
    static let tailLinesMax = 20
    /// How far two clocks are apart at most that are right; the bus says its own in whole seconds.
    static let clockSecondsMax: Int64 = 2
    /// The events that `belfry bench` publishes.
    static let measuredEvents = 10_000
    /// How many of them it waits for one by one at most.
    static let measuredWaits = 1_000
    /// The first pause behind a request whose program failed. Each further one doubles it, so that
    /// five attempts are over in two seconds: somebody waits.
    static let requestPauseMicrosecondsFirst: Int64 = 100_000
    /// The longest of these pauses, as the bus has it.
    static let requestPauseMicrosecondsMax: Int64 = 300_000_000
    /// How long a request waits for its reply.
    static let replyMicroseconds: Int64 = 10_000_000
    /// The jobs of one answer, as the bus has it.
    static let jobsListed = 1_000
    /// The lease of a job, which is extended while its program runs: so long after a worker is
    /// killed its job is another one's.
    static let leaseMicroseconds: Int64 = 60_000_000
    /// How long behind an extension that failed the next one is tried.
    static let extensionPauseMicroseconds: Int64 = 1_000_000
    /// Programs that run at once; of a worker each has a connection.
    static let parallelMax = 256
    /// How long a program that failed is left alone at most before it runs again.
    static let retrySecondsMax = 60
    /// The topics and groups that `belfry top` shows.
    static let topRowsMax = 100
    /// The shortest pause between two looks at the bus.
    static let topPauseMicrosecondsMin: Int64 = 100_000
    /// A list of topics and groups is left alone for so many times the time that it took: a bus of
    /// 100,000 topics has better things to do.
    static let listPauseFactor = 19
    /// The lines of a file of webhooks: each has a connection to the bus and one to its receiver.
    static let webhooksMax = 64
    /// The bytes of a file that is read whole: the authorities of a system are some 250 KB.
    static let fileBytesMax = 4 << 20
    /// The bytes of a file of webhooks.
    static let webhookFileBytesMax = 256 << 10
    /// How many secrets sign one request: the old one and the new one, and room to spare.
    static let webhookSecretsMax = 4
    /// The bytes of a secret, as Standard Webhooks has it.
    static let webhookSecretBytes = 24...64
    /// How long a receiver has for its answer: a stop of the service waits for it.
    static let webhookMilliseconds = 15_000
    /// The first pause behind a failure is random up to this. Each further one doubles it.
    static let webhookPauseMillisecondsFirst = 500
    /// The longest pause that we choose by ourselves.
    static let webhookPauseMillisecondsMax = 300_000
    /// The longest pause that a receiver can ask for.
    static let webhookRetryAfterSecondsMax = 3_600
    /// How long a command that waits for an answer says nothing. A look at the bus then takes as
    /// long again at most, and after 2 s a person wonders about the cause.
    static let silence = Duration.seconds(1)
    /// How long `belfry doctor` waits for the first answer of the bus.
    static let doctorSeconds = 2
    /// The bytes of a payload that is no text and is written out on a terminal all the same.
    static let shownBinaryBytesMax = 256
    /// How often a person is shown how far a copy is: faster nobody reads.
    static let progressMilliseconds = 200
}
