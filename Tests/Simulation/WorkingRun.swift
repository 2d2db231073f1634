import TestSupport
import Topics
import Work

/// A run with workers, and writers of one topic.
protocol WorkingRun: SimulatedRun, Sendable {
    var workers: [SimulatedWorker] { get set }
    var writers: [RegisterWriter] { get set }

    /// Where the next request of a worker or a writer goes; nil where nobody is there to be asked.
    func desk(using random: inout SeededRandom) -> Desk?

    /// Whether a settlement is answered, and nothing is done, as a planted fault has it.
    func forgetsSettlement() -> Bool
}

/// Tokens that differ over all lives and hosts.
// @unchecked: it is in the one thread of its simulation.
final class TokenMint: @unchecked Sendable {
    private var count: UInt64 = 0

    func next() -> LeaseToken {
        count += 1
        return LeaseToken(high: 0x9E37_79B9_7F4A_7C15 &* count, low: count)
    }
}

/// Somebody who takes requests of workers and writers: one life of a bus, with its groups.
struct Desk: Sendable {
    let bus: EventBus
    let groups: WorkGroups
    /// Which bus it is of, where there are several.
    var host = 0
    let visit: Visit
}

/// The life of a bus that a worker has asked. Requests that wait have it, so it has no groups: those have the
/// requests.
struct Visit: Sendable {
    /// Whether its answers reach a worker still.
    let isThere: @Sendable () -> Bool
    let time: SimulatedTime
    /// Whether jobs rest by that time: on an order they do by the order's, which may be ahead.
    let timesRests: Bool
    /// How often its clock was set.
    let sets: @Sendable () -> Int
}

/// The caller of all workers.
let workerCaller = WorkCaller(uid: 1)

/// The steps of workers.
extension WorkingRun {
    private var caller: WorkCaller { workerCaller }

    func work(using random: inout SeededRandom) throws {
        let index = Int.random(in: workers.indices, using: &random)
        try work(index, isLast: false, using: &random)
    }

    /// One request of a worker. At the end every job is done.
    func work(_ index: Int, isLast: Bool, using random: inout SeededRandom) throws {
        guard let desk = desk(using: &random) else { return }
        switch workers[index].state {
        case .asking: break
        case .idle: try ask(index, at: desk, settling: nil, isLast: isLast, using: &random)
        case .settling(let lease, let verb):
            try settle(lease, verb, index, at: desk, isLast: isLast, using: &random)
        case .holding(let lease):
            // Some die with their job, some are slow.
            switch isLast ? 9 : Int.random(in: 0..<10, using: &random) {
            case 0:
                workers[index].state = .idle
                note("worker \(index) forgets \(lease.ids)")
            case 1: try extend(lease, index, at: desk, using: &random)
            default:
                let verbs = workers[index].verbs
                try settle(
                    lease, isLast ? .done : verbs.randomElement(using: &random)!, index, at: desk,
                    isLast: isLast, using: &random)
            }
        }
    }

    private func settle(
        _ lease: SimulatedWorker.Lease, _ verb: SimulatedWorker.Verb, _ index: Int,
        at desk: Desk, isLast: Bool, using random: inout SeededRandom
    ) throws {
        let group = workers[index].group
        if forgetsSettlement() {
            for id in lease.ids { model.settled(id, of: group, verb) }
            workers[index].state = .idle
            return
        }
        for id in lease.ids { model.settling(id, of: group) }
        workers[index].state = .settling(lease, verb)
        let settlement = workers[index].settlement(verb, of: lease, using: &random)
        let visit = desk.visit
        var rests: [UInt64: Int64] = [:]
        if visit.timesRests, case .retry(let delay) = settlement.verb {
            rests = model.rests(of: lease.ids, in: group, delay, from: visit.time.passed)
        }
        let sent = SimulatedWorker.Sent(lease: lease, verb: verb, rests: rests)
        note("worker \(index) settles \(lease.ids) of \(group) at \(desk.host): \(verb)")
        if Bool.random(using: &random) {
            return try ask(
                index, at: desk, settling: (settlement, sent), isLast: isLast, using: &random)
        }
        workers[index].host = desk.host
        desk.groups.settle(try GroupName(group), settlement, by: caller) {
            [self] outcome in
            guard visit.isThere() else { return }
            end(sent, index, outcome, at: visit)
        }
    }

    /// Takes the answer to a settlement; nil where a job came and nothing is said of the last one:
    /// it was settled before, or a worker with a name holds the new one.
    private func end(
        _ sent: SimulatedWorker.Sent, _ index: Int,
        _ outcome: Result<SettleReceipt, WorkError>?, at visit: Visit
    ) {
        let (lease, verb) = (sent.lease, sent.verb)
        note("worker \(index) is told \(outcome.map { "\($0)" } ?? "nothing of its last job")")
        // Of several settlements of one lease the first answer counts for the worker.
        guard case .settling(let current, _) = workers[index].state, current.token == lease.token
        else { return }
        workers[index].state = .idle
        let group = workers[index].group
        for id in lease.ids {
            switch outcome {
            case .success(let receipt) where receipt.count == lease.ids.count:
                model.settled(id, of: group, verb, restsUntil: sent.rests[id])
            case .failure(.jobSettled) where lease.ids.count == 1:
                model.settled(id, of: group, .done)
            // Of several jobs some were over, or somebody else's: which ones is not said.
            case nil, .success, .failure(.jobSettled), .failure(.jobDead): break
            case .failure(.leaseLost): model.lost(id, of: group, by: index, at: visit.time.passed)
            case .failure(.bus), .failure(.workerReplaced):
                // It asks the same again, by itself or as the loop that came later.
                workers[index].state = .settling(lease, verb)
            case .failure(let error): model.fail("\(id) of \(group) is not settled: \(error)")
            }
        }
    }

    private func extend(
        _ lease: SimulatedWorker.Lease, _ index: Int, at desk: Desk,
        using random: inout SeededRandom
    ) throws {
        let group = workers[index].group
        let span = Int64.random(in: 1_000_000...15_000_000, using: &random)
        let visit = desk.visit
        let begun = visit.time.passed
        note("worker \(index) extends \(lease.ids) of \(group) by \(span)")
        for id in lease.ids { model.extending(id, of: group, by: index, to: begun + span) }
        desk.groups.extend(
            try GroupName(group), lease: lease.token, by: span, caller: caller
        ) { [self] outcome in
            guard visit.isThere(), case .success = outcome else { return }
            model.extended(
                lease.ids, of: group, by: index, to: begun + span, at: visit.time.passed)
        }
    }

    /// Asks for a job, and perhaps settles the last one with the same request.
    private func ask(
        _ index: Int, at desk: Desk,
        settling last: (settlement: Settlement, sent: SimulatedWorker.Sent)?, isLast: Bool,
        using random: inout SeededRandom
    ) throws {
        let length: Int64? = [nil, 1_000_000, 20_000_000].randomElement(using: &random)!
        let request = NextRequest(
            worker: try workers[index].name.map { try WorkerName($0) },
            settlement: last?.settlement, lease: length,
            countMax: isLast ? 16 : [1, 1, 3].randomElement(using: &random)!,
            // Workers that settle repeat that, and do not wait for a job with it.
            waits: last == nil && Bool.random(using: &random))
        if last == nil { workers[index].state = .asking }
        workers[index].asked[desk.host, default: 0] += 1
        workers[index].begun += 1
        let (isAlone, number) = (workers[index].asksOnce, workers[index].begun)
        model.askedForJobs(of: workers[index].group)
        // A worker with a name lets go of its job by asking again, and mostly gets it.
        if workers[index].name != nil { model.letGo(of: workers[index].group, by: index) }
        note("worker \(index) asks \(workers[index].group) at \(desk.host) for \(length ?? 0)")
        let (visit, host) = (desk.visit, desk.host)
        let (begun, clockSets) = (visit.time.passed, visit.sets())
        workers[index].host = desk.host
        desk.groups.next(try GroupName(workers[index].group), request, by: caller) {
            [self] outcome in
            guard visit.isThere() else { return }
            workers[index].asked[host, default: 0] -= 1
            let delivery = (try? outcome.get())?.delivery
            let isOnlyOne = isAlone && number == workers[index].begun
            model.answeredAsk(
                of: workers[index].group,
                isOvertaken: delivery == nil && !isOnlyOne && workers[index].name != nil)
            if let last {
                end(last.sent, index, settled(by: outcome), at: visit)
            } else {
                workers[index].state = .idle
            }
            guard let delivery else { return }
            // The lease began when the bus decided: by its deadline, unless the clock was set since.
            let left =
                delivery.deadline.microseconds - visit.time.clock.now().microseconds
            let span = length ?? 10_000_000
            take(
                delivery, index, for: span,
                until: clockSets == visit.sets() ? visit.time.passed + left : begun + span,
                isAlone: isOnlyOne, at: visit)
        }
    }

    /// The part of an answer that is about the settlement which came with the request.
    private func settled(
        by outcome: Result<NextAnswer, WorkError>
    ) -> Result<SettleReceipt, WorkError>? {
        switch outcome {
        case .failure(let error): .failure(error)
        case .success(let answer): answer.settled.map { .success($0) }
        }
    }

    private func take(
        _ delivery: JobDelivery, _ index: Int, for span: Int64, until end: Int64,
        isAlone: Bool, at visit: Visit
    ) {
        let group = workers[index].group
        let jobs = delivery.jobs.map { "\($0.event.id)#\($0.attempt)" }
        note("worker \(index) has \(jobs) of \(group) until \(end)")
        for job in delivery.jobs {
            let id = job.event.id.rawValue
            model.saw(id, BusModel.Seen(job.event), at: job.event.time)
            model.handed(
                id, of: group, attempt: job.attempt,
                to: .init(number: index, isNamed: workers[index].name != nil, isAlone: isAlone),
                at: visit.time.passed,
                decided: end - span, until: end)
        }
        // Another request of its name may have been decided later, and answered before.
        if workers[index].name != nil, !isAlone { model.letGo(of: group, by: index) }
        // It may hold another lease still, whose settlement was sent twice: that one is forgotten.
        workers[index].state = .holding(
            .init(
                token: delivery.lease, ids: delivery.jobs.map(\.event.id.rawValue),
                texts: delivery.jobs.map { BusModel.Seen($0.event).text }))
    }
}
