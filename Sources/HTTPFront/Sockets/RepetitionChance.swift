/// Whether it is worth while to take a socket out of the parser only because its next request may
/// repeat the last.
///
/// Taking it out and giving it back costs more than a request that is parsed, and pays when some
/// repetitions follow. So it takes some requests of one target in a row; and each time that few
/// repetitions follow, twice as many are parsed before the next attempt. A client whose requests
/// differ costs next to nothing more than without attempts.
struct RepetitionChance {
    /// Repeatable requests of one target in a row that the parser answered since the last attempt.
    private var parsed: UInt8 = 0
    /// The hash of that target, without a name in it that may differ.
    private var target = 0
    /// How many of them there have to be for the next.
    private var parsedMin = Self.parsedMinFirst
    /// Repetitions since the last failure.
    private var repeated: UInt8 = 0
    /// Whether an attempt runs of which nothing has come yet.
    private var isTrying = false
    /// Whether the connection has had no repeatable request yet.
    private var isNew = true

    /// Whether the time for an attempt has come, at one more request that the parser answers.
    mutating func isDue(at request: ActiveRequest) -> Bool {
        let hash = Self.hash(of: request.target, without: request.name)
        if hash != self.target { parsed = 0 }
        self.target = hash
        parsed += 1
        isNew = false
        guard parsed >= parsedMin else { return false }
        parsed = 0
        isTrying = true
        return true
    }

    private static func hash(of target: [UInt8], without name: Range<Int>?) -> Int {
        guard let name else { return target.hashValue }
        var hasher = Hasher()
        hasher.combine(target[..<name.lowerBound])
        hasher.combine(target[name.upperBound...])
        return hasher.finalize()
    }

    /// Whether to take out a socket whose request was seen before the parser read it.
    mutating func isGood() -> Bool {
        guard !isNew, isTrying || parsedMin < Self.parsedMinLast else { return false }
        isTrying = true
        return true
    }

    /// A request repeated the last.
    mutating func succeeded() {
        isTrying = false
        guard repeated < Self.repeatedMin else { return }
        repeated += 1
        if repeated == Self.repeatedMin { parsedMin = Self.parsedMinFirst }
    }

    /// A request that was expected to repeat the last did not, or could not be known again.
    mutating func failed() {
        guard isTrying || repeated > 0 else { return }
        if repeated < Self.repeatedMin { parsedMin = min(parsedMin * 2, Self.parsedMinLast) }
        parsed = 0
        repeated = 0
        isTrying = false
    }

    /// The first request of a connection is often the only one.
    private static let parsedMinFirst: UInt8 = 2
    private static let parsedMinLast: UInt8 = 64
    /// Repetitions that make good for an attempt, which parses two requests and moves the socket
    /// back and forth: each saves more than half of one.
    private static let repeatedMin: UInt8 = 8
}
