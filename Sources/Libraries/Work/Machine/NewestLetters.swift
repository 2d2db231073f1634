internal import Topics

/// The newest dead letters of a group, each by the job that it was. A worker that comes too late is
/// told of the letter of its job.
///
/// In memory alone. After a start it is filled from the dead topic when somebody asks first.
struct NewestLetters {
    /// One letter.
    struct Entry: Equatable {
        let job: EventID
        /// Its id in the dead topic.
        let letter: EventID
        /// The dead topic of that moment.
        let topic: TopicName
        /// The lease that it was under when it died; nil if it was under none, if its worker said
        /// `dead`, or if nobody knows any more.
        var lease: LeaseToken?
    }

    /// Whether letters of before the start are among them, or there are none.
    private(set) var isWhole: Bool
    /// The oldest one is at ``first``; the others follow, around the end.
    private var entries: [Entry] = []
    private var first = 0

    init(isWhole: Bool) { self.isWhole = isWhole }

    var count: Int { entries.count }

    /// Adds the newest one; the oldest goes where there are too many.
    mutating func add(_ entry: Entry) {
        guard entries.count == Limits.rememberedLettersMax else { return entries.append(entry) }
        entries[first] = entry
        first = (first + 1) % entries.count
    }

    /// Takes in those of before the start, oldest first.
    mutating func recall(_ older: [Entry]) {
        let newer = entries[first...] + entries[..<first]
        let others = older.filter { entry in !newer.contains { $0.letter == entry.letter } }
        entries = Array((others + newer).suffix(Limits.rememberedLettersMax))
        first = 0
        isWhole = true
    }

    /// The newest letter of those that are meant.
    ///
    /// - Complexity: O(letters that are remembered).
    func newest(where isMeant: (Entry) -> Bool) -> Entry? {
        entries[..<first].last(where: isMeant) ?? entries[first...].last(where: isMeant)
    }
}
