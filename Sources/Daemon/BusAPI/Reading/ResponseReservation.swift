internal import HTTPFront
internal import Protection
internal import Telemetry

/// The part of the memory for answers that are made beside the loops.
///
/// They share it with the answers that wait for their readers: a quarter of the budget. An answer
/// without room waits, and room is made by closing connections that do not read. If it takes the
/// bus beyond the budget, events give that room back.
///
/// Safe from any thread.
final class ResponseQuota: Sendable {
    fileprivate let memory: MemoryBudget
    /// Bytes taken by answers that are not made yet. Their readers cannot make room by reading.
    fileprivate let unmade = Gauge()
    private let relieve: @Sendable () -> Void
    private let ask: @Sendable (_ bytes: Int) -> Void

    /// The answers' part of `memory`.
    ///
    /// - Parameters:
    ///   - relieve: Has the events in memory give back as much as was taken beyond the budget.
    ///   - ask: Has the loops make room for so many bytes, and does not wait.
    init(
        of memory: MemoryBudget, relieve: @escaping @Sendable () -> Void,
        _ ask: @escaping @Sendable (_ bytes: Int) -> Void
    ) {
        self.memory = memory
        self.relieve = relieve
        self.ask = ask
    }

    /// Room for an answer of about so many bytes.
    ///
    /// - Parameter waits: Whether the answer waits until there is room. If not, the room is taken
    ///   at once: that is for answers whose wait nothing would end.
    func room(for bytes: Int, waits: Bool = true) -> ResponseReservation {
        let room = ResponseReservation(for: bytes, in: self, waits: waits)
        if !waits { room.settle(at: bytes) }
        return room
    }

    /// Bytes to take for an answer of which only the largest possible size is known: few enough
    /// that several such answers have room.
    func guess(_ bytesMax: Int) -> Int { min(bytesMax, self.bytesMax / Limits.guessedFraction) }

    private var bytesMax: Int { memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction }

    /// Whether so many bytes more have room. A single answer always has, however large it is.
    fileprivate func hasRoom(for bytes: Int) -> Bool {
        let used = memory.used(.unsent)
        if used == 0 || used + bytes <= bytesMax { return true }
        ask(bytes)
        return false
    }

    /// Whether one more of the answers that have room may be made. Some of them became larger than
    /// was thought: then the others wait until these are sent, or closed.
    fileprivate var mayMake: Bool {
        let used = memory.used(.unsent)
        if used <= bytesMax || used <= unmade.value { return true }
        ask(used - bytesMax)
        return false
    }

    /// Has events leave memory that have no room beside the bytes that were taken.
    fileprivate func keepWithinBudget() {
        if memory.excess > 0 { relieve() }
    }
}

/// The room of one answer in its space, from the moment that it is begun to the moment that it is
/// sent.
///
/// Counted with the answers that wait for their readers. Safe from any thread.
final class ResponseReservation: Sendable {
    private struct State {
        /// Bytes that are counted; nil while the room is not taken.
        var bytes: Int?
        var isMade = false

        var unmadeBytes: Int { isMade ? 0 : bytes ?? 0 }
    }

    private let space: ResponseQuota
    private let wanted: Int
    private let waits: Bool
    private let state = Protected(State())

    fileprivate init(for bytes: Int, in space: ResponseQuota, waits: Bool) {
        self.space = space
        self.waits = waits
        wanted = bytes
    }

    deinit {
        let state = state.value
        space.memory.release(state.bytes ?? 0, from: .unsent)
        space.unmade.add(-state.unmadeBytes)
    }

    /// Whether the room is taken.
    var isTaken: Bool { state.value.bytes != nil }

    /// Takes the room unless it is taken already; false if its answer has to wait. Ask before each
    /// turn.
    func take() -> Bool {
        if isTaken { return !waits || space.mayMake }
        guard space.hasRoom(for: wanted) else { return false }
        settle(at: wanted)
        space.keepWithinBudget()
        return true
    }

    /// Gives the room to others until it is taken again: nothing of its answer is there yet. The
    /// room of an answer that does not wait stays taken.
    func giveBack() {
        guard waits else { return }
        change { $0.bytes = nil }
    }

    /// Sets the bytes that the answer is known to need by now, including those of events that were
    /// read.
    func settle(at count: Int) {
        change { $0.bytes = count }
    }

    /// Sets the bytes that the answer needs at most while it is made. Events make room for them.
    func grow(to count: Int) {
        settle(at: count)
        space.keepWithinBudget()
    }

    /// Notes that the answer is made, and takes so many bytes together with the events it was made
    /// of.
    func settle(madeOf count: Int) {
        change {
            $0.bytes = count
            $0.isMade = true
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let (before, after) = state.write { state in
            let before = state
            change(&state)
            return (before, state)
        }
        space.memory.charge((after.bytes ?? 0) - (before.bytes ?? 0), to: .unsent)
        space.unmade.add(after.unmadeBytes - before.unmadeBytes)
    }
}
