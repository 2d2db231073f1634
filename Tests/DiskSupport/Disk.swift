internal import CSQLite
internal import FaultyDisk
internal import Protection
package import TestSupport

/// A file system whose faults are ordered by a test; gone when this object is, which has to outlive
/// every store on it.
package final class Disk: Sendable {
    package enum Call: Int32, CaseIterable {
        case write = 1
        case sync = 2
        case read = 4
    }

    /// Files whose syncs are held; only a checkpoint syncs the database.
    package enum Held: Int32 {
        case database = 1
        case journal = 2
        case all = 3
    }

    // SQLITE_IOERR_WRITE and SQLITE_IOERR_FSYNC, macros that Swift does not see.
    package static let writeError = SQLITE_IOERR | 3 << 8
    package static let syncError = SQLITE_IOERR | 4 << 8

    package static let readError = SQLITE_IOERR | 1 << 8
    /// SQLITE_FULL.
    package static let full = SQLITE_FULL

    package let name: String
    // nonisolated(unsafe): the C functions lock for themselves.
    private nonisolated(unsafe) let disk: OpaquePointer
    private let held = Protected<(gate: Gate, arrival: Gate?)?>(nil)

    private static let count = Protected(0)

    package init(rememberingPower: Bool = false) {
        name = "faulty-\(Self.count.write { $0 += 1; return $0 })"
        disk = faulty_disk_make(name, rememberingPower ? 1 : 0)
    }

    deinit {
        faulty_disk_free(disk)
    }

    /// Has calls fail with a code of SQLite, after `skip` went through.
    package func fail(
        _ call: Call, _ code: Int32, skip: Int = 0, count: Int = -1, partial: Bool = false
    ) {
        faulty_disk_fail(disk, call.rawValue, code, Int32(skip), Int32(count), partial ? 1 : 0)
    }

    /// Has nothing written or synced, as on a file system that became read-only.
    package func becomeReadOnly() {
        faulty_disk_become_read_only(disk)
    }

    /// Has calls do what they should, and say that they failed.
    package func failAfter(_ call: Call, _ code: Int32, skip: Int = 0, count: Int = -1) {
        faulty_disk_fail_after(disk, call.rawValue, code, Int32(skip), Int32(count))
    }

    package func heal() {
        faulty_disk_heal(disk)
    }

    package func calls(_ call: Call) -> Int {
        Int(faulty_disk_calls(disk, call.rawValue))
    }

    /// Has syncs wait at a gate; `arrival` is opened by each that comes there.
    package func holdSyncs(of files: Held = .all, at gate: Gate, arrival: Gate? = nil) {
        held.value = (gate, arrival)
        faulty_disk_hold_syncs(
            disk, files.rawValue,
            { context in
                // Unmanaged: the disk that this is outlives every store on it.
                let disk = Unmanaged<Disk>.fromOpaque(context!).takeUnretainedValue()
                let held = disk.held.value
                held?.arrival?.open()
                try? held?.gate.wait(within: .seconds(60))
            },
            // Unmanaged: see above.
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Cuts the power: writes since the last sync survive or not, by the seed.
    package func powerOff(seed: UInt64) {
        faulty_disk_power_off(disk, seed)
    }

    /// Ends the process that writes: everything that was written stays, and nothing follows.
    package func stop() {
        faulty_disk_stop(disk)
    }

    package func powerOn() {
        faulty_disk_power_on(disk)
    }
}
