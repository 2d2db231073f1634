import Protection
import StoreSupport
import Topics

/// The clocks of a simulated machine: one that can be set, and one that nobody sets.
final class SimulatedTime: Sendable {
    let clock = ManualClock()
    private let state = Protected(
        (boot: 1, microseconds: Int64(5_000_000), bootRate: Int64(1), sets: 0))

    /// Microseconds that have passed, whatever the clock says.
    var passed: Int64 { state.read { $0.microseconds } }

    /// How fast the clock of the boot is; 1 is right.
    var bootRate: Int64 {
        get { state.read { $0.bootRate } }
        set { state.write { $0.bootRate = newValue } }
    }

    /// The clock of this boot.
    var bootClock: BootClock {
        BootClock(boot: "boot-\(state.read { $0.boot })") { [self] in passed * bootRate }
    }

    func advance(microseconds: Int64) {
        clock.advance(microseconds: microseconds)
        state.write { $0.microseconds += microseconds }
    }

    /// Sets the clock, by so much forward or back.
    func set(by microseconds: Int64) {
        clock.advance(microseconds: microseconds)
        state.write { $0.sets += 1 }
    }

    /// How often the clock was set.
    var sets: Int { state.read { $0.sets } }

    /// The machine starts anew.
    func reboot() { state.write { $0.boot += 1 } }
}
