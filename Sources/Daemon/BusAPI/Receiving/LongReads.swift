internal import Glibc
internal import HTTPFront
internal import Protection
internal import Topics

/// Reads that take more than one turn under the bus's lock, on a thread of their own: no loop waits
/// for them.
///
/// Each user has a line, whose first read is under way, and the lines take turns: whoever asks for
/// much waits for themself. The thread begins with a read and ends when none is left.
///
/// Safe from any thread; no verb waits.
final class LongReads: Sendable {
    /// One turn of a read; true where it needs another.
    typealias Turn = @Sendable () -> Bool

    /// Where a read waits. Reads that have room do not wait behind those of their user that find
    /// none: they are to give it back.
    private struct Line: Hashable {
        let user: UInt32?
        let hasRoom: Bool
    }

    private struct Read {
        let line: Line
        let cancellation: Cancellation
        let room: AnswerRoom?
        let turn: Turn

        enum Outcome { case over, goesOn, held }

        /// Takes a turn, unless nobody waits for it any more, or it has no room yet.
        func goOn() -> Outcome {
            if cancellation.isCancelled { return .over }
            if let room, !room.take() { return .held }
            return turn() ? .goesOn : .over
        }
    }

    private struct State {
        /// The reads of each user, nil for those that are unknown together.
        var lines: [Line: Ring<Read>] = [:]
        /// The lines whose turn comes, in that order.
        var order = Ring<Line>()
        var isWorking = false

        /// True where a thread has to begin.
        mutating func add(_ read: Read) -> Bool {
            if lines[read.line] == nil { order.append(read.line) }
            lines[read.line, default: Ring()].append(read)
            defer { isWorking = true }
            return !isWorking
        }

        /// The read whose turn it is, which stays in its line.
        mutating func next() -> Read? {
            guard !order.isEmpty else {
                isWorking = false
                return nil
            }
            return lines[order.removeFirst()]?.first
        }

        /// How many lines there are.
        var lineCount: Int { lines.count }

        /// Has the read that took a turn go on in its line, or leave it.
        mutating func pass(_ read: Read, goesOn: Bool) {
            if !goesOn { _ = lines[read.line]?.removeFirst() }
            if lines[read.line]?.isEmpty == true {
                lines[read.line] = nil
            } else {
                order.append(read.line)
            }
        }
    }

    private let state = Protected(State())

    /// Has `turn` run soon, again and again until it needs no more, or is cancelled: on another
    /// thread, or before this returns where there is none to be had.
    ///
    /// - Parameter room: What it takes before its first turn; until it can, its line is held.
    func add(
        for account: CallerAccount?, unless cancellation: Cancellation, in room: AnswerRoom? = nil,
        _ turn: @escaping Turn
    ) {
        let read = Read(
            line: Line(user: account?.uid, hasRoom: room?.isTaken ?? true),
            cancellation: cancellation, room: room, turn: turn)
        guard state.write({ $0.add(read) }) else { return }
        guard let thread = try? OwnedThread({ self.work() }) else { return work() }
        thread.detach()
    }

    private func work() {
        var held = 0
        while let read = state.write({ $0.next() }) {
            let outcome = read.goOn()
            let lines = state.write { state in
                state.pass(read, goesOn: outcome != .over)
                return state.lineCount
            }
            switch outcome {
            case .over: held = 0
            case .goesOn:
                held = 0
                EventBus.pause()
            case .held:
                held += 1
                guard held >= lines else { continue }
                held = 0
                usleep(Limits.heldMicroseconds)
            }
        }
    }
}
