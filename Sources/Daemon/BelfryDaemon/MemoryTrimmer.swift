internal import HTTPFront
internal import Protection

/// Gives memory back to the system that the process has freed.
///
/// Safe from any thread, but not for a loop: it takes milliseconds.
final class MemoryTrimmer: Sendable {
    private let freed = Protected(FreedMemory())

    /// Made before there is much to free.
    init() { ProcessMemory.mapLargeBlocks() }

    /// Gives free memory back if that is due, while so many bytes are counted.
    func look(at used: Int) {
        if freed.write({ $0.isDue(at: used) }) { ProcessMemory.giveBack() }
    }
}

/// The moment to give memory back to the system: once much of the counted memory was freed, and no
/// more of it goes.
///
/// Has no clock: it is asked at a steady pace.
struct FreedMemory {
    /// The most that was counted since it was given back last.
    private var highest = 0
    private var last = 0

    /// Whether it is to be given back now, while so many bytes are counted.
    mutating func isDue(at used: Int) -> Bool {
        highest = max(highest, used)
        let isAtRest = used >= last - Limits.freedAtRestBytes
        last = used
        guard isAtRest, highest - used >= Limits.freedBytes else { return false }
        highest = used
        return true
    }
}
