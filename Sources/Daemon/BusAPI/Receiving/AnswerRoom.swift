internal import HTTPFront
internal import Protection
internal import Telemetry

/// The part of the memory that answers have which are made beside the loops.
///
/// They share it with the answers that wait for their readers: a quarter of the budget. Whoever finds
/// no room waits, and those who do not read make room for them.
///
/// Safe from any thread.
final class AnswerSpace: Sendable {
    fileprivate let memory: MemoryBudget
    private let ask: @Sendable (_ bytes: Int) -> Void

    /// The answers' part of `memory`; `ask` has the loops make room for so many bytes, and does not
    /// wait.
    init(of memory: MemoryBudget, _ ask: @escaping @Sendable (_ bytes: Int) -> Void) {
        self.memory = memory
        self.ask = ask
    }

    /// Room for an answer of about so many bytes, not yet taken.
    func room(for bytes: Int) -> AnswerRoom { AnswerRoom(for: bytes, in: self) }

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
}

/// What one answer may take of its space, from the moment it is begun to the moment it is sent.
///
/// Counted with the answers that wait for their readers. Safe from any thread.
final class AnswerRoom: Sendable {
    private let space: AnswerSpace
    private let wanted: Int
    /// What is counted; nil before it was taken.
    private let bytes = Protected<Int?>(nil)

    fileprivate init(for bytes: Int, in space: AnswerSpace) {
        self.space = space
        wanted = bytes
    }

    deinit {
        if let bytes = bytes.value { space.memory.release(bytes, from: .unsent) }
    }

    /// Whether it was taken.
    var isTaken: Bool { bytes.value != nil }

    /// Takes it if it was not taken before; false where there is none.
    func take() -> Bool {
        guard !isTaken else { return true }
        guard space.hasRoom(for: wanted) else { return false }
        settle(at: wanted)
        return true
    }

    /// The answer is made, and has so many bytes.
    func settle(at count: Int) {
        let before = bytes.write { bytes in
            defer { bytes = count }
            return bytes ?? 0
        }
        space.memory.charge(count - before, to: .unsent)
    }
}
