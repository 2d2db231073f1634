internal import Topics

/// The most that a loop itself writes of the events that one look finds. Anything larger is written
/// on another thread.
struct InlineLimit {
    /// No bound: the loop writes every event that is found.
    static let all = InlineLimit(bytesMax: .max)

    /// Bytes on the wire, approximately.
    let bytesMax: Int
    /// Events that the answer may have; nil if further looks follow one that was cut short.
    var eventsMax: Int?

    /// Whether these events are too much for the loop, or only a part of the answer.
    func isLess(than events: [Event], _ isCutShort: Bool) -> Bool {
        guard bytesMax != .max else { return false }
        if isCutShort, let eventsMax, events.count < eventsMax { return true }
        return events.wireBytes > bytesMax
    }
}
