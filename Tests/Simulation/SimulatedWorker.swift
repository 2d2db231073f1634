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

    /// A settlement that was sent.
    struct Sent {
        let lease: Lease
        let verb: Verb
        /// Until when each of its jobs rests at least, if it is taken; none where no time is certain.
        let rests: [UInt64: Int64]
    }

    let group: String
    /// The name by which it asks: it gets again the job that it holds.
    var name: String?
    var state = State.idle
    /// The bus that it asked last, where there are several.
    var host = 0
    /// Requests for jobs without an answer so far, by the bus that was asked.
    var asked: [Int: Int] = [:]
    /// All requests for jobs so far.
    var begun = 0

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

    /// Whether it waits for just one answer.
    var asksOnce: Bool { asked.values.reduce(0, +) == 1 }

    /// A bus is gone. If the worker asked that one last, it has no answer, and sends its settlement again
    /// later.
    mutating func lost(_ bus: Int) {
        asked[bus] = nil
        if host == bus, case .asking = state { state = .idle }
    }

    /// The settlement of a lease. A reply has the text of its request.
    func settlement(_ verb: Verb, of lease: Lease, using random: inout SeededRandom) -> Settlement {
        switch verb {
        case .done where group == SimulatedTopics.answeringGroup && lease.texts.count == 1:
            Settlement(.done(.reply(Reply("re \(lease.texts[0])"))), lease: lease.token)
        case .done: Settlement(.done(nil), lease: lease.token)
        case .retry:
            Settlement(
                .retry(
                    delay: Bool.random(using: &random)
                        ? .random(in: 0...5_000_000, using: &random) : nil), lease: lease.token)
        case .dead: Settlement(.dead(refusal: nil), lease: lease.token, reason: "it fails")
        }
    }
}
