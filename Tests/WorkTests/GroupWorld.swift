import StoreSupport
import TestSupport
import Topics

@testable import Work

/// One group between workers, a log and a store that fail as they like; everything that the group
/// promises is checked after every step, against what was committed and what was told.
struct GroupWorld {
    /// A fault planted around the machine, which the checks have to find.
    enum Fault: CaseIterable {
        /// A commit that failed passes for one that did not.
        case appliesFailedCommits
        /// The row of a settled job stays in the store.
        case keepsSettledRows
        /// Leases end at a restart.
        case cutsLeasesAtRestarts
        /// Leases and delays begin anew at a restart.
        case beginsSpansAnewAtRestarts
        /// What the log lost is told nobody.
        case swallowsGaps
        /// Two leases share a token.
        case mintsATokenTwice
        /// A job that is parked has no row.
        case forgetsWhatIsParked
        /// A job whose key is busy comes as one without a key.
        case losesKeys
        /// What came out of a job is not in the log, although the job is done.
        case losesOutputs
        /// Whoever waits for a reply does not hear it.
        case losesReplies
        /// Topics that are held for the group lose events that it took in.
        case holdsTooLittle
        /// Jobs that went back come as ones that were tried.
        case countsWhatIsGivenBack
    }

    struct Worker {
        let name: String?
        let caller: String
        var lease: String?
        /// The request under way: its number, and what it settles.
        var number: RequestNumber?
        var isWaiting = false
    }

    let seed: UInt64
    let fault: Fault?
    var random: SeededRandom
    var now: Int64 = 1_000_000
    // The log.
    var log: [EventID: Event] = [:]
    var expiries: [EventID: Int64] = [:]
    var ids: [EventID] = []
    var all: [EventID] = []
    var trimmed = EventID.zero
    var newest = EventID.zero
    // What is durable.
    var record: GroupRecord
    var rows: [EventID: JobRecord] = [:]
    var refusesLetters = false
    /// Whether the letters of the turn under way may go.
    var mayGo = false
    /// Whether its topics are held for it, and from where on.
    let isHeld: Bool
    var heldFrom = EventID.zero
    /// Requests whose output is in the log.
    var outputs: Set<RequestNumber> = []
    /// Jobs whose end was told to whoever waits for the reply.
    var replied: Set<EventID> = []
    // The machine, and what is under way.
    var turns: TwinTransaction
    var underWay: (change: WorkChange, letters: [PublishBatch], decided: Int64)?
    /// Whether everything is counted once no change is under way.
    var isRecount = false
    /// Where it began, or was sent to.
    var began = EventID.zero
    var number: RequestNumber = 0
    var lastToken: LeaseToken?
    var workers: [Worker]
    var verbs: [RequestNumber: WorkRequest] = [:]
    // What was observed, since the last seek.
    var tries: [EventID: Int] = [:]
    var settled: Set<EventID> = []
    var expired: Set<EventID> = []
    var answered: Set<EventID> = []
    var told: [EventID: (deadline: Int64, holder: Holder?)] = [:]
    var issued: [String] = []
    /// Leases that somebody let go of, or asked to.
    var letGo: Set<LeaseToken> = []
    /// The last settlement that was sent of each lease.
    var sent: [LeaseToken: Settlement] = [:]
    /// How many jobs workers may let go of by the change that is applied: one for each of their
    /// requests.
    var takenBack: [Holder: Int] = [:]
    var givenBack: Set<LeaseToken> = []
    /// Whether something failed since the last sweep, so that the group rests.
    var isResting = false
    var lastLeased = 0
    var lettersWritten = 0
    var lastDone: [String: EventID] = [:]
    var handouts = 0
    var lastBeforeSeek: RequestNumber = 0
    /// When the change was decided that is answered next; nil where it needed no commit.
    var decided: Int64?
    var complaint: String?

    let selector: Selector
    let outputTopic: TopicName
    static let room = GroupMachine.Room(
        open: 1_000, parked: 1_000, openPerGroup: 12, parkedPerGroup: 10)

    /// - Parameter isDoubled: Has a second group decide beside the first.
    init(seed: UInt64, fault: Fault? = nil, isDoubled: Bool = false) throws {
        self.seed = seed
        self.fault = fault
        selector = try Selector("jobs.*")
        outputTopic = try TopicName("out")
        random = SeededRandom(seed: seed)
        var wish = GroupSettings(of: selector)
        wish.lease = .seconds(10)
        wish.attempts = Int.random(in: 1...3, using: &random)
        wish.isOrderedByKey = Bool.random(using: &random)
        wish.inFlightMax = [1, 3, 8].randomElement(using: &random)
        if Bool.random(using: &random) { wish.dead = .topic(try TopicName("failed")) }
        wish.replies = Bool.random(using: &random)
        isHeld = Bool.random(using: &random)
        let name = try GroupName("g")
        record = try GroupRecord.make(
            name, wish, selector, at: LogPosition(after: .zero),
            by: StoredCaller(uid: nil, token: nil)
        ).get()
        turns = TwinTransaction(isDoubled: isDoubled) { [selector, record] in
            GroupTransaction(GroupMachine(GroupNumber(rawValue: 7), name, selector, record))
        }
        workers = [
            Worker(name: "w1", caller: "a"), Worker(name: "w2", caller: "a"),
            Worker(name: "w1", caller: "b"), Worker(name: nil, caller: "a"),
            Worker(name: nil, caller: "a"),
        ]
    }

    mutating func check(_ holds: Bool, _ sentence: String) {
        if !holds, complaint == nil { complaint = sentence }
    }

    /// Runs so many steps. Returns the first promise that was broken.
    mutating func run(steps: Int) throws -> String? {
        for step in 0..<steps where complaint == nil {
            try act()
            perform()
            checkState()
            check(turns.difference == nil, "two groups differ: \(turns.difference ?? "")")
            if let complaint { return "step \(step): \(complaint)" }
        }
        return complaint
    }

    // MARK: What happens

    private mutating func act() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<24: try publish()
        case 24..<32: now += [100_000, 3_000_000, 12_000_000].randomElement(using: &random)!
        case 32..<34: crash()
        case 34..<37: trim()
        case 37..<38: refusesLetters.toggle()
        case 38..<39: change()
        case 39..<40 where Int.random(in: 0..<4, using: &random) == 0: seek()
        case 40..<44: cancel()
        case 44..<48:
            turns.sweep()
            isResting = false
        case 48..<52: extend()
        default: ask()
        }
    }

    private mutating func publish() throws {
        let id = EventID(rawValue: newest.rawValue + .random(in: 1...3, using: &random))
        newest = id
        let key = [nil, nil, "a", "a", "b", "c"].randomElement(using: &random)!
        let event = Event(
            id: id, time: Timestamp(microseconds: now),
            topic: try TopicName(["jobs.a", "jobs.b"].randomElement(using: &random)!),
            payload: .empty, metadata: try EventMetadata(key: key), sender: .unknown,
            isStored: false)
        let expires = Int.random(in: 0..<8, using: &random) == 0 ? now + 6_000_000 : nil
        log[id] = event
        expiries[id] = expires
        ids.append(id)
        all.append(id)
        turns.look()
    }

    private mutating func trim() {
        guard !ids.isEmpty else { return }
        let count = Int.random(in: 0..<4, using: &random) == 0 ? ids.count / 2 + 1 : 1
        let reached = EventID(rawValue: record.reach.rawValue + 1)
        let bound = fault == .holdsTooLittle ? reached : heldFrom
        let free = isHeld ? ids.prefix { $0 < bound }.count : count
        for id in ids.prefix(min(count, free)) {
            log[id] = nil
            trimmed = id
        }
        ids.removeFirst(min(count, free))
    }

    private mutating func add(_ verb: WorkRequest.Verb) -> RequestNumber {
        number += 1
        let request = WorkRequest(number: number, verb: verb)
        verbs[number] = request
        turns.add(request)
        return number
    }

    private mutating func ask() {
        let index = Int.random(in: 0..<workers.count, using: &random)
        let worker = workers[index]
        guard worker.number == nil else { return }
        var settlement: Settlement?
        if let lease = worker.lease {
            let delay: Int64? = [nil, 0, 4_000_000].randomElement(using: &random)!
            let verb: Settlement.Verb =
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<3: .done(nil)
                case 3..<5: .done(.publish(output))
                case 5..<7: .done(record.replies ? .reply(Reply(.empty, contentType: nil)) : nil)
                case 7..<9: .retry(delay: delay)
                default: record.dead == nil ? .done(nil) : .dead(refusal: nil)
                }
            let ids = LeaseText(lease)!.ids
            let isPart =
                ids.lowerBound < ids.upperBound && Int.random(in: 0..<3, using: &random) == 0
            if case .retry = verb { letGo.insert(LeaseText(lease)!.token) }
            settlement = Settlement(verb, lease: lease, only: isPart ? [ids.lowerBound] : nil)
            sent[LeaseText(lease)!.token] = settlement
        }
        if let settlement, Int.random(in: 0..<4, using: &random) == 0 {
            workers[index].number = add(.settle(settlement, isReplyAwaited: false))
            return
        }
        let next = WorkRequest.Next(
            holder: worker.name.map { Holder(worker: $0, caller: worker.caller) },
            caller: worker.caller, settlement: settlement, isReplyAwaited: false,
            length: [nil, 5_000_000].randomElement(using: &random)!,
            countMax: [1, 1, 4].randomElement(using: &random)!, token: newToken(),
            waits: Bool.random(using: &random))
        workers[index].number = add(.next(next))
        // A loop that begins anew takes the place of the one before.
        for other in workers.indices where other != index && next.holder != nil {
            if workers[other].name == worker.name, workers[other].caller == worker.caller {
                workers[other].number = nil
            }
        }
    }

    /// What comes out of a job, which says by which request.
    private var output: PublishBatch {
        let text = Array(String(number + 1).utf8)
        return PublishBatch(topic: outputTopic, payloads: [Payload(text)])
    }

    private mutating func extend() {
        guard let lease = workers.compactMap(\.lease).randomElement(using: &random) else { return }
        _ = add(
            .extend(
                lease: lease, microseconds: [2_000_000, 30_000_000].randomElement(using: &random)!))
    }

    private mutating func cancel() {
        if let number = workers.compactMap(\.number).randomElement(using: &random) {
            turns.cancel(number)
        }
    }

    private mutating func change() {
        var wish = GroupSettings()
        wish.attempts = Int.random(in: 1...4, using: &random)
        if Bool.random(using: &random) { wish.dead = .nowhere }
        _ = add(.set(wish, by: StoredCaller(uid: nil, token: nil)))
    }

    private mutating func seek() {
        // Retention may take what a seek goes back to, before it does.
        guard !isHeld else { return }
        let start = ids.randomElement(using: &random)?.predecessor ?? newest
        _ = add(.seek(LogPosition(after: start, reportedThrough: trimmed), gap: nil))
    }

    /// The daemon is killed; what was under way is durable or not.
    private mutating func crash() {
        if let underWay, Bool.random(using: &random) {
            apply(underWay.change, underWay.letters, at: underWay.decided)
        }
        underWay = nil
        isRecount = true
        verbs = [:]
        for index in workers.indices { workers[index].number = nil }
        turns = TwinTransaction(isDoubled: turns.isDoubled) { restarted(isFaulty: true) }
        for (id, job) in turns.machine.table.jobs {
            check(job.due <= rows[id]?.until ?? .min, "a restart gives \(id) time anew")
        }
        heldFrom = turns.machine.heldFrom
        lastLeased = turns.machine.table.leasedCount
    }

    /// A group made of what is durable, and the log.
    private func restarted(isFaulty: Bool) -> GroupTransaction {
        var jobs = rows.values.sorted { $0.id < $1.id }
        if isFaulty, fault == .countsWhatIsGivenBack {
            jobs = jobs.map { row in
                guard case .waiting = row.state, row.attempt == 0 else { return row }
                var row = row
                row.attempt = 1
                return row
            }
        }
        if isFaulty, fault == .cutsLeasesAtRestarts {
            jobs = jobs.map { row in
                guard case .leased = row.state else { return row }
                var row = row
                row.until = now
                return row
            }
        }
        if isFaulty, fault == .beginsSpansAnewAtRestarts {
            jobs = jobs.map { row in
                var row = row
                row.until = now + row.state.span
                return row
            }
        }
        return GroupTransaction(
            GroupMachine(
                StoredGroup(
                    number: GroupNumber(rawValue: 7), record: record, jobs: jobs),
                turns.machine.name, selector, now: now, newest: newest))
    }

    // MARK: The owner's part

    private mutating func perform() {
        if let underWay {
            // Requests that come meanwhile are the next change's.
            guard Int.random(in: 0..<3, using: &random) > 0 else { return }
            self.underWay = nil
            let fails =
                Int.random(in: 0..<10, using: &random) == 0
                || (refusesLetters && !underWay.letters.isEmpty)
            if fails {
                isResting = true
                let passes = fault == .appliesFailedCommits
                turns.committed(
                    passes ? .success([]) : .failure(.storeFull("full")), now: now)
                // Leases do not end for it.
                lastLeased = max(lastLeased, turns.machine.table.leasedCount)
            } else {
                apply(underWay.change, underWay.letters, at: underWay.decided)
                turns.committed(.success([]), now: now)
            }
        }
        for _ in 0..<1_000 {
            guard let step = turns.step(now: now, room: Self.room) else {
                return checkNothingIsLeft()
            }
            switch step {
            case .commit(let change, let letters):
                let dead = turns.machine.record.dead
                check(
                    mayGo || !letters.contains { $0.topic == dead },
                    "letters go that nobody let go")
                mayGo = false
                underWay = (change, letters, now)
                decided = now
                return
            case .answer(let answers, let counts):
                heldFrom = turns.machine.heldFrom
                take(answers, counts)
                decided = nil
            case .fetch(let fetch):
                if Int.random(in: 0..<30, using: &random) == 0 {
                    isResting = true
                    turns.supply(.failure(.storeFailed("cannot be read")), now: now)
                    lastLeased = max(lastLeased, turns.machine.table.leasedCount)
                } else {
                    turns.supply(.success(supply(fetch)), now: now)
                }
            case .judge:
                mayGo = Int.random(in: 0..<4, using: &random) > 0
                turns.judged(mayGo ? .allowed : .refused("not yet"))
            case .recall:
                let isThere = Bool.random(using: &random)
                turns.recalled(isThere ? .success([]) : .failure(.storeFailed("cannot be read")))
            }
        }
        check(false, "a turn does not end")
    }

    private mutating func newToken() -> LeaseToken {
        if fault == .mintsATokenTwice, let lastToken { return lastToken }
        let token = LeaseToken(high: random.next(), low: random.next())
        lastToken = token
        return token
    }

    private func isOver(_ id: EventID) -> Bool { expiries[id].map { $0 <= now } ?? false }

    private mutating func supply(_ fetch: GroupTransaction.Fetch) -> GroupMachine.Supply {
        var supply = GroupMachine.Supply()
        // What only the store has comes in parts.
        supply.isOfStore = Bool.random(using: &random)
        for (id, _) in fetch.known {
            if supply.isOfStore, !fetch.needsAll, !supply.known.isEmpty,
                Int.random(in: 0..<3, using: &random) == 0
            {
                return supply
            }
            guard let event = log[id] else {
                supply.known[id] = .gone
                continue
            }
            supply.known[id] = isOver(id) ? .over(event) : .event(event)
        }
        guard fetch.freshMax > 0 else { return supply }
        var next = fetch.position
        if next.after < trimmed, next.reportedThrough < trimmed, fault != .swallowsGaps {
            next.reportedThrough = trimmed
            supply.fresh = .gap(Gap(after: fetch.position.after, through: trimmed), next: next)
            return supply
        }
        let countMax = min(fetch.freshMax, Int.random(in: 1...4, using: &random))
        let events = ids.filter { $0 > next.after }.prefix(countMax)
        let isCutShort = events.count == countMax
        next.after = isCutShort ? events.last! : newest
        supply.fresh = .events(
            events.map { id in
                let event = log[id]!
                let bare = Event(
                    id: id, time: event.time, topic: event.topic, payload: .empty,
                    metadata: .none, sender: .unknown, isStored: false)
                return (fault == .losesKeys ? bare : event, isOver(id))
            }, next: next, isCutShort: isCutShort)
        return supply
    }

    // MARK: What is committed

    private mutating func apply(
        _ change: WorkChange, _ letters: [PublishBatch], at decided: Int64
    ) {
        let before = record
        if change.forgetsJobs {
            rows = [:]
            replied = []
            (tries, settled, expired, answered, told) = ([:], [], [], [], [:])
            lastDone = [:]
            lastBeforeSeek = number
            began = change.record?.reach ?? .zero
        }
        if let record = change.record { self.record = record }
        takenBack = [:]
        for case .next(let next) in verbs.values.map(\.verb) {
            if let holder = next.holder { takenBack[holder, default: 0] += 1 }
        }
        for id in change.settled {
            check(rows[id] != nil, "\(id) is settled without a row")
            check(settled.insert(id).inserted, "\(id) is settled twice")
            if fault != .keepsSettledRows { rows[id] = nil }
            told[id] = nil
            guard record.isOrderedByKey, let key = log[id]?.metadata.key else { continue }
            check(lastDone[key] ?? .zero < id, "W7: \(id) of \(key) is settled out of order")
            lastDone[key] = id
        }
        // Else a job may have been given back by other settings.
        if before.settings == record.settings {
            for row in change.open { checkRest(of: row, at: decided) }
        }
        for row in change.open where fault != .forgetsWhatIsParked || !parked.contains(row.id) {
            open(row, at: decided)
        }
        let written = letters.filter { $0.topic == outputTopic }
        for batch in written where fault != .losesOutputs {
            check(!change.settled.isEmpty, "an output without a job that is done")
            let number = RequestNumber(batch.payloads[0].text) ?? 0
            check(outputs.insert(number).inserted, "the output of \(number) is there twice")
        }
        let letters = letters.filter { $0.topic != outputTopic }
        lettersWritten += letters.count
        let failed = record.tally.dead - before.tally.dead
        check(
            Int(failed) == letters.count, "\(failed) dead jobs and \(letters.count) dead letters")
        guard !change.forgetsJobs else { return }
        for id in all where id > before.reach && id <= record.reach {
            guard rows[id] == nil, !settled.contains(id) else { continue }
            if !isOver(id) {
                let gap = record.gap ?? Gap(after: .max, through: .zero)
                check(gap.after < id && id <= gap.through, "W2: \(id) is lost, and not told")
            } else {
                expired.insert(id)
            }
        }
    }

    /// A job that its worker gave back rests as long as that said, or else as its attempts say, and at
    /// most a tenth longer.
    private mutating func checkRest(of row: JobRecord, at decided: Int64) {
        guard case .waiting = row.state, let old = rows[row.id], row.attempt == old.attempt,
            case .leased(let lease) = old.state, let settlement = sent[lease.token],
            case .retry(let delay) = settlement.verb, settlement.only?.contains(row.id) ?? true,
            record.dead == nil || row.attempt < record.attempts
        else { return }
        let rest = row.until - decided
        let base = min(Int64(1_000_000) << Int64(min(row.attempt - 1, 20)), 300_000_000)
        let expected = delay.map { $0...$0 } ?? base...base + base / 10
        check(expected.contains(rest), "\(row.id) rests \(rest) µs, not \(expected)")
    }

    private var parked: Set<EventID> {
        Set(turns.machine.table.keyQueues.parked.values.flatMap(\.self))
    }

    private mutating func open(_ row: JobRecord, at decided: Int64) {
        let id = row.id
        check(!settled.contains(id), "W1: \(id) is open again after it was settled")
        check(!expired.contains(id), "\(id) is open after it was over")
        check(row.until <= decided + row.state.span, "the row of \(id) says more than was asked")
        let old = rows[id]
        rows[id] = row
        guard case .leased(let lease) = row.state else {
            if case .leased(let before)? = old?.state {
                if row.attempt < old!.attempt { tries[id]! -= 1 }
                let isDying = record.dead != nil && row.attempt >= record.attempts
                let isLetGo = letGo.contains(before.token) || isDying
                checkHandingOn(of: id, to: nil, isLetGo: isLetGo, at: decided)
            }
            check(row.attempt == tries[id, default: 0], "W5: attempts of \(id)")
            told[id] = nil
            return
        }
        var isLetGo = false
        if case .leased(let before)? = old?.state {
            if before.token == lease.token {
                // An extension, whose answer may be lost: it may be shorter.
                if let last = told[id]?.deadline { told[id]?.deadline = min(last, row.until) }
                return
            }
            isLetGo = letGo.contains(before.token)
            if givenBack.contains(before.token), row.attempt == old!.attempt { tries[id]! -= 1 }
        }
        let holder = lease.worker.map { Holder(worker: $0, caller: lease.caller ?? "") }
        checkHandingOn(of: id, to: holder, isLetGo: isLetGo, at: decided)
        tries[id, default: 0] += 1
        check(
            row.attempt == tries[id], "W5: \(id) is tried \(tries[id]!) times, told \(row.attempt)")
        told[id] = (decided + lease.length, holder)
    }

    /// A job leaves its worker when its time is over, or if that lets go of it. One that asks again
    /// lets go of the first job that it has, and mostly gets that.
    private mutating func checkHandingOn(
        of id: EventID, to holder: Holder?, isLetGo: Bool, at decided: Int64
    ) {
        guard let before = told[id], before.deadline > decided, !isLetGo else { return }
        let left = before.holder.map { takenBack[$0, default: 0] } ?? 0
        let isSame = holder != nil && holder == before.holder
        check(
            isSame || left > 0,
            "W4: \(id) is handed on \(before.deadline - decided) µs too early")
        if let worker = before.holder { takenBack[worker] = left - 1 }
    }

    // MARK: What is told

    private mutating func take(_ answers: [WorkAnswer], _ counts: GroupTransaction.Counts) {
        for delivery in counts.deliveries where fault != .losesReplies {
            for id in delivery.ids {
                check(settled.contains(id), "the reply of \(id) comes before its end")
                check(replied.insert(id).inserted, "\(id) is replied to twice")
            }
        }
        for answer in answers {
            let request = verbs.removeValue(forKey: answer.number)
            let index = workers.firstIndex { $0.number == answer.number }
            if let index { workers[index].number = nil }
            switch answer.outcome {
            case .failure(let error): refused(error, index)
            case .success(.nothing(let done)), .success(.delivery(_, let done)):
                note(done, request, index)
            case .success(.settled(let done)): note(done, request, index)
            case .success(.done): extended(request)
            }
            if case .success(.delivery(let grant, _)) = answer.outcome {
                receive(grant, index)
            }
        }
    }

    private mutating func refused(_ error: WorkError, _ index: Int?) {
        switch error {
        case .leaseLost, .jobSettled, .jobDead:
            if let index { workers[index].lease = nil }
        case .bus, .workerReplaced, .limit, .deadMissing, .lettersRefused: break
        default: check(false, "refused: \(error)")
        }
    }

    private mutating func note(
        _ done: WorkAnswer.Settled?, _ request: WorkRequest?, _ index: Int?
    ) {
        guard let done, let request else { return }
        if let index { workers[index].lease = nil }
        guard case .done? = request.settlement?.what.verb, request.number > lastBeforeSeek else {
            return
        }
        if case .done(.publish)? = request.settlement?.what.verb, !done.ids.isEmpty {
            check(outputs.contains(request.number), "the output of \(request.number) is lost")
        }
        for id in done.ids {
            check(!record.replies || replied.contains(id), "nobody heard the reply of \(id)")
            check(settled.contains(id), "\(id) is told done and was not committed")
            check(answered.insert(id).inserted, "\(id) is told done twice")
        }
    }

    private mutating func extended(_ request: WorkRequest?) {
        guard case .extend(let lease, let microseconds)? = request?.verb,
            case .valid(_, let ids) = turns.machine.state(of: lease, only: nil)
        else { return }
        for id in ids { told[id]?.deadline = (decided ?? now) + microseconds }
    }

    private mutating func receive(_ grant: GroupMachine.LeasedJobs, _ index: Int?) {
        handouts += 1
        if grant.jobs.count > 1 {
            check(grant.jobs.allSatisfy { $0.attempt == 1 }, "W9: a batch has one that comes again")
        }
        for (event, attempt) in grant.jobs {
            check(!answered.contains(event.id), "W1: \(event.id) is handed out after its done")
            check(tries[event.id] == attempt, "W5: \(event.id) is told attempt \(attempt)")
        }
        let text = grant.lease.text
        check(LeaseText(text) == grant.lease, "a lease is not what its text says")
        check(text.utf8.count <= 64, "a lease is too long")
        issued.append(text)
        // The connection is closed now and then.
        guard let index, Int.random(in: 0..<12, using: &random) > 0 else {
            letGo.insert(grant.lease.token)
            givenBack.insert(grant.lease.token)
            _ = add(.giveBack(grant.lease.token, gap: grant.gap))
            return
        }
        workers[index].lease = text
    }

    // MARK: What always holds

    private mutating func checkNothingIsLeft() {
        let machine = turns.machine
        for entry in machine.line.waiting(countMax: .max) {
            check(entry.waits, "somebody who does not wait stays in the line")
        }
        guard !isResting, !machine.line.isEmpty else { return }
        let isFull = machine.table.leasedCount >= machine.record.inFlightMax
        check(isFull || machine.table.again.isEmpty, "W8: a job waits, and so does a worker")
    }

    private mutating func checkState() {
        let machine = turns.machine
        let leased = machine.table.leasedCount
        check(leased <= max(lastLeased, machine.record.inFlightMax), "W10: too many are leased")
        lastLeased = leased
        check(machine.table.jobs.count <= Self.room.openPerGroup + 1, "W10: too many are open")
        check(
            machine.table.keyQueues.parkedCount <= Self.room.parkedPerGroup, "too many are parked")
        check(machine.table.order.ids == machine.table.jobs.keys.sorted(), "the order is wrong")
        var owners: [EventID: String] = [:]
        for text in issued.suffix(40) {
            guard case .valid(_, let jobs) = machine.state(of: text, only: nil) else { continue }
            for id in jobs {
                check(owners[id] == nil, "W3: \(id) has two valid leases")
                owners[id] = text
            }
        }
        if isHeld {
            check(record.tally.gone == 0 && record.gap == nil, "an event is lost that was held")
        }
        guard underWay == nil else { return }
        check(
            Set(machine.table.jobs.keys).union(parked) == Set(rows.keys),
            "the rows are not the jobs")
        checkKeys()
        guard isRecount else { return }
        isRecount = false
        recount()
    }

    /// Everything that was taken in is somewhere, after a restart found what it could.
    private mutating func recount() {
        for id in ids where id > began && id <= record.reach {
            check(
                rows[id] != nil || settled.contains(id) || isOver(id),
                "W2: \(id) is lost by a restart")
        }
    }

    private mutating func checkKeys() {
        guard record.isOrderedByKey else { return }
        var heads: Set<String> = []
        for row in rows.values.sorted(by: { $0.id < $1.id }) {
            guard let key = row.key else { continue }
            let isOpen = turns.machine.table.jobs[row.id] != nil
            check(isOpen == heads.insert(key).inserted, "W7: \(key) has not its oldest job open")
        }
        for (id, event) in log where rows[id] != nil {
            check(rows[id]?.key == event.metadata.key, "the key of \(id) is lost")
        }
        // A restart would find the same.
        let own = turns.machine.table.keyQueues.parked
        let others = restarted(isFaulty: false).machine.table.keyQueues.parked
        check(own == others, "a restart finds \(others) parked, not \(own)")
    }
}
