import DiskSupport
import Protection
import SQLiteStore
import StoreSupport
import TestSupport
import Topics
import Work

/// A bus with publishers, readers and workers, in one thread and in a time of its own: a seed
/// chooses what happens, on a disk that fails, in a process that is killed between any two steps, on
/// a machine that loses its power. It stops at the first promise that is broken.
// @unchecked: everything that has it is in one thread.
final class BusSimulation: WorkingRun, @unchecked Sendable {
    let seed: UInt64
    private let folder = TemporaryFolder(inMemory: true)
    let time = SimulatedTime()
    let told: ToldTimes
    private let sync: SQLiteStoreConfiguration.Sync
    private let losesPower: Bool
    private let mint = TokenMint()
    /// The batches with keys, which are published again.
    private var keyed: [(number: Int, batch: PublishBatch)] = []
    /// Nil between two lives: a file is open once.
    private var held: SimulatedLife?
    /// The id before the first one.
    private(set) var floor: UInt64 = 0
    /// Which life it is: an answer of an earlier one reaches nobody.
    private(set) var lives = 0
    var model = BusModel()
    var readers: [SimulatedReader] = []
    var workers: [SimulatedWorker] = []
    var story: RunStory<SimulatedFault>
    var tickets: [HeldTicket] = []
    var writers = [RegisterWriter](repeating: RegisterWriter(), count: 4)

    init(seed: UInt64, fault: SimulatedFault? = nil, isTraced: Bool = false) throws {
        self.seed = seed
        story = RunStory(with: fault, isTold: isTraced)
        told = ToldTimes(time)
        time.bootRate = fault == .leasesEndEarly ? 2 : 1
        // With every commit synced the power may go; else the process alone is killed.
        losesPower = seed % 2 == 0
        sync = losesPower && fault != .answersBeforeTheSync ? .full : .normal
        try beginLife()
        floor = life.bus.newest.rawValue
        try makeGroups()
    }

    var life: SimulatedLife { held! }
    var waitingReaders: [(readers: WaitingReaders, bus: EventBus)] {
        [(life.waiting, life.bus)]
    }

    func desk(using random: inout SeededRandom) -> Desk? {
        let asked = lives
        let visit = Visit(
            isThere: { [self] in asked == lives }, time: time, timesRests: true,
            sets: { [self] in time.sets })
        return Desk(bus: life.bus, groups: life.groups, visit: visit)
    }

    func forgetsSettlement() -> Bool { shows(.forgetsSettlements) }

    func close() {
        // Requests that wait have this object, and the life has them.
        lives += 1
        life.kill()
        held = nil
    }

    // MARK: Steps

    func step(using random: inout SeededRandom) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<11: try publish(using: &random)
        case 11: try contend(using: &random)
        case 12..<15: try hold(using: &random)
        case 15..<18: try request(using: &random)
        case 18..<44:
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                life.scheduler.step(using: &random)
            }
        case 44..<47: try beHeard(using: &random)
        case 47: try restCalmly(using: &random)
        case 48..<62: read(using: &random)
        case 62..<84: try work(using: &random)
        case 84..<90: advance(using: &random)
        case 90: try changeBounded(using: &random)
        case 91, 92: fail(using: &random)
        case 93, 94: life.disk.heal()
        case 95: try reload(using: &random)
        case 96: try end(using: &random)
        default: set(using: &random)
        }
    }

    private func publish(using random: inout SeededRandom) throws {
        if Int.random(in: 0..<6, using: &random) == 0,
            let (number, batch) = keyed.randomElement(using: &random)
        {
            note("publish \(number) again")
            let again = shows(.ignoresKeys) ? batch.withoutKey : batch
            return publish(again, number, isThere: model.repeats(number))
        }
        let others = [
            SimulatedTopics.bounded, SimulatedTopics.aging, SimulatedTopics.fleeting,
            SimulatedTopics.held,
        ]
        let isOther = Int.random(in: 0..<3, using: &random) == 0
        let topic = (isOther ? others : SimulatedTopics.unbounded).randomElement(using: &random)!
        let key = ["k1", "k2", nil].randomElement(using: &random)!
        let number = model.batches.count
        let texts = (0..<[1, 1, 2, 5].randomElement(using: &random)!).map { "\(number).\($0)" }
        let fill = [0, 0, 0, 3_000].randomElement(using: &random)!
        let attributes = try model.nextAttributes()
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(key: key, attributes: attributes),
            sender: Sender(uid: UInt32.random(in: 1...3, using: &random), pid: nil),
            payloads: texts.map {
                Payload(Array("\($0) \(String(repeating: "x", count: fill))".utf8))
            }, idempotencyKey: isOther ? nil : model.nextKey())
        if batch.idempotencyKey != nil { keyed.append((number, batch)) }
        _ = model.asked(
            BusModel.Batch(topic: topic, key: key, texts: texts, attributes: attributes))
        note("publish \(texts) to \(topic)")
        publish(batch, number, isThere: false)
    }

    func publish(_ batch: PublishBatch, _ number: Int, isThere: Bool) {
        let asked = lives
        if shows(.publishesTwice) { life.bus.publish(batch) { _ in } }
        life.bus.publish(batch) { [self] outcome in
            guard asked == lives else { return }
            switch outcome {
            case .success where shows(.refusesWhatItTook): model.refused(number)
            case .success(let receipt):
                note("published \(number) at \(receipt.first)")
                model.answered(
                    number, first: receipt.first.rawValue, last: receipt.last.rawValue)
            case .failure(let error):
                note("refused \(number): \(error)")
                if isThere {
                    model.fail("\(number) is in the log, and its repeat is refused: \(error)")
                }
                model.refused(number)
            }
        }
    }

    private func hold(using random: inout SeededRandom) throws {
        let asked = lives
        try hold(
            on: life.bus, at: life.bus.now, whileThere: { [self] in asked == lives }, using: &random
        )
    }

    private func advance(using random: inout SeededRandom) {
        let span = Int64.random(
            in: 1...[10_000, 1_000_000, 8_000_000].randomElement(using: &random)!, using: &random)
        time.advance(microseconds: span)
        note("\(span) µs pass")
        life.bus.sweep()
        life.groups.sweep()
    }

    private func set(using random: inout SeededRandom) {
        model.forgetRequests()
        model.forgetDues()
        let by = Int64.random(in: -3_600_000_000...3_600_000_000, using: &random)
        if by < 0 { model.schedules.isUnsure = true }
        time.set(by: by)
        note("the clock is set")
    }

    /// Has other limits hold, as a reload does.
    private func reload(using random: inout SeededRandom) throws {
        var (limits, work) = (BusLimits(), WorkLimits())
        limits.graceMicroseconds = [0, 1_000_000].randomElement(using: &random)!
        limits.eventBytesMax = [100, 1 << 20].randomElement(using: &random)!
        limits.tombstonesMax = [1, 10_000].randomElement(using: &random)!
        work.openPerGroupMax = [1, 5, 10_000].randomElement(using: &random)!
        note("reload: events of \(limits.eventBytesMax) bytes, \(work.openPerGroupMax) jobs open")
        reload(limits, work)
    }

    private func reload(_ limits: BusLimits, _ work: WorkLimits) {
        let defaults = Retention(keep: nil, bytes: nil, age: nil)
        life.bus.reconfigure(limits: limits, defaults: defaults, autocreate: true)
        life.groups.reconfigure(limits: work)
    }

    private func changeBounded(using random: inout SeededRandom) throws {
        let name = try TopicName(SimulatedTopics.bounded)
        if Int.random(in: 0..<3, using: &random) == 0 {
            note("remove \(name)")
            return life.bus.remove(name) { _ in }
        }
        let keep = [1, 5, 20].randomElement(using: &random)!
        note("keep \(keep) in \(name)")
        try life.bus.register(SimulatedTopics.bounded, keep: keep)
    }

    /// The disk fails some calls, or all until it is healed.
    private func fail(using random: inout SeededRandom) {
        let faults = [
            (Disk.Call.write, Disk.full), (.write, Disk.writeError), (.sync, Disk.syncError),
            (.read, Disk.readError),
        ]
        let (call, code) = faults.randomElement(using: &random)!
        let (skip, count) = (
            Int.random(in: 0...6, using: &random), [1, 2, 5, -1].randomElement(using: &random)!
        )
        note("the disk fails \(count) calls (\(call)) with \(code), after \(skip)")
        if Int.random(in: 0..<4, using: &random) == 0 {
            // A system that has no room for a write has not written all of it.
            let code = code == Disk.full ? Disk.writeError : code
            note("and does what they should")
            life.disk.failAfter(call, code, skip: skip, count: count)
        } else {
            life.disk.fail(
                call, code, skip: skip, count: count, partial: Bool.random(using: &random))
        }
    }

    // MARK: Lives

    private func end(using random: inout SeededRandom) throws {
        // From here on its answers reach nobody.
        lives += 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            note("stop")
            life.stop()
        case 1 where losesPower:
            note("the power goes")
            life.cutPower(seed: random.next())
            time.reboot()
        default:
            note("kill")
            life.kill()
        }
        model.silences.end(at: time.passed)
        if Int.random(in: 0..<3, using: &random) == 0 {
            let most: Int64 = [2_000_000, 20_000_000, 900_000_000].randomElement(using: &random)!
            let span = Int64.random(in: 1...most, using: &random)
            time.advance(microseconds: span)
            note("\(span) µs pass without a bus")
        }
        try beginLife()
    }

    private func beginLife() throws {
        for index in readers.indices { readers[index].lostTheBus() }
        for index in workers.indices { workers[index].lost(0) }
        if time.sets > 0 {
            model.forgetRequests()
            model.forgetDues()
            model.forgetRests()
        }
        held = nil
        held = try SimulatedLife(in: folder, time, sync: sync, mint: mint.next) { [unowned self] in
            shows(.missesWakeUps, each: 3)
        }
        note("life \(lives) begins at \(life.bus.newest)")
        try beginToExpect()
    }

    private func makeGroups() throws {
        for name in SimulatedTopics.groups + [SimulatedTopics.answeringGroup] {
            try make(name, SimulatedTopics.settings(of: name))
        }
        settle()
        let holder = life.groups.scope(of: try GroupName(SimulatedTopics.holdingGroup)).map {
            TopicHolder(group: $0.number, name: SimulatedTopics.holdingGroup)
        }
        try life.bus.register(SimulatedTopics.held, keep: 6, hold: holder)
        try life.bus.register(SimulatedTopics.aging, age: 6_000_000)
        try life.bus.register(SimulatedTopics.fleeting, persists: false)
        try expect(4_000_000, of: SimulatedTopics.quiet)
        try expect(8_000_000, of: SimulatedTopics.fading)
        settle()
    }

    private func make(_ name: String, _ settings: GroupSettings) throws {
        life.groups.set(try GroupName(name), settings, by: workerCaller) { [self] in
            if case .failure(let error) = $0 { model.fail("no group \(name): \(error)") }
        }
        workers += SimulatedWorker.team(of: name)
    }

    // MARK: The end

    /// Heals the disk, lets all leases pass and all jobs be done, and has everybody read on.
    func finish() throws {
        note("the end")
        var random = SeededRandom(seed: seed)
        life.disk.heal()
        reload(BusLimits(), WorkLimits())
        // What is held until a time comes by then, however the clock was set.
        model.forgetRequests()
        model.forgetDues()
        time.set(by: 12 * 3_600_000_000)
        readers.append(SimulatedReader(try Selector(">"), from: floor))
        var quiet = 0
        for _ in 0..<400 where quiet < 3 && model.finding == nil {
            settle()
            time.advance(microseconds: 7_000_000)
            life.bus.sweep()
            life.groups.sweep()
            settle()
            try endSchedules(on: life.bus)
            for index in workers.indices { try work(index, isLast: true, using: &random) }
            quiet = try isQuiet() ? quiet + 1 : 0
        }
        if quiet < 3 { model.fail("the jobs do not come to an end") }
        try checkSilences()
        readOn(using: &random)
        try checkRegister(on: life.bus, after: floor)
        check()
        life.stop()
        let problems = try SQLiteStore.check(SimulatedLife.path(in: folder))
        if !problems.isEmpty { model.fail("the file is damaged: \(problems)") }
    }

    func settle() {
        if !life.scheduler.settle() { model.fail("the bus does not come to rest") }
    }

    private func isQuiet() throws -> Bool {
        if life.bus.laterCount > 0 { return false }
        for name in SimulatedTopics.groups {
            guard let group = life.groups.description(of: try GroupName(name)) else {
                model.fail("the group \(name) is gone")
                return false
            }
            if group.open > 0 || group.parked > 0 || group.behind != 0 { return false }
        }
        return true
    }

    private func check() {
        model.checkBatches()
        model.check(readers)
        for group in SimulatedTopics.groups { model.checkJobs(of: group) }
    }
}
