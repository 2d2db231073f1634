internal import Topics

/// The next id and time. Belongs to the writer's thread.
struct IDSequence {
    /// The next id to be given.
    private(set) var next: UInt64
    /// Ids below it may be given: it is on the disk.
    var ceiling: UInt64
    /// The time of the last event.
    private(set) var time: Timestamp

    init(next: UInt64, ceiling: UInt64, time: Timestamp) {
        self.next = next
        self.ceiling = ceiling
        self.time = time
    }

    /// Whether so many ids can be given.
    func has(_ count: Int) -> Bool { next + UInt64(count) <= ceiling }

    /// Gives ids and a time. No id is given again, even if its event fails. The time never falls.
    mutating func take(_ count: Int, at now: Timestamp) -> (first: UInt64, time: Timestamp) {
        let first = next
        next += UInt64(count)
        time = max(time, now)
        return (first, time)
    }
}
