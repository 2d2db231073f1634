/// A fault between the bus and a subscriber, which a checker has to find.
struct Tampering {
    enum Fault: CaseIterable {
        case drops, dropsInTheMiddle, duplicates, repeatsAfterResume, reorders, invents, hidesGap,
            movesCursorBack, skipsTopic
    }

    private let fault: Fault
    private var resumed: Told?
    private var skipped: String?
    private var hidden: ToldGap?
    /// Where in the turn it changed something.
    private var place: Int?
    /// Whether there was something that it could change.
    private(set) var isDone = false

    init(_ fault: Fault) {
        self.fault = fault
    }

    /// Whether the subscriber has to stay where it is: asked again from in front of the gap that is
    /// hidden, the bus would tell it once more.
    func holds(_ history: History) -> Bool { hidden.map { history.cursor < $0.through } ?? false }

    /// Is told that the subscriber comes back.
    ///
    /// What follows the last cursor is forgotten then, and told once more: a change in there is
    /// undone, and has to be made again.
    mutating func resumes(_ history: History) {
        resumed = history.newest.map { .event($0) }
        if let place, let told = history.turns.last?.told,
            told[place...].allSatisfy({ $0.cursor == nil })
        {
            isDone = false
        }
        place = nil
    }

    /// Changes the first thing told that this fault can change.
    mutating func apply(to told: inout [Told], _ history: History) {
        if fault == .skipsTopic { return skipTopic(of: &told, history) }
        // Who asks again from in front of its end is told of the same loss once more.
        if let hidden {
            told.removeAll { item in
                if case .gap(let gap) = item { gap.through <= hidden.through } else { false }
            }
        }
        guard !isDone else { return }
        let before = told
        let events = told.indices.filter { if case .event = told[$0] { true } else { false } }
        let gap = told.firstIndex { if case .gap = $0 { true } else { false } }
        // What comes last would come again, asked for from the cursor in front of it.
        let certain = events.filter { $0 < told.count - 1 && isCertain(told[$0], told, history) }
        switch (fault, events.first) {
        case (.drops, _) where !certain.isEmpty: told.remove(at: certain[0])
        case (.dropsInTheMiddle, _):
            guard let index = certain.first(where: { $0 != events.first && $0 != events.last })
            else { return }
            told.remove(at: index)
        case (.duplicates, let first?): told.insert(told[first], at: first)
        case (.repeatsAfterResume, let first?) where resumed != nil:
            told.insert(resumed!, at: first)
        case (.reorders, let first?) where events.count > 1: told.swapAt(first, events[1])
        case (.invents, let first?):
            guard case .event(let event) = told[first] else { return }
            told[first] = .event(
                Delivery(
                    id: event.id, topic: event.topic, type: event.type, saysType: event.saysType,
                    payload: "invented"))
        case (.hidesGap, _) where gap != nil:
            guard case .gap(let gap) = told.remove(at: gap!) else { return }
            hidden = gap
        case (.movesCursorBack, _) where history.cursor > history.start:
            told.append(.cursor(history.start))
        default: return
        }
        isDone = true
        // A gap stays hidden, however often it is told.
        guard hidden == nil else { return }
        let changed = zip(told, before).prefix { $0 == $1 }.count
        place = history.turns.last!.told.count + changed
    }

    /// Says only the cursor instead of the events of one topic, from the first one told on.
    private mutating func skipTopic(of told: inout [Told], _ history: History) {
        for (index, item) in told.enumerated() where isCertain(item, told, history) {
            guard case .event(let delivery) = item, let topic = delivery.topic else { continue }
            if skipped == nil { skipped = topic }
            guard skipped == topic, let id = delivery.id else { continue }
            told[index] = .cursor(id)
            isDone = true
        }
    }

    /// Whether no gap says of an event that it may be missing, and a subscriber that does not get
    /// it still comes to its end.
    private func isCertain(_ item: Told, _ told: [Told], _ history: History) -> Bool {
        guard case .event(let delivery) = item, !LastEvents.isVeryLast(delivery.payload) else {
            return false
        }
        guard let id = delivery.id else { return LastEvents.isLast(delivery.payload) }
        let gaps = told.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
        return (history.gaps + gaps).allSatisfy { id > $0.through }
    }
}
