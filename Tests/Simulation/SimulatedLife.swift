import Broadcasting
import DiskSupport
import SQLiteStore
import StoreSupport
import Telemetry
import TestSupport
import Topics
import Work

/// One life of a bus with its groups, on a simulated disk and without threads: from an opening of
/// its file to a stop, a kill or a loss of power.
// @unchecked: everything that has it is in one thread.
final class SimulatedLife: @unchecked Sendable {
    let scheduler = StepScheduler()
    let disk = Disk(rememberingPower: true)
    let bus: EventBus
    let groups: WorkGroups
    let waiting: WaitingReaders

    private static let silent = Log(level: .error) { _, _ in }

    /// - Parameters:
    ///   - sync: Whether a loss of power may take the last commits.
    ///   - mint: Gives tokens that no life before has given.
    ///   - isMissed: Whether a reader is not woken, as a planted fault has it.
    init(
        in folder: TemporaryFolder, _ time: SimulatedTime,
        sync: SQLiteStoreConfiguration.Sync, mint: @escaping @Sendable () -> LeaseToken,
        missing isMissed: @escaping () -> Bool
    ) throws {
        let configuration = SQLiteStoreConfiguration(path: Self.path(in: folder), sync: sync)
        let store = SQLiteStore(
            configuration, log: Self.silent, vfs: disk.name, starter: scheduler)
        var limits = BusLimits()
        limits.graceMicroseconds = 1_000_000
        bus = try EventBus(
            store: store, limits: limits, defaults: Retention(keep: nil, bytes: nil, age: nil),
            memory: MemoryBudget(bytesMax: 400_000), clock: time.clock,
            bootClock: time.bootClock, broadcaster: Broadcaster(), log: Self.silent)
        groups = WorkGroups(
            on: bus, limits: WorkLimits(), log: Self.silent, starter: scheduler, mint: mint)
        waiting = WaitingReaders(on: bus, missing: isMissed)
    }

    static func path(in folder: TemporaryFolder) -> String { "\(folder.path)/belfry.db" }

    /// Ends it in order.
    func stop() { close() }

    /// Ends the process at this moment.
    func kill() {
        disk.stop()
        close()
    }

    /// Cuts the power of the machine at this moment.
    func cutPower(seed: UInt64) {
        disk.powerOff(seed: seed)
        close()
    }

    private func close() {
        bus.close()
        scheduler.finish()
    }
}
