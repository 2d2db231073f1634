internal import Topics

/// How far a copy is, on a line of the terminal that is written over; nothing where no person looks.
struct CopyProgress {
    private var due = ContinuousClock.now

    /// Shows how many events were copied and when the last of them was published, a few times a
    /// second at most.
    mutating func show(_ count: Int, upTo last: Event) {
        let now = ContinuousClock.now
        guard Output.errors.isTerminal, now >= due else { return }
        due = now + .milliseconds(Limits.progressMilliseconds)
        Output.errors.write(.lineStart)
        Output.errors.write("\(count) events copied, up to \(last.time)")
        Output.errors.write(.clearLine)
        try? Output.errors.flush()
    }

    /// Tells the user something, in place of the line.
    static func say(_ sentence: String) {
        Output.errors.write(.lineStart)
        Output.errors.write(.clearLine)
        Output.say(sentence)
    }
}
