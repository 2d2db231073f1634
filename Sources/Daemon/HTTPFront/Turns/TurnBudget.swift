internal import Telemetry

/// The steps that are left of one turn of a loop for each kind of task. A step is some two
/// microseconds.
///
/// A kind has its own share. Once that is spent, it takes from the steps that all kinds share. It
/// begins nothing more when neither has anything left, and goes on in the next turn. The last task
/// that it began may go beyond; others then have as much less of the shared steps. So a turn has a
/// bound that no clock decides, and no kind waits until another has nothing to do.
///
/// A step takes longer on a slow machine. So a turn is late once it has lasted
/// ``HTTPFrontLimits/punctualMicrosecondsMax``. Then nothing is shared any more, and kinds that can
/// wait have ``LoopTask/lateShare``. A kind that has had nothing so far still has something then,
/// in every turn.
///
/// Belongs to its loop.
public final class TurnBudget {
    /// The clock in place of the monotonic one; nil for that.
    private let clock: (() -> Int)?
    /// The moment of the clock at which the turn is late; without a beginning it has none.
    private var lateAt = Int.max
    private var isLate = false
    /// Steps until the clock is looked at again.
    private var stepsToLook = HTTPFrontLimits.stepsPerLook
    /// Whether a kind found nothing left because the turn is late.
    private var isCutShort = false

    private let spent = TurnBudget.counters()
    /// The steps that each kind had spent when its last task began, that one counted as one step.
    private let begun = TurnBudget.counters()
    /// The kinds that spent steps in this turn, one bit each.
    private var touched: UInt32 = 0
    /// The kind of the task that began last.
    private var current = LoopTask.mail
    /// The steps that all kinds have spent beyond their own shares.
    private var sharedSpent = 0

    /// Steps of the task that goes on that were counted before they turned out.
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
        let counters = UnsafeMutablePointer<Int>.allocate(capacity: LoopTask.allCases.count)
        counters.initialize(repeating: 0, count: LoopTask.allCases.count)
        return counters
    }

    /// Begins a turn now, which is this moment of the monotonic clock.
    func beginTurn(at moment: Int) {
        lateAt = (clock?() ?? moment) + HTTPFrontLimits.punctualMicrosecondsMax
    }

    /// Whether a kind of task may begin another one.
    public func isLeft(for task: LoopTask) -> Bool { left(for: task) > 0 }

    /// Steps that a kind of task may still take, 0 at least.
    public func left(for task: LoopTask) -> Int {
        guard isLate else { return leftAtAnyTime(for: task) }
        let left = ownLeft(for: task)
        if left == 0, leftAtAnyTime(for: task) > 0 { isCutShort = true }
        return left
    }

    /// The steps that would be left if the turn was not late.
    private func leftAtAnyTime(for task: LoopTask) -> Int {
        max(0, task.share - spent[task.rawValue])
            + max(0, HTTPFrontLimits.sharedStepsPerTurn - sharedSpent)
    }

    /// The steps that are left of the kind's own share. Shared steps, which others may need more,
    /// are not counted.
    func ownLeft(for task: LoopTask) -> Int {
        max(0, (isLate ? task.lateShare : task.share) - spent[task.rawValue])
    }

    /// Whether a connection with much to write may go on. The shared steps are left to the other
    /// kinds until ``giveRest()``: a peer that reads fast would take all of them, turn after turn,
    /// while requests wait. In a late turn it has no more than a kind that can wait.
    var hasRoomForMuch: Bool {
        guard isLate else {
            return isRestGiven ? isLeft(for: .writes) : ownLeft(for: .writes) > 0
        }
        let isLeft = spent[LoopTask.writes.rawValue] < HTTPFrontLimits.lateStepsPerKind
        if isRestGiven, !isLeft { isCutShort = true }
        return isLeft
    }

    /// Whether a piece of a stream may be written that was made because there was room. Its making
    /// may have taken all that is left of a late turn. If it was kept, it would take memory as if
    /// its peer was slow.
    var hasRoomForPiece: Bool { leftAtAnyTime(for: .writes) > 0 }

    /// Gives the rest of this turn to connections with much to write: all others had their part.
    func giveRest() { isRestGiven = true }

    /// Begins a task of about so many steps.
    public func begin(_ task: LoopTask, _ steps: Int) {
        begun[task.rawValue] = spent[task.rawValue] + 1
        (current, foreseen) = (task, 0)
        spend(steps, on: task)
    }

    /// Goes on with a task that began earlier in this turn. So many of the steps that turn out were
    /// counted then.
    func goOn(with task: LoopTask, foreseen steps: Int) { (current, foreseen) = (task, steps) }

    /// Counts more steps of the task that began last, as they turn out.
    public func add(_ steps: Int) {
        let counted = min(steps, foreseen)
        foreseen -= counted
        spend(steps - counted, on: current)
    }

    /// Counts more steps of a task of this kind that has begun, or begins next.
    public func add(_ steps: Int, to task: LoopTask) { spend(steps, on: task) }

    /// Counts a task that was done within another one, which goes on.
    public func count(_ task: LoopTask, _ steps: Int) {
        begun[task.rawValue] = spent[task.rawValue] + 1
        spend(steps, on: task)
    }

    private func spend(_ steps: Int, on task: LoopTask) {
        let before = spent[task.rawValue]
        touched |= 1 << UInt32(task.rawValue)
        spent[task.rawValue] = before + steps
        sharedSpent += max(0, before + steps - max(before, task.share))
        stepsToLook -= steps
        if stepsToLook <= 0 { look() }
    }

    private func look() {
        stepsToLook = HTTPFrontLimits.stepsPerLook
        if !isLate, lateAt < .max { isLate = (clock?() ?? MonotonicClock.microseconds()) >= lateAt }
    }

    /// Ends a turn, and counts its steps in `meters`.
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
