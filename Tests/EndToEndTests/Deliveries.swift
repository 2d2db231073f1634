/// What one accepted request put on the bus.
struct Publication: Sendable {
    /// The ids of its first and last event.
    let ids: ClosedRange<UInt64>
    let topic: String
    let type: String?
    /// What its events carry, in order; no two events of a run carry the same.
    let payloads: [String]
}

/// One event as it was received, as far as the form of the answer says it.
struct Delivery: Equatable, Sendable {
    var id: UInt64?
    var topic: String?
    /// Its type, if it has one and the form says types.
    var type: String?
    /// Whether the form says types.
    var saysType = true
    let payload: String
}

/// A gap as it was told: events with ids after one and through the other may be missing.
struct ToldGap: Equatable, Sendable {
    let after: UInt64
    let through: UInt64
}

/// What a subscriber was told, one after the other, in whatever form.
enum Told: Equatable, Sendable {
    case event(Delivery)
    case gap(ToldGap)
    case cursor(UInt64)

    /// The cursor that a subscriber has who knows this, if it says one.
    var cursor: UInt64? {
        switch self {
        case .event(let delivery): delivery.id
        case .gap(let gap): gap.after
        case .cursor(let id): id
        }
    }
}

/// Everything that one subscriber asked for and was told, but for what it lost.
struct History: Sendable {
    /// One request, and what it was told until it ended.
    struct Turn: Sendable {
        let asked: UInt64
        var told: [Told] = []
    }

    let selector: TestSelector
    let type: String?
    let start: UInt64
    /// Whether a gap hides a loss in any case. A stream of several topics may still be told what a
    /// gap at its beginning says may be missing: from the grace of another topic.
    var isToldExactly = true
    private(set) var turns: [Turn] = []
    /// The cursor behind what was told last.
    private(set) var cursor: UInt64
    /// How many events it has.
    private(set) var count = 0

    /// The history of somebody who wants everything behind `start`, of one type or of any.
    init(selector: TestSelector, type: String?, start: UInt64) {
        self.selector = selector
        self.type = type
        self.start = start
        cursor = start
    }

    /// Asks for what is behind the cursor.
    ///
    /// Where events come without their ids, those behind the last cursor are forgotten: whoever
    /// resumes gets them again.
    mutating func ask() {
        if !turns.isEmpty {
            while let last = turns[turns.count - 1].told.last, last.cursor == nil {
                turns[turns.count - 1].told.removeLast()
                count -= 1
            }
        }
        turns.append(Turn(asked: cursor))
    }

    /// Takes what was told.
    mutating func append(_ told: some Sequence<Told>) {
        for item in told {
            turns[turns.count - 1].told.append(item)
            cursor = item.cursor ?? cursor
            if case .event = item { count += 1 }
        }
    }

    /// All that was told.
    var told: [Told] { turns.flatMap(\.told) }

    /// The gaps among it.
    var gaps: [ToldGap] { told.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }

    /// The events among it.
    var deliveries: [Delivery] {
        told.compactMap { if case .event(let delivery) = $0 { delivery } else { nil } }
    }

    /// The event that was told last.
    var newest: Delivery? {
        for turn in turns.reversed() {
            for case .event(let delivery) in turn.told.reversed() { return delivery }
        }
        return nil
    }
}

/// A selector, understood by means of its own.
struct TestSelector: CustomStringConvertible, Sendable {
    let description: String

    init(_ text: String) {
        description = text
    }

    /// Whether it is a single name.
    var isName: Bool { !description.contains { ",*>".contains($0) } }

    func matches(_ topic: String) -> Bool {
        description.split(separator: ",").contains { Self.matches($0, topic) }
    }

    private static func matches(_ term: Substring, _ topic: String) -> Bool {
        let wanted = term.split(separator: ".")
        let given = topic.split(separator: ".")
        if wanted.last == ">" {
            return given.count >= wanted.count
                && zip(wanted.dropLast(), given).allSatisfy { $0 == "*" || $0 == $1 }
        }
        return given.count == wanted.count
            && zip(wanted, given).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
