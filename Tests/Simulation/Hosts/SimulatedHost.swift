import Broadcasting
import DiskSupport
import Ordered
import SQLiteStore
import StoreSupport
import Telemetry
import TestSupport
import Topics
import Work

/// A host of a bus of several hosts, over its lives: its disk, its clocks, and while it runs its bus.
// @unchecked: everything that has it is in one thread.
final class SimulatedHost: @unchecked Sendable {
    let name: String
    let time = SimulatedTime()
    private let order: ScriptedOrder
    private let folder = TemporaryFolder(inMemory: true)
    private let fault: HostsFault?
    private let draw: @Sendable () -> UInt128
    private let mint: @Sendable () -> LeaseToken
    private let witness: Witness
    private let memoryBytes: Int
    private let isMissed: () -> Bool
    /// Nil while the host is down.
    private(set) var life: Life?
    /// Which life it is: an answer of an earlier one reaches nobody.
    private(set) var lives = 0
    /// It does nothing for a while, and its clocks go on.
    var sleeps = false

    /// One life of a host.
    struct Life {
        let bus: EventBus
        let groups: WorkGroups
        let connection: ScriptedConnection
        let scheduler: StepScheduler
        let disk: Disk
        let waiting: WaitingReaders
    }

    /// - Parameters:
    ///   - memoryBytes: The memory of its bus.
    ///   - fault: What is broken on this host on purpose.
    ///   - draw: Gives a token that nobody has used.
    ///   - mint: The same for requests of work groups.
    ///   - isMissed: Whether a reader is not woken, as a planted fault has it.
    init(
        _ name: String, on order: ScriptedOrder, memoryBytes: Int, fault: HostsFault? = nil,
        draw: @escaping @Sendable () -> UInt128, mint: @escaping @Sendable () -> LeaseToken,
        witness: Witness, missing isMissed: @escaping () -> Bool = { false }
    ) throws {
        self.name = name
        self.order = order
        self.memoryBytes = memoryBytes
        self.fault = fault
        self.isMissed = isMissed
        self.draw = draw
        self.mint = mint
        self.witness = witness
        if fault == .leasesEndEarly { time.bootRate = 3 }
        try begin()
    }

    var path: String { "\(folder.path)/belfry.db" }

    /// Begins the next life.
    func begin() throws {
        let log = Log(level: .error) { _, _ in }
        let (scheduler, disk) = (StepScheduler(), Disk(rememberingPower: true))
        let connection = order.connect()
        let file = SQLiteStore(
            SQLiteStoreConfiguration(path: path, sync: .full), log: log, vfs: disk.name,
            following: order.life, starter: scheduler)
        let replica = WatchedReplica(file, of: name, witness, fault, time.clock)
        let ordered = OrderedStore(
            on: connection, with: replica, as: name, life: order.life, starter: scheduler,
            draw: draw)
        let store: any EventStore =
            fault.map { FaultyOrderedStore(ordered, $0, time.clock) } ?? ordered
        var limits = BusLimits()
        limits.graceMicroseconds = 1_000_000
        let bus = try EventBus(
            store: store, limits: limits, defaults: Retention(keep: nil, bytes: nil, age: nil),
            memory: MemoryBudget(bytesMax: memoryBytes), clock: time.clock,
            bootClock: time.bootClock,
            broadcaster: Broadcaster(), log: log)
        var workLimits = WorkLimits()
        if fault == .decidesJobsByItsLimit { workLimits.openPerGroupMax = 2 }
        let groups = WorkGroups(
            on: bus, limits: workLimits, log: log, starter: scheduler, mint: mint)
        life = Life(
            bus: bus, groups: groups, connection: connection, scheduler: scheduler, disk: disk,
            waiting: WaitingReaders(on: bus, missing: isMissed))
    }

    enum End {
        case order, kill
        case powerLoss(seed: UInt64)
    }

    /// Ends this life.
    func end(_ end: End) {
        guard let life else { return }
        // The answers of a life that ends in order reach their callers.
        let isOrdered = if case .order = end { true } else { false }
        if !isOrdered { lives += 1 }
        switch end {
        case .order: life.disk.heal()
        case .kill: life.disk.stop()
        case .powerLoss(let seed):
            life.disk.powerOff(seed: seed)
            time.reboot()
        }
        life.bus.close()
        life.scheduler.finish()
        if isOrdered { lives += 1 }
        self.life = nil
    }
}
