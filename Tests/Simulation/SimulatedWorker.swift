import TestSupport
import Topics
import Work

/// A worker of a group, in a process of its own: it outlives the bus that it asks, and repeats a
/// settlement that was not answered.
struct SimulatedWorker {
    /// The ways to settle a job.
    enum Verb: CaseIterable {
        case done, retry, dead
    }

    enum State {
        case idle
        /// It waits for a job.
        case asking
        case holding(Lease)
        /// A settlement was sent, and not answered so far.
        case settling(Lease, Verb)
    }

    struct Lease {
        let token: String
        let ids: [UInt64]
        let texts: [String]
    }

    let group: String
    /// The name by which it asks: it gets again the job that it holds.
    var name: String?
    var state = State.idle
    /// The bus that it asked last, where there are several.
    var host = 0
    /// Requests for jobs without an answer so far.
    var asked = 0

    /// The workers of a group.
    static func team(of group: String) -> [SimulatedWorker] {
        [
            SimulatedWorker(group: group), SimulatedWorker(group: group),
            SimulatedWorker(group: group, name: "named"),
        ]
    }

    /// The ways in which it settles: without a dead topic, jobs are done or come again.
    var verbs: [Verb] {
        let hasDead = [SimulatedTopics.group, SimulatedTopics.orderedGroup].contains(group)
        return hasDead ? Verb.allCases : [.done, .retry]
    }

    /// The bus that it asked is gone: it has no answer, and sends its settlement again later.
    mutating func lostTheBus() {
        asked = 0
        if case .asking = state { state = .idle }
    }

    /// The settlement of a lease. A reply has the text of its request.
    func settlement(_ verb: Verb, of lease: Lease, using random: inout SeededRandom) -> Settlement {
        switch verb {
        case .done where group == SimulatedTopics.answeringGroup && lease.texts.count == 1:
            Settlement(.done(.reply(Reply("re \(lease.texts[0])"))), lease: lease.token)
        case .done: Settlement(.done(nil), lease: lease.token)
        case .retry:
            Settlement(
                .retry(delay: Int64.random(in: 0...5_000_000, using: &random)), lease: lease.token)
        case .dead: Settlement(.dead(refusal: nil), lease: lease.token, reason: "it fails")
        }
    }
}
