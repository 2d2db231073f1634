internal import Glibc
internal import Topics

/// How far a copy is, on a line of the terminal that is written over; nothing where no person looks.
struct CopyProgress {
    private static let isShown = isatty(STDERR_FILENO) == 1
    private var due = ContinuousClock.now

    /// Shows how many events were copied and when the last of them was published, a few times a
    /// second at most.
    mutating func show(_ count: Int, upTo last: Event) {
        let now = ContinuousClock.now
        guard Self.isShown, now >= due else { return }
        due = now + .milliseconds(Limits.progressMilliseconds)
        Self.write("\r\(count) events copied, up to \(last.time)\u{1B}[K")
    }

    /// Tells the user something, in place of the line.
    static func say(_ sentence: String) {
        if isShown { write("\r\u{1B}[K") }
        CommandRun.say(sentence)
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
