import DiskSupport
import Ordered
import StoreSupport
import TestSupport
import Topics
import Work

/// A bus of three hosts on one order, in one thread and in a time of its own: a seed chooses what
/// happens, on disks that fail, on hosts that are killed, lose their power or sleep, on an order whose
/// answers come late, twice or never, and whose servers take over from one another. Readers change host
/// with every request. It stops at the first promise that is broken.
// @unchecked: everything that has it is in one thread.
final class HostsSimulation: WorkingRun, @unchecked Sendable {
    static let life = OrderLife(identity: 7 << 64 | 1, base: EventID(rawValue: 1_000_001))
    static let floor = life.base.rawValue - 1

    let seed: UInt64
    let order: ScriptedOrder
    /// The batches with keys, which are published again.
    private var keyed: [(number: Int, batch: PublishBatch)] = []
    var hosts: [SimulatedHost] = []
    var model = BusModel()
    var readers: [SimulatedReader] = []
    var workers: [SimulatedWorker] = []
    private let witness = Witness()
    /// Which request of each reader is awaited.
    var requests: [Int] = []
    var story: RunStory<HostsFault>
    var tickets: [HeldTicket] = []
    var writers = [RegisterWriter](repeating: RegisterWriter(), count: 4)
    var settingsUsers = SettingsUser.Setting.allCases.map { SettingsUser($0) }

    init(seed: UInt64, fault: HostsFault? = nil, isTraced: Bool = false) throws {
        self.seed = seed
        story = RunStory(with: fault, isTold: isTraced)
        let (tokens, mint) = (AppendTokens(seed), TokenMint())
        order = ScriptedOrder(life: Self.life, clock: ManualClock(), fault: fault)
        hosts = try ["a", "b", "c"].map { name in
            // The last one holds little: its readers need its file.
            try SimulatedHost(
                name, on: order, memoryBytes: name == "c" ? 60_000 : 8 << 20,
                fault: name == "c" || fault == .makesNoTicks ? fault : nil,
                draw: { tokens.next() }, mint: { mint.next() }, witness: witness,
                missing: { [unowned self] in shows(.missesWakeUps, each: 2) })
        }
        for name in SimulatedTopics.groups { try make(name) }
        settle()
        if try description(of: SimulatedTopics.group, at: hosts[2]) == nil {
            model.fail("there are no groups")
        }
        let holding = hosts[0].life?.groups.scope(of: try GroupName(SimulatedTopics.holdingGroup))
        let holder = holding.map {
            TopicHolder(group: $0.number, name: SimulatedTopics.holdingGroup)
        }
        try hosts[1].life?.bus.register(SimulatedTopics.held, keep: 6, hold: holder)
        try beginToExpect()
        settle()
    }

    /// Two hosts make each group at the same time.
    private func make(_ name: String) throws {
        for host in hosts.prefix(2) {
            host.life?.groups.set(
                try GroupName(name), try SimulatedTopics.settings(of: name), by: workerCaller
            ) { [self] in
                if case .failure(let error) = $0 { model.fail("no group \(name): \(error)") }
            }
        }
        workers += SimulatedWorker.team(of: name)
    }

    private func description(
        of name: String, at host: SimulatedHost
    ) throws -> GroupDescription? { host.life?.groups.description(of: try GroupName(name)) }

    func desk(using random: inout SeededRandom) -> Desk? {
        let index = Int.random(in: hosts.indices, using: &random)
        let (host, lives) = (hosts[index], hosts[index].lives)
        guard let life = host.life else { return nil }
        let visit = Visit(
            isThere: { lives == host.lives }, time: host.time, timesRests: false,
            sets: { host.time.sets })
        return Desk(bus: life.bus, groups: life.groups, host: index, visit: visit)
    }

    var waitingReaders: [(readers: WaitingReaders, bus: EventBus)] {
        hosts.compactMap { host in host.life.map { ($0.waiting, $0.bus) } }
    }

    func forgetsSettlement() -> Bool { shows(.forgetsSettlements) }

    // @unchecked: it is in the one thread of its simulation.
    private final class AppendTokens: @unchecked Sendable {
        private var count: UInt128

        init(_ seed: UInt64) { count = UInt128(seed) << 64 }

        func next() -> UInt128 {
            count += 1
            return count
        }
    }

    /// The things that the run has met.
    var met: Set<HostsEvent> {
        var met = order.met
        let jobs = model.jobs.values.flatMap(\.values)
        if jobs.contains(where: { $0.attempt > 1 }) { met.insert(.secondAttempt) }
        if jobs.contains(where: { $0.letter != nil }) { met.insert(.letter) }
        return met
    }

    func close() { for host in hosts { host.end(.kill) } }

    // MARK: Steps

    func step(using random: inout SeededRandom) throws {
        if let finding = witness.finding { model.fail(finding) }
        let host = hosts.randomElement(using: &random)!
        // Else everything that is tried again a little later would stand still for most steps.
        pass(Int64.random(in: 0..<60_000, using: &random))
        let wakes = Int.random(in: 0..<12, using: &random) == 0
        if host.life == nil, wakes { return try end(host, using: &random) }
        if host.sleeps, wakes { host.sleeps = false }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: try publish(on: host, using: &random)
        case 10: try contend(using: &random)
        case 11..<14: try change(on: host, using: &random)
        case 14: try hold(on: host, using: &random)
        case 15: try beHeard(on: host, using: &random)
        case 16..<30:
            for _ in 0..<Int.random(in: 1...6, using: &random) { try work(using: &random) }
        case 30..<50:
            guard !host.sleeps else { return }
            for _ in 0..<Int.random(in: 1...90, using: &random) {
                host.life?.scheduler.step(using: &random)
            }
        case 50..<68:
            for _ in 0..<Int.random(in: 1...30, using: &random) { order.step(using: &random) }
        case 68..<84: read(using: &random)
        case 84..<88: advance(using: &random)
        case 89, 90: disturb(host, using: &random)
        case 91: host.life?.disk.heal()
        case 92, 93: hosts.forEach(heal)
        case 94: host.sleeps.toggle()
        case 88, 95: failOver(using: &random)
        case 96: set(host, using: &random)
        default: try end(host, using: &random)
        }
    }

    private func publish(
        on host: SimulatedHost, using random: inout SeededRandom
    ) throws {
        if Int.random(in: 0..<6, using: &random) == 0, let life = host.life,
            let (number, batch) = keyed.randomElement(using: &random)
        {
            note("publish \(number) again on \(host.name)")
            _ = model.repeats(number)
            let again = shows(.ignoresKeys) ? batch.withoutKey : batch
            return publish(again, number, on: host, life)
        }
        let others = [
            SimulatedTopics.bounded, SimulatedTopics.aging, SimulatedTopics.fleeting,
            SimulatedTopics.held,
        ]
        let isOther = Int.random(in: 0..<3, using: &random) == 0
        let topic = (isOther ? others : SimulatedTopics.unbounded).randomElement(using: &random)!
        let key = ["k1", "k2", nil].randomElement(using: &random)!
        let texts = (0..<[1, 1, 2, 5].randomElement(using: &random)!).map {
            "\(model.batches.count).\($0)"
        }
        // Now and then more than one append has.
        let isLarge = Int.random(in: 0..<20, using: &random) == 0
        let fill =
            isLarge
            ? 600_000 / texts.count : [0, 0, 0, 3_000].randomElement(using: &random)!
        let user = UInt32.random(in: 1...3, using: &random)
        guard let life = host.life else { return }
        let attributes = try model.nextAttributes()
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(key: key, attributes: attributes),
            sender: Sender(uid: user, pid: nil),
            payloads: texts.map {
                Payload(Array("\($0) ".utf8) + [UInt8](repeating: 0x78, count: fill))
            }, idempotencyKey: isOther ? nil : model.nextKey())
        let number = model.asked(
            BusModel.Batch(topic: topic, key: key, texts: texts, attributes: attributes))
        if batch.idempotencyKey != nil { keyed.append((number, batch)) }
        note("publish \(texts) to \(topic) on \(host.name)")
        if shows(.publishesTwice) { life.bus.publish(batch) { _ in } }
        if shows(.answersBeforeItsEntry) {
            let first = life.bus.newest.rawValue + 1
            model.answered(number, first: first, last: first + UInt64(texts.count) - 1)
            return life.bus.publish(batch) { _ in }
        }
        publish(batch, number, on: host, life)
    }

    func publish(
        _ batch: PublishBatch, _ number: Int, on host: SimulatedHost, _ life: SimulatedHost.Life
    ) {
        let asked = host.lives
        life.bus.publish(batch) { [self] outcome in
            guard asked == host.lives, let life = host.life else { return }
            answered(number, outcome, on: life)
        }
    }

    private func answered(
        _ number: Int, _ outcome: Result<PublishReceipt, BusError>, on life: SimulatedHost.Life
    ) {
        switch outcome {
        case .success where shows(.refusesWhatItTook): model.refused(number)
        case .success(let receipt):
            note("published \(number) at \(receipt.first)")
            model.answered(number, first: receipt.first.rawValue, last: receipt.last.rawValue)
            if life.bus.newest < receipt.last {
                model.fail("M4: \(number) is answered and not visible where it was published")
            }
        case .failure(.unanswered):
            note("unanswered \(number)")
            order.met.insert(.doubt)
        case .failure(let error):
            note("refused \(number): \(error)")
            order.met.insert(.refusal)
            model.refused(number)
        }
    }

    private func hold(
        on host: SimulatedHost, using random: inout SeededRandom
    ) throws {
        guard let life = host.life else { return }
        let asked = host.lives
        try hold(
            on: life.bus, at: order.clock.now(), whileThere: { asked == host.lives }, using: &random
        )
    }

    /// Registers a topic that loses events, or removes one.
    private func change(
        on host: SimulatedHost, using random: inout SeededRandom
    ) throws {
        let keep = [1, 5, 20].randomElement(using: &random)!
        let choice = Int.random(in: 0..<8, using: &random)
        guard choice < 4 else { return try changeSetting(on: host, using: &random) }
        guard let life = host.life else { return }
        switch choice {
        case 0:
            note("remove \(SimulatedTopics.bounded) on \(host.name)")
            life.bus.remove(try TopicName(SimulatedTopics.bounded)) { _ in }
        case 1: try life.bus.register(SimulatedTopics.aging, age: 6_000_000)
        case 2: try life.bus.register(SimulatedTopics.fleeting, persists: false)
        default:
            note("keep \(keep) in \(SimulatedTopics.bounded) on \(host.name)")
            try life.bus.register(SimulatedTopics.bounded, keep: keep)
        }
    }

    private func advance(using random: inout SeededRandom) {
        let span = Int64.random(
            in: 1...[10_000, 1_000_000, 8_000_000, 40_000_000].randomElement(using: &random)!,
            using: &random)
        note("\(span) µs pass")
        pass(span)
    }

    func pass(_ span: Int64) {
        order.clock.advance(microseconds: span)
        for host in hosts {
            host.time.advance(microseconds: span)
            guard !host.sleeps, let life = host.life else { continue }
            life.bus.sweep()
            life.groups.sweep()
        }
    }

    /// Sets the clock of a host: mostly not far from that of the order.
    private func set(_ host: SimulatedHost, using random: inout SeededRandom) {
        let most: Int64 =
            Int.random(in: 0..<4, using: &random) == 0 ? 3_600_000_000 : 50_000_000
        let ahead = order.clock.now().microseconds - host.time.clock.now().microseconds
        let by = ahead + Int64.random(in: -most...most, using: &random)
        note("the clock of \(host.name) is set by \(by) µs")
        host.time.set(by: by)
    }

    private func disturb(_ host: SimulatedHost, using random: inout SeededRandom) {
        let isDisk = Bool.random(using: &random)
        let isWrite = Bool.random(using: &random)
        let (skip, count) = (
            Int.random(in: 0..<6, using: &random), Int.random(in: 1...3, using: &random)
        )
        guard let life = host.life else { return }
        if isDisk {
            note("the disk of \(host.name) fails")
            life.disk.fail(
                isWrite ? .write : .sync, isWrite ? Disk.full : Disk.syncError, skip: skip,
                count: count)
        } else {
            note("the order hangs for \(host.name)")
            life.connection.hangs = true
        }
    }

    private func heal(_ host: SimulatedHost) {
        host.life?.connection.hangs = false
        host.life?.connection.findLeader()
    }

    private func failOver(using random: inout SeededRandom) {
        let count = Int.random(in: 0..<3, using: &random)
        let span = Int64.random(in: -20_000_000...20_000_000, using: &random)
        note("the order fails over")
        order.failOver(keeping: count, clockBy: span) {
            Int.random(in: 0..<3, using: &random) == 0
        }
    }

    private func end(_ host: SimulatedHost, using random: inout SeededRandom) throws {
        let choice = Int.random(in: 0..<4, using: &random)
        guard host.life != nil else {
            note("\(host.name) begins")
            return try host.begin()
        }
        note("\(host.name) ends")
        switch choice {
        case 0: host.end(.order)
        case 1: host.end(.powerLoss(seed: random.next()))
        default: host.end(.kill)
        }
        for index in readers.indices { readers[index].lostTheBus() }
        let number = hosts.firstIndex { $0 === host }!
        for index in workers.indices { workers[index].lost(number) }
    }

    // MARK: The end

    /// Heals everything, lets all hosts apply all, and has everybody read on.
    func finish() throws {
        note("the end")
        for host in hosts {
            if host.life == nil { try host.begin() }
            host.sleeps = false
            host.life?.disk.heal()
            heal(host)
            let ahead = order.clock.now().microseconds - host.time.clock.now().microseconds
            host.time.set(by: ahead)
        }
        readers.append(SimulatedReader(try Selector(">"), from: Self.floor))
        requests.append(0)
        settle()
        // Requests without an answer end by then, and old events are over their age.
        pass(61_000_000)
        var quiet = 0
        for _ in 0..<200 where model.finding == nil && quiet < 6 {
            settle()
            if let bus = hosts[0].life?.bus { try endSchedules(on: bus) }
            pass(1_100_000)
            quiet = areAlike ? quiet + 1 : 0
        }
        var random = SeededRandom(seed: seed)
        try finishJobs(using: &random)
        try checkSilences()
        readOn(using: &random)
        try check()
    }

    /// Whether all hosts have applied all.
    private var areAlike: Bool {
        hosts.allSatisfy { host in
            guard let bus = host.life?.bus else { return false }
            return bus.newest == hosts[0].life?.bus.newest && bus.readiness == .ready
                && bus.laterCount == 0
        }
    }

    /// Lets all leases pass, and all jobs be done.
    private func finishJobs(using random: inout SeededRandom) throws {
        var quiet = 0
        for _ in 0..<400 where quiet < 3 && model.finding == nil {
            settle()
            pass(7_000_000)
            settle()
            let busy = try SimulatedTopics.groups.filter { try !isQuiet($0) }
            for index in workers.indices where busy.contains(workers[index].group) {
                try work(index, isLast: true, using: &random)
            }
            settle()
            quiet = busy.isEmpty ? quiet + 1 : 0
        }
        if quiet < 3 { model.fail("the jobs do not come to an end") }
    }

    private func isQuiet(_ name: String) throws -> Bool {
        guard let group = try description(of: name, at: hosts[0]) else {
            model.fail("the group \(name) is gone")
            return false
        }
        return group.open == 0 && group.parked == 0 && group.behind == 0
    }

    func settle() {
        for _ in 0..<100 {
            for host in hosts where !(host.life?.scheduler.settle() ?? true) {
                return model.fail("a host does not come to rest")
            }
            if !order.settle() { return }
        }
        model.fail("the order does not come to rest")
    }

    private func check() throws {
        model.checkBatches()
        try checkSettings()
        model.check(readers)
        for group in SimulatedTopics.groups { model.checkJobs(of: group) }
        if let finding = witness.finding { model.fail(finding) }
        let first = hosts[0].life?.bus
        for host in hosts {
            guard let bus = host.life?.bus else { continue }
            try checkRegister(on: bus, after: Self.floor)
            if case .refusing(let why) = bus.readiness {
                model.fail("\(host.name) is not ready in the end: \(why)")
            }
            if bus.newest != first?.newest {
                model.fail("\(host.name) is at \(bus.newest), not at \(first!.newest)")
            }
            if let aging = bus.description(of: try TopicName(SimulatedTopics.aging)),
                aging.retention.age != nil, aging.events > 0
            {
                model.fail("\(host.name) has events that are over their age")
            }
            if let difference = Self.difference(bus, first!) {
                model.fail("\(host.name) and \(hosts[0].name) differ: \(difference)")
            }
            for name in SimulatedTopics.groups {
                let (own, other) = (
                    try words(of: name, at: host), try words(of: name, at: hosts[0])
                )
                if own != other { model.fail("\(host.name) has \(own), not \(other)") }
            }
        }
    }

    /// All of a group that hosts have alike.
    private func words(of name: String, at host: SimulatedHost) throws -> String {
        guard let group = try description(of: name, at: host) else { return "no group \(name)" }
        return "\(name): reach \(group.reach), open \(group.open), leased \(group.leased), parked "
            + "\(group.parked), done \(group.done), failed \(group.failed), gone \(group.gone), "
            + "expired \(group.expired), gap \(String(describing: group.gap))"
    }

    /// The first topic that two hosts describe otherwise, but for what each counts for itself.
    private static func difference(_ bus: EventBus, _ other: EventBus) -> String? {
        func texts(_ bus: EventBus) -> [String] {
            bus.topics(matching: nil).topics.map { topic in
                "\(topic.name): \(topic.events) events, \(topic.bytes) bytes, "
                    + "\(topic.oldest.map(\.description) ?? "-")…"
                    + "\(topic.newest.map(\.description) ?? "-"), "
                    + "\(topic.isRegistered) \(topic.retention) \(topic.persists) "
                    + "\(String(describing: topic.owner))"
            }
        }
        let (left, right) = (texts(bus), texts(other))
        for (left, right) in zip(left, right) where left != right { return "\(left); \(right)" }
        return left.count == right.count ? nil : "\(left.count) and \(right.count) topics"
    }
}
