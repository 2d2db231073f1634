/// What is left of one turn of a loop for each kind of its work, in steps of some two microseconds.
///
/// A kind has its own share, and takes from what all kinds share once that is spent. It begins nothing
/// more when neither has anything left, and goes on in the next turn. The last thing that it began may
/// go beyond; others have as much less of what is shared. So a turn has a bound that no clock decides,
/// and no kind waits until another has nothing to do.
///
/// Belongs to its loop.
public final class TurnBudget {
    private var spent = Array(repeating: 0, count: TurnWork.allCases.count)
    /// What each kind had spent when its last thing began, that one counted as one step.
    private var begun = Array(repeating: 0, count: TurnWork.allCases.count)
    /// What began last.
    private var current = TurnWork.mail
    /// What all have spent beyond their own shares.
    private var sharedSpent = 0

    /// Whether all others have had their part of this turn.
    private var isRestGiven = false

    /// The budget of a turn in which nothing was done.
    public init() {}

    /// Whether a kind of work may begin something.
    public func isLeft(for work: TurnWork) -> Bool { left(for: work) > 0 }

    /// Steps that a kind of work may still take, 0 at least.
    public func left(for work: TurnWork) -> Int {
        ownLeft(for: work) + max(0, HTTPFrontLimits.sharedStepsPerTurn - sharedSpent)
    }

    /// The same of the kind's own share: what others may need more is left to them.
    func ownLeft(for work: TurnWork) -> Int { max(0, work.share - spent[work.rawValue]) }

    /// Whether somebody with much to write may go on. What all kinds share is left to the others until
    /// ``giveRest()``: a peer that reads fast would take all of it, turn after turn, while requests wait.
    var hasRoomForMuch: Bool {
        isRestGiven ? isLeft(for: .writes) : ownLeft(for: .writes) > 0
    }

    /// Gives what is left of this turn to those who have much to write: all others had their part.
    func giveRest() { isRestGiven = true }

    /// Begins something of about so many steps.
    public func begin(_ work: TurnWork, _ steps: Int) {
        begun[work.rawValue] = spent[work.rawValue] + 1
        current = work
        spend(steps, on: work)
    }

    /// Counts more steps of what began last, as they turn out.
    public func add(_ steps: Int) { spend(steps, on: current) }

    /// Counts more steps of something of this kind that has begun, or begins next.
    public func add(_ steps: Int, to work: TurnWork) { spend(steps, on: work) }

    /// Counts something that was done within something else, which goes on.
    public func count(_ work: TurnWork, _ steps: Int) {
        begun[work.rawValue] = spent[work.rawValue] + 1
        spend(steps, on: work)
    }

    private func spend(_ steps: Int, on work: TurnWork) {
        let before = spent[work.rawValue]
        spent[work.rawValue] = before + steps
        sharedSpent += max(0, before + steps - max(before, work.share))
    }

    /// Ends a turn: counts what it did in `meters`, and begins the next.
    func endTurn(countingIn meters: LoopMeters) {
        var steps = 0
        for work in TurnWork.allCases {
            let index = work.rawValue
            spent[index] = 0
            guard begun[index] > 0 else { continue }
            meters.count(begun[index], of: work)
            steps += begun[index]
            begun[index] = 0
        }
        sharedSpent = 0
        isRestGiven = false
        if steps > 0 { meters.countTurn(of: steps) }
    }
}
