/// The bounds of this module, each with the reason for its number.
enum Limits {
    /// Bytes of one line of the configuration file, its line end aside.
    ///
    /// Debian's libinih reads lines into 200 bytes (line end and NUL included) and silently takes
    /// the rest of a longer one for a line of its own.
    static let lineBytesMax = 198

    /// Bytes of one section's name in the configuration file; libinih silently cuts longer ones.
    static let sectionBytesMax = 49

    /// Bytes of the configuration file: a hundred times the documented one, so that a log or an
    /// image given by mistake is refused instead of read.
    static let fileBytesMax = 1 << 20

    /// Problems of one configuration that are reported: a screenful; the rest is counted.
    static let problemsShownMax = 20

    /// Milliseconds between two sweeps for events that have come of age and jobs that are due. That
    /// is far below the shortest retention that is of use, and one wake-up a second costs an idle
    /// machine nothing.
    static let sweepMilliseconds = 1_000

    /// Bytes that are freed before the system is given free memory back: to look for it takes
    /// milliseconds, in which other threads may wait for memory.
    static let freedBytes = 8 << 20

    /// Bytes by which the memory that is counted may still fall between two looks when that is done.
    static let freedAtRestBytes = 1 << 20

    /// Milliseconds between two reports to systemd, at the most; four in the time after which it
    /// takes the daemon for dead, so that one that is late is not the end.
    static let vitalsMilliseconds = 5_000
    static let vitalsInWatchdog = 4

    /// Milliseconds between two writes of the access log: few enough that nobody waits for a line,
    /// and many requests to one write.
    static let accessLogMilliseconds = 100

    /// Bytes of records that wait to be written, and those that each takes beside its text. At a
    /// hundred thousand requests a second that is still twice the bytes between two writes.
    static let accessLogBytesMax = 8 << 20
    static let accessRecordBytes = 256

    /// Bytes of the log that wait until somebody reads it: some ten thousand lines, of which the first
    /// say why there are so many. The access log's own wait here for a file or pipe too.
    static let logBytesMax = 1 << 20

    /// Bytes that are written to a log at once, so that a reader that is slow costs no copies of more.
    static let lineBytesAtOnce = 64 << 10

    /// Milliseconds between two looks at a log that fails, or has no reader: it is seen within a second
    /// that it takes lines again, and one wake-up a second costs nothing.
    static let logRetryMilliseconds: Int32 = 1_000

    /// Milliseconds that an end waits for a log to take its last lines: much for a reader, little for
    /// a person who waits for the end.
    static let lastLinesMilliseconds = 2_000

    /// Milliseconds that a step waits for a supervisor which reads nothing. Then it is not told.
    static let notificationMilliseconds: Int32 = 200

    /// Topics and users that a report of the state names: those who are likely to matter.
    static let reportedMax = 5

    /// Milliseconds within which a second signal is the same request: two that a program sends one
    /// after the other are microseconds apart, those of a person a tenth of a second.
    static let repetitionMilliseconds = 20

    /// Open files beside connections: listeners, event loops with three each, the store, the log.
    static let filesBesideConnections = 256
}
