internal import Topics

/// What a loop itself writes of the events that one look finds; more is written on another thread.
struct AtOnce {
    /// Whatever there is.
    static let all = AtOnce(bytesMax: .max)

    /// Bytes on the wire, about.
    let bytesMax: Int
    /// Events that the answer may have; nil where a look that was cut short is followed by others.
    var eventsMax: Int?

    /// Whether these events are too much, or not all of what is to be told at one time.
    func isLess(than events: [Event], _ isCutShort: Bool) -> Bool {
        guard bytesMax != .max else { return false }
        if isCutShort, let eventsMax, events.count < eventsMax { return true }
        return events.wireBytes > bytesMax
    }
}
