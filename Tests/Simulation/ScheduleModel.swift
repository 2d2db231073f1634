import Topics

/// The schedules of a run as their publisher knows them, and the events of each: none comes early, and no time of a
/// grid comes twice.
struct ScheduleModel {
    private struct Known {
        /// The time of the grid that is the origin of the others.
        let first: Timestamp
        let every: Int64
        /// The ids of its events, by their times of the grid.
        var ids: [Int64: UInt64] = [:]
    }

    private var known: [String: Known] = [:]
    /// Whether the times of events rise while the clock does not: it was set back.
    var isUnsure = false

    /// The text of the next schedule.
    var nextText: String { "tick-\(known.count)" }

    /// A publisher asks for a schedule.
    mutating func asked(_ text: String, first: Timestamp, every: Int64) {
        known[text] = Known(first: first, every: every)
    }

    /// Somebody was told an event of a schedule. Returns the promise that is broken; nil where none is.
    mutating func saw(_ text: String, _ id: UInt64, at time: Timestamp) -> String? {
        guard let schedule = known[text] else { return "\(id) is of no schedule: \(text)" }
        let passed = time.microseconds - schedule.first.microseconds
        if passed < 0 { return "\(text) is told as of \(time), before \(schedule.first)" }
        let other = known[text]?.ids.updateValue(id, forKey: passed / schedule.every)
        guard let other, other != id, !isUnsure else { return nil }
        return "\(text) is told twice for one time: \(other) and \(id)"
    }
}
