/// What one accepted request put on the bus.
struct Publication: Sendable {
    /// The ids of its first and last event.
    let ids: ClosedRange<UInt64>
    let topic: String
    let type: String?
    /// What its events carry, in order; no two events of a run carry the same.
    let payloads: [String]
}

/// One event as it was received.
struct Delivery: Equatable, Sendable {
    let id: UInt64
    let topic: String
    let type: String?
    let payload: String
}

/// A gap as it was told: events with ids after one and through the other may be missing.
struct ToldGap: Equatable, Sendable {
    let after: UInt64
    let through: UInt64
}

/// One answer to a poll, whatever its form.
struct PollAnswer: Sendable {
    var deliveries: [Delivery] = []
    var gap: ToldGap?
    let cursor: UInt64
}

/// Everything that one poller asked for and was answered, but for the answers that it lost.
struct PollHistory: Sendable {
    /// One request and its answer.
    struct Turn: Sendable {
        let asked: UInt64
        let answer: PollAnswer
    }

    let selector: TestSelector
    let type: String?
    let start: UInt64
    var turns: [Turn] = []

    /// The cursor after the last answer.
    var cursor: UInt64 { turns.last?.answer.cursor ?? start }
}

/// A selector, understood by means of its own.
struct TestSelector: CustomStringConvertible, Sendable {
    let description: String

    init(_ text: String) {
        description = text
    }

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
