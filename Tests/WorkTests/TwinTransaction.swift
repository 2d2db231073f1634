import Topics

@testable import Work

/// A group, and where it is doubled another one that is told the same, as on another host. The two
/// have to decide alike.
///
/// Dictionaries of the two have their elements in orders of their own.
struct TwinTransaction {
    private var own: GroupTransaction
    private var twin: GroupTransaction?
    /// The first step in which the two differ.
    private(set) var difference: String?

    init(isDoubled: Bool, _ make: () -> GroupTransaction) {
        own = make()
        twin = isDoubled ? make() : nil
    }

    var isDoubled: Bool { twin != nil }
    var machine: GroupMachine { own.machine }

    mutating func add(_ request: WorkRequest) { tell { $0.add(request) } }
    mutating func cancel(_ number: RequestNumber) { tell { $0.cancel(number) } }
    mutating func look() { tell { $0.look() } }
    mutating func sweep() { tell { $0.sweep() } }

    mutating func step(now: Int64, room: GroupMachine.Room) -> GroupTransaction.Step? {
        let step = own.step(now: now, room: room)
        if isDoubled {
            let other = twin?.step(now: now, room: room)
            let (ours, theirs) = (Self.text(of: step), Self.text(of: other))
            if ours != theirs, difference == nil { difference = "\(ours) and \(theirs)" }
        }
        return step
    }

    /// A step with all that it carries; batches are objects, and tell nothing of themselves.
    private static func text(of step: GroupTransaction.Step?) -> String {
        guard case .commit(let change, let batches) = step else { return "\(step as Any)" }
        let letters = batches.map { batch in
            DeathAttribute.allCases.map { batch.metadata.attributes[$0.rawValue] ?? "-" }
        }
        return "\(change) \(letters)"
    }

    mutating func supply(_ outcome: Result<GroupMachine.Supply, BusError>, now: Int64) {
        own.supply(outcome, now: now)
        twin?.supply(
            outcome.map { supply in
                var copy = supply
                copy.known = [:]
                for (id, found) in supply.known { copy.known[id] = found }
                return copy
            }, now: now)
    }

    mutating func committed(_ outcome: Result<[PublishReceipt], BusError>, now: Int64) {
        tell { $0.committed(outcome, now: now) }
    }

    mutating func judged(_ verdict: LetterVerdict) { tell { $0.judged(verdict) } }

    mutating func recalled(_ outcome: Result<[NewestLetters.Entry], BusError>) {
        tell { $0.recalled(outcome) }
    }

    private mutating func tell(_ body: (inout GroupTransaction) -> Void) {
        body(&own)
        if var other = twin.take() {
            body(&other)
            twin = other
        }
    }
}
