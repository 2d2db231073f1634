internal import Telemetry

/// What is left of one turn of a loop for each kind of its work, in steps of some two microseconds.
///
/// A kind has its own share, and takes from what all kinds share once that is spent. It begins nothing
/// more when neither has anything left, and goes on in the next turn. The last thing that it began may
/// go beyond; others have as much less of what is shared. So a turn has a bound that no clock decides,
/// and no kind waits until another has nothing to do.
///
/// A step takes longer on a slow machine. So a turn is late once it has lasted
/// ``HTTPFrontLimits/punctualMicrosecondsMax``: nothing is shared any more, and what can wait has
/// ``TurnWork/lateShare``. A kind that has had nothing so far still has something then, in every turn.
///
/// Belongs to its loop.
public final class TurnBudget {
    /// In place of the monotonic clock.
    private let clock: (() -> Int)?
    /// The moment of the clock at which the turn is late; without a beginning it has none.
    private var lateAt = Int.max
    private var isLate = false
    /// Steps until the clock is looked at again.
    private var stepsToLook = HTTPFrontLimits.stepsPerLook
    /// Whether a kind found nothing left because the turn is late.
    private var isCutShort = false

    private let spent = TurnBudget.counters()
    /// What each kind had spent when its last thing began, that one counted as one step.
    private let begun = TurnBudget.counters()
    /// The kinds that had something, each a bit.
    private var touched: UInt32 = 0
    /// What began last.
    private var current = TurnWork.mail
    /// What all have spent beyond their own shares.
    private var sharedSpent = 0

    /// Steps of what goes on that were counted before they turned out.
    private var foreseen = 0

    /// Whether all others have had their part of this turn.
    private var isRestGiven = false

    /// The budget of a turn in which nothing was done, and which has not begun.
    public convenience init() { self.init(clock: nil) }

    /// The same, whose turns are late by a clock of microseconds, if one is given.
    init(clock: (() -> Int)?) {
        self.clock = clock
    }

    deinit {
        spent.deallocate()
        begun.deallocate()
    }

    private static func counters() -> UnsafeMutablePointer<Int> {
        let counters = UnsafeMutablePointer<Int>.allocate(capacity: TurnWork.allCases.count)
        counters.initialize(repeating: 0, count: TurnWork.allCases.count)
        return counters
    }

    /// Begins a turn now, which is this moment of the monotonic clock.
    func beginTurn(at moment: Int) {
        lateAt = (clock?() ?? moment) + HTTPFrontLimits.punctualMicrosecondsMax
    }

    /// Whether a kind of work may begin something.
    public func isLeft(for work: TurnWork) -> Bool { left(for: work) > 0 }

    /// Steps that a kind of work may still take, 0 at least.
    public func left(for work: TurnWork) -> Int {
        guard isLate else { return leftAtAnyTime(for: work) }
        let left = ownLeft(for: work)
        if left == 0, leftAtAnyTime(for: work) > 0 { isCutShort = true }
        return left
    }

    /// What would be left if the turn was not late.
    private func leftAtAnyTime(for work: TurnWork) -> Int {
        max(0, work.share - spent[work.rawValue])
            + max(0, HTTPFrontLimits.sharedStepsPerTurn - sharedSpent)
    }

    /// The same of the kind's own share: what others may need more is left to them.
    func ownLeft(for work: TurnWork) -> Int {
        max(0, (isLate ? work.lateShare : work.share) - spent[work.rawValue])
    }

    /// Whether somebody with much to write may go on. What all kinds share is left to the others until
    /// ``giveRest()``: a peer that reads fast would take all of it, turn after turn, while requests wait.
    /// Of a late turn it has no more than what can wait.
    var hasRoomForMuch: Bool {
        guard isLate else {
            return isRestGiven ? isLeft(for: .writes) : ownLeft(for: .writes) > 0
        }
        let isLeft = spent[TurnWork.writes.rawValue] < HTTPFrontLimits.lateStepsPerKind
        if isRestGiven, !isLeft { isCutShort = true }
        return isLeft
    }

    /// Whether a piece of a stream may be written that was made because there was room. Its making may
    /// have taken all that is left of a late turn; kept, it would take memory as if its peer was slow.
    var hasRoomForPiece: Bool { leftAtAnyTime(for: .writes) > 0 }

    /// Gives what is left of this turn to those who have much to write: all others had their part.
    func giveRest() { isRestGiven = true }

    /// Begins something of about so many steps.
    public func begin(_ work: TurnWork, _ steps: Int) {
        begun[work.rawValue] = spent[work.rawValue] + 1
        (current, foreseen) = (work, 0)
        spend(steps, on: work)
    }

    /// Goes on with something that began earlier in this turn; of the steps that turn out so many were
    /// counted then.
    func goOn(with work: TurnWork, foreseen steps: Int) { (current, foreseen) = (work, steps) }

    /// Counts more steps of what began last, as they turn out.
    public func add(_ steps: Int) {
        let counted = min(steps, foreseen)
        foreseen -= counted
        spend(steps - counted, on: current)
    }

    /// Counts more steps of something of this kind that has begun, or begins next.
    public func add(_ steps: Int, to work: TurnWork) { spend(steps, on: work) }

    /// Counts something that was done within something else, which goes on.
    public func count(_ work: TurnWork, _ steps: Int) {
        begun[work.rawValue] = spent[work.rawValue] + 1
        spend(steps, on: work)
    }

    private func spend(_ steps: Int, on work: TurnWork) {
        let before = spent[work.rawValue]
        touched |= 1 << UInt32(work.rawValue)
        spent[work.rawValue] = before + steps
        sharedSpent += max(0, before + steps - max(before, work.share))
        stepsToLook -= steps
        if stepsToLook <= 0 { look() }
    }

    private func look() {
        stepsToLook = HTTPFrontLimits.stepsPerLook
        if !isLate, lateAt < .max { isLate = (clock?() ?? MonotonicClock.microseconds()) >= lateAt }
    }

    /// Ends a turn: counts what it did in `meters`.
    func endTurn(countingIn meters: LoopMeters) {
        var steps = 0
        while touched != 0 {
            let index = touched.trailingZeroBitCount
            touched &= touched - 1
            spent[index] = 0
            guard begun[index] > 0 else { continue }
            meters.count(begun[index], ofKind: index)
            steps += begun[index]
            begun[index] = 0
        }
        sharedSpent = 0
        (isRestGiven, foreseen) = (false, 0)
        if isCutShort { meters.turnsCutShort.add() }
        isCutShort = false
        isLate = false
        lateAt = .max
        stepsToLook = HTTPFrontLimits.stepsPerLook
        if steps > 0 { meters.countTurn(of: steps) }
    }
}
