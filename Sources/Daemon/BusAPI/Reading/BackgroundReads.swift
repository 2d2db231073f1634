internal import Glibc
internal import HTTPFront
internal import Protection
internal import Queues
internal import Topics

/// Reads that take more than one turn under the bus's lock, on a thread of their own: no loop waits
/// for them.
///
/// Each user has a line, whose first read is under way, and the lines take turns. So a user that
/// asks for much waits behind their own reads only. Reads that ask the store have a line of their
/// own for each user, of which a few are asked at one time: the store's readers and the room for
/// answers are shared by user too. Operations that go on by themselves have a further line, one at
/// a time. The thread begins with a read and ends when none is left. Reads whose clients have left
/// do not pile up in a line that is held.
///
/// Safe from any thread; no verb waits.
final class BackgroundReads: Sendable {
    /// One turn of a read; true where it needs another.
    typealias Turn = @Sendable () -> Bool

    /// Asks the store, and calls the block once the store has answered.
    typealias Ask = @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void

    /// The line in which a read waits: one for each user and kind.
    private struct Line: Hashable {
        enum Kind {
            case beginning
            /// Reads that have room. They do not wait behind reads of their user that find none:
            /// they are to give their room back.
            case hasRoom
            /// Reads for which the store is to be asked.
            case asking
            /// Operations that go on by themselves: a removal of many topics, or a list of all
            /// loops' subscribers.
            case oneByOne

            /// How many of one user are under way at one time; nil for no bound.
            var underWayMax: Int? {
                switch self {
                case .beginning, .hasRoom: nil
                case .asking: Limits.askedReadsPerUserMax
                case .oneByOne: 1
                }
            }
        }

        let user: UInt32?
        let kind: Kind
    }

    private enum Step {
        case turn(Turn)
        case ask(Ask)
    }

    private struct Read {
        let line: Line
        let cancellation: Cancellation
        let room: ResponseReservation?
        let step: Step

        enum Outcome { case over, goesOn, held, asked }

        /// Takes a turn, unless nobody waits for it any more, or it has no room yet.
        func goOn(_ answered: @escaping @Sendable () -> Void) -> Outcome {
            if cancellation.isCancelled { return .over }
            if let room, !room.take() { return .held }
            switch step {
            case .turn(let turn): return turn() ? .goesOn : .over
            case .ask(let ask):
                ask(answered)
                return .asked
            }
        }
    }

    private struct State {
        /// The reads of each user. Callers without a known user share the lines of nil.
        var lines = TurnLines<Line, Read>(
            bounds: { .init(underWay: $0.kind.underWayMax) },
            isOver: { $0.cancellation.isCancelled })
        var isWorking = false

        /// Adds a read to its line. True if a thread has to begin.
        mutating func add(_ read: Read) -> Bool {
            lines.add(read, to: read.line)
            return begin()
        }

        private mutating func begin() -> Bool {
            defer { isWorking = true }
            return !isWorking
        }

        /// Takes the read whose turn it is.
        mutating func next() -> Read? {
            let read = lines.take()
            isWorking = read != nil
            return read
        }

        /// Has the read that took a turn go on in its line, or leave it. Returns how many lines there
        /// are.
        mutating func pass(_ read: Read, _ outcome: Read.Outcome) -> Int {
            switch outcome {
            case .asked: return lines.lineCount
            case .over: break
            case .goesOn, .held: lines.putFirst(read, of: read.line)
            }
            lines.end(read.line)
            return lines.lineCount
        }

        /// Ends a read of a line that the store has answered. True if a thread has to begin.
        mutating func answered(_ line: Line) -> Bool {
            lines.end(line)
            return lines.isEmpty ? false : begin()
        }
    }

    private let state = Protected(State())

    /// Has `turn` run soon, again and again until it needs no more, or is cancelled: on another
    /// thread, or before this returns where there is none to be had.
    ///
    /// - Parameter room: The room that it takes before its first turn. Until it can, its line is
    ///   held.
    func add(
        for account: CallerAccount?, unless cancellation: Cancellation,
        in room: ResponseReservation? = nil,
        _ turn: @escaping Turn
    ) {
        add(
            Read(
                line: Line(
                    user: account?.uid, kind: room?.isTaken ?? true ? .hasRoom : .beginning),
                cancellation: cancellation, room: room, step: .turn(turn)))
    }

    /// Has `ask` run soon, as a turn like others, once its user has fewer reads at the store than there
    /// may be.
    ///
    /// - Parameter room: The room that it takes before it asks.
    func addAsking(
        for account: CallerAccount?, unless cancellation: Cancellation,
        in room: ResponseReservation,
        _ ask: @escaping Ask
    ) {
        add(
            Read(
                line: Line(user: account?.uid, kind: .asking), cancellation: cancellation,
                room: room, step: .ask(ask)))
    }

    /// Has an operation that goes on by itself begin soon, as a turn like others, once no other one
    /// of its user is under way.
    func addOneByOne(
        for account: CallerAccount?, unless cancellation: Cancellation,
        _ begin: @escaping @Sendable (_ over: @escaping @Sendable () -> Void) -> Void
    ) {
        add(
            Read(
                line: Line(user: account?.uid, kind: .oneByOne), cancellation: cancellation,
                room: nil, step: .ask(begin)))
    }

    private func add(_ read: Read) {
        if state.write({ $0.add(read) }) { begin() }
    }

    private func begin() {
        guard let thread = try? OwnedThread({ self.work() }) else { return work() }
        thread.detach()
    }

    private func answered(_ line: Line) {
        if state.write({ $0.answered(line) }) { begin() }
    }

    private func work() {
        var held = 0
        while let read = state.write({ $0.next() }) {
            let line = read.line
            let outcome = read.goOn { self.answered(line) }
            let lines = state.write { $0.pass(read, outcome) }
            switch outcome {
            case .over, .asked: held = 0
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
