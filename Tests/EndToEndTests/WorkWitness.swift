import Glibc
import Protection
import TestSupport
import Testing

/// Remembers over many lives of a daemon which jobs were handed to workers and which settlements
/// were answered, and compares that with what the daemon says in the end.
///
/// The text of a job says how it is settled: `done`, `out` with an event in another topic, `dead`.
final class WorkWitness: Sendable {
    static let pool = "pool"
    static let ordered = "ordered"
    static let results = "results"
    static let failed = "failed"

    private let state: Protected<State>

    fileprivate struct State {
        var lanes: [String: Lane] = [pool: Lane(), ordered: Lane()]
        var workers: [Worker]
        var faults: [String] = []

        mutating func fault(_ text: String) {
            // The first ones say what is wrong.
            if faults.count < 10 { faults.append(text) }
        }
    }

    /// What is known of the jobs of one group.
    fileprivate struct Lane {
        /// The attempt that was handed out last.
        var attempts: [UInt64: Int] = [:]
        /// How many times jobs were handed out.
        var runs = 0
        /// Jobs for which a worker may have asked that they be settled.
        var asked: Set<UInt64> = []
        /// Jobs whose settlement was answered.
        var settled: Set<UInt64> = []
        /// Jobs of each key that nobody asked to settle.
        var open: [String: Set<UInt64>] = [:]

        mutating func note(_ id: UInt64, of key: String?) {
            if let key, !asked.contains(id) { open[key, default: []].insert(id) }
        }
    }

    /// A loop that repeats its request, over lives, until it is answered.
    fileprivate struct Worker {
        var request: Request
        let name: String?
        let group: String
        var random: SeededRandom
    }

    /// A request to settle what is held, and mostly to take the next.
    fileprivate struct Request {
        var target: String
        var body: [UInt8] = []
        /// The job that it settles, with its key.
        var settles: (id: UInt64, key: String?)?
    }

    /// A worker for each index, every second one named.
    init(workers: Int) {
        state = Protected(
            State(
                workers: (0..<workers).map { index in
                    let group = index % 3 < 2 ? Self.pool : Self.ordered
                    let name = index % 2 == 0 ? "w\(index)" : nil
                    return Worker(
                        request: Self.next(group, name, nil), name: name, group: group,
                        random: SeededRandom(for: "worker \(index)"))
                }))
    }

    /// How many settlements were answered.
    var settled: Int { state.read { $0.lanes.values.reduce(0) { $0 + $1.settled.count } } }

    /// How many jobs were handed out, and how many times.
    var handedOut: (jobs: Int, runs: Int) {
        state.read { state in
            state.lanes.values.reduce((0, 0)) { ($0.0 + $1.attempts.count, $0.1 + $1.runs) }
        }
    }

    /// Makes the groups, which never give a job up by themselves.
    static func prepare(_ client: RawClient) throws {
        for target in [
            "\(pool)?of=jobs.plain&lease=1s&attempts=1000&dead=\(failed)",
            "\(ordered)?of=jobs.keyed&lease=1s&attempts=1000&order=key",
        ] {
            let answer = try client.exchange("PUT", "/groups/\(target)")
            try #require(answer.status == 201, "\(answer.text)")
        }
    }

    /// Publishes until the connection ends.
    func publish(from publisher: Int, _ life: Int, at address: RawClient.Address) {
        do throws(RawClient.Failure) {
            let client = try RawClient(address)
            for round in 0... {
                let how = round % 11 == 3 ? "dead" : round % 7 == 2 ? "out" : "done"
                let plain = Array("\(how) \(publisher) \(life) \(round)".utf8)
                _ = try client.exchange("POST", "/topics/jobs.plain", body: plain, within: 60)
                let key = "k\(round % 3)"
                let keyed = try client.exchange(
                    "POST", "/topics/jobs.keyed?key=\(key)",
                    body: Array("done \(publisher) \(life) \(round)".utf8), within: 60)
                guard keyed.status == 201, let id = keyed.number("event-id") else { continue }
                state.write { $0.lanes[Self.ordered]!.note(id, of: key) }
            }
        } catch {
            return
        }
    }

    /// Works until the connection ends, or until `isOver` says so after an answer without a job.
    func work(
        _ index: Int, at address: RawClient.Address, until isOver: () throws -> Bool = { false }
    ) throws {
        do {
            let client = try RawClient(address)
            while true {
                let request = state.read { $0.workers[index].request }
                let answer = try client.exchange(
                    "POST", request.target, body: request.body, within: 60)
                let hasJob = state.write { state in
                    state.workers[index].request = state.next(after: answer, of: index)
                    return answer.header("work-lease") != nil
                }
                if try !hasJob && isOver() { return }
            }
        } catch is RawClient.Failure {
            return
        }
    }

    /// What was wrong so far.
    var faults: [String] { state.read { $0.faults } }

    /// Whether a job of this group is settled by a worker's word, at the latest by the end.
    func isAsked(_ id: UInt64, in group: String) -> Bool {
        state.read { $0.lanes[group]!.asked.contains(id) }
    }

    fileprivate static func wait(_ name: String?) -> String {
        "wait=1s" + (name.map { "&worker=\($0)" } ?? "")
    }

    fileprivate static func next(_ group: String, _ name: String?, _ verb: String?) -> Request {
        Request(target: "/groups/\(group)/next?\(wait(name))" + (verb.map { "&\($0)" } ?? ""))
    }

    fileprivate static func settling(
        _ job: (id: UInt64, key: String?), _ text: String, _ lease: String, by worker: inout Worker
    ) -> Request {
        let isAgain = Int.random(in: 0..<10, using: &worker.random) == 0
        if isAgain { return next(worker.group, worker.name, "retry=\(lease)&delay=0") }
        var request: Request
        switch text.prefix(4) {
        case "dead": request = next(worker.group, worker.name, "dead=\(lease)")
        case "out ":
            request = next(worker.group, worker.name, "done=\(lease)&to=\(results)")
            request.body = Array("\(job.id)".utf8)
        default: request = next(worker.group, worker.name, "done=\(lease)")
        }
        request.settles = job
        return request
    }
}

extension WorkWitness.State {
    /// Notes an answer. Returns what the worker asks next.
    fileprivate mutating func next(
        after answer: RawClient.Answer, of index: Int
    ) -> WorkWitness.Request {
        var worker = workers[index]
        defer { workers[index] = worker }
        let group = worker.group
        let asked = worker.request
        switch answer.status {
        case 200, 204:
            if let job = asked.settles { lanes[group]!.settled.insert(job.id) }
        case 409: break
        default: fault("\(asked.target) was answered \(answer.status): \(answer.text)")
        }
        guard answer.status == 200, let id = answer.number("event-id"),
            let attempt = answer.number("work-attempt"), let lease = answer.header("work-lease")
        else { return WorkWitness.next(group, worker.name, nil) }
        let key = answer.header("event-key")
        check(id, Int(attempt), key, in: group)
        let request = WorkWitness.settling((id, key), answer.text, lease, by: &worker)
        if request.settles != nil {
            lanes[group]!.asked.insert(id)
            if let key { lanes[group]!.open[key]?.remove(id) }
        }
        return request
    }

    /// Compares a hand-out with what is known at this moment.
    private mutating func check(_ id: UInt64, _ attempt: Int, _ key: String?, in group: String) {
        var lane = lanes[group]!
        defer { lanes[group] = lane }
        if lane.settled.contains(id) { fault("\(group): \(id) came after it was settled") }
        if attempt <= lane.attempts[id] ?? 0 {
            fault("\(group): attempt \(attempt) of \(id) again")
        }
        lane.attempts[id] = attempt
        lane.runs += 1
        guard group == WorkWitness.ordered, let key else { return }
        lane.note(id, of: key)
        if let earlier = lane.open[key]?.min(), earlier < id {
            fault("\(id) of \(key) came while \(earlier) was open")
        }
    }
}
