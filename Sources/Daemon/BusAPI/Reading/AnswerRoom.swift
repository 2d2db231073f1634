internal import HTTPFront
internal import Protection
internal import Telemetry

/// The part of the memory that answers have which are made beside the loops.
///
/// They share it with the answers that wait for their readers: a quarter of the budget. Whoever finds
/// no room waits, and those who do not read make room for them. What is taken beyond the budget is
/// room that events give back.
///
/// Safe from any thread.
final class AnswerSpace: Sendable {
    fileprivate let memory: MemoryBudget
    /// What is taken by answers that are not made yet: their readers cannot make room by reading.
    fileprivate let unmade = Gauge()
    private let relieve: @Sendable () -> Void
    private let ask: @Sendable (_ bytes: Int) -> Void

    /// The answers' part of `memory`.
    ///
    /// - Parameters:
    ///   - relieve: Has the events in memory give back what is taken beyond the budget.
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
    /// - Parameter waits: Whether it waits until there is some. It is taken at once where nothing
    ///   would end the wait.
    func room(for bytes: Int, waits: Bool = true) -> AnswerRoom {
        let room = AnswerRoom(for: bytes, in: self, waits: waits)
        if !waits { room.settle(at: bytes) }
        return room
    }

    /// What is taken for an answer of which is only known how large it may be: little enough that
    /// several have room.
    func guess(_ bytesMax: Int) -> Int { min(bytesMax, self.bytesMax / Limits.guessedFraction) }

    private var bytesMax: Int { memory.bytesMax / HTTPFrontLimits.unsentMemoryFraction }

    /// Whether so many bytes more have room. One answer alone has, however large it is.
    fileprivate func hasRoom(for bytes: Int) -> Bool {
        let used = memory.used(.unsent)
        if used == 0 || used + bytes <= bytesMax { return true }
        ask(bytes)
        return false
    }

    /// Whether one more may be made of what has room already. Some became larger than was thought: the
    /// others wait until these are sent, or closed.
    fileprivate var mayMake: Bool {
        let used = memory.used(.unsent)
        if used <= bytesMax || used <= unmade.value { return true }
        ask(used - bytesMax)
        return false
    }

    /// Has events go that have no room beside what was taken.
    fileprivate func keepWithinBudget() {
        if memory.excess > 0 { relieve() }
    }
}

/// What one answer may take of its space, from the moment it is begun to the moment it is sent.
///
/// Counted with the answers that wait for their readers. Safe from any thread.
final class AnswerRoom: Sendable {
    private struct State {
        /// What is counted; nil before it was taken.
        var bytes: Int?
        var isMade = false

        var unmadeBytes: Int { isMade ? 0 : bytes ?? 0 }
    }

    private let space: AnswerSpace
    private let wanted: Int
    private let waits: Bool
    private let state = Protected(State())

    fileprivate init(for bytes: Int, in space: AnswerSpace, waits: Bool) {
        self.space = space
        self.waits = waits
        wanted = bytes
    }

    deinit {
        let state = state.value
        space.memory.release(state.bytes ?? 0, from: .unsent)
        space.unmade.add(-state.unmadeBytes)
    }

    /// Whether it was taken.
    var isTaken: Bool { state.value.bytes != nil }

    /// Takes it if it was not taken before; false where its answer has to wait. Ask before each turn.
    func take() -> Bool {
        if isTaken { return !waits || space.mayMake }
        guard space.hasRoom(for: wanted) else { return false }
        settle(at: wanted)
        space.keepWithinBudget()
        return true
    }

    /// Gives it to others until it is taken again: nothing of its answer is there yet. One that was not
    /// to wait stays.
    func giveBack() {
        guard waits else { return }
        change { $0.bytes = nil }
    }

    /// So many bytes are known to be needed by now, those of events that were read included.
    func settle(at count: Int) {
        change { $0.bytes = count }
    }

    /// So many bytes are needed at most while the answer is made; events make room for them.
    func grow(to count: Int) {
        settle(at: count)
        space.keepWithinBudget()
    }

    /// The answer is made, and takes so many bytes with what it was made of.
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
