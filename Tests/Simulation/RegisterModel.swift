import Topics

/// The topic of writers that publish under conditions, as they know it: an event is there only where its condition
/// held at its place, and a refusal names the newest event of its own place.
///
/// The topic loses nothing and is never removed.
struct RegisterModel {
    /// The conditions of events by their texts; the others have none.
    private var conditions: [String: PublishCondition] = [:]
    /// Events whose condition failed, and holds at no later place either.
    private var failed: Set<String> = []
    /// The ids that somebody was told as those of events of the topic.
    private var told: Set<EventID> = []
    /// The newest of them.
    private(set) var newest = EventID.zero

    /// A writer asks for an event.
    mutating func asked(_ text: String, under condition: PublishCondition?) {
        conditions[text] = condition
    }

    /// Somebody was told that the topic has an event of this id.
    mutating func saw(_ id: EventID) {
        told.insert(id)
        newest = max(newest, id)
    }

    /// A writer was told that the condition of its event does not hold. Returns the promise that is broken; nil where
    /// none is.
    ///
    /// - Parameters:
    ///   - found: The newest event of the topic by this answer; nil for no topic.
    ///   - known: The newest event that anybody was told before the writer asked.
    mutating func refused(
        _ text: String, at found: EventID?, knowing known: EventID
    ) -> String? {
        if let found { saw(found) }
        guard let condition = conditions[text] else {
            return "\(text) has no condition, and is refused by one"
        }
        // Where there was no topic, one may come, and another copy of the event may come behind it.
        if condition != .exists { failed.insert(text) }
        let holds =
            switch condition {
            case .newest(let id): found == id
            case .exists: found != nil
            case .isNew: found == nil
            }
        let place = found.map { "behind \($0)" } ?? "without a topic"
        if holds { return "\(text) is refused \(place), where its condition holds: \(condition)" }
        guard found ?? .zero < known else { return nil }
        return "\(text) is refused \(place), and \(known) was told before it was asked for"
    }

    /// The promise that the events of the topic break, of which there are all, in order; nil where they break none.
    func finding(in events: [Event]) -> String? {
        var last = EventID.zero
        for event in events {
            let text = event.payload.text
            if failed.contains(text) {
                return "\(event.id) was refused by its condition, and is there: \(text)"
            }
            let holds =
                switch conditions[text] {
                case .newest(let id)?: last == id
                case .exists?: last > .zero
                case .isNew?: last == .zero
                case nil: true
                }
            if !holds {
                return "\(event.id) is behind \(last), where its condition does not hold: \(text)"
            }
            last = event.id
        }
        guard let id = told.subtracting(events.map(\.id)).min() else { return nil }
        return "\(id) was told as an event of the topic, and is not there"
    }
}
