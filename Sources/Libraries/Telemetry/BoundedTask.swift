internal import Synchronization

/// One kind of task that is done in turns, each of about so many steps. It counts the steps that
/// are left of a turn, and those of the longest one.
///
/// A step is the unit of the bound, such as a topic that is looked at. So the figures say whether
/// the bound holds, on a fast machine and on a slow one. A turn begins nothing more once its steps
/// are taken; the last operation that it began may go beyond them.
///
/// Safe from any thread; one thread at a time takes a turn of several operations.
public final class BoundedTask: Sendable {
    /// The kind of task, as figures name it.
    public let kind: String
    /// Steps that a turn may take, at least 1.
    public let stepsMax: Int
    /// Turns in which there was something to do.
    public let turns = Counter()
    private let taken = Atomic<Int>(0)
    private let most = Atomic<Int>(0)

    /// A kind of task with its bound.
    public init(_ kind: String, stepsMax: Int) {
        self.kind = kind
        self.stepsMax = stepsMax
    }

    /// Steps that are left of the turn that is under way, 0 at least.
    public var left: Int { max(0, stepsMax - taken.load(ordering: .relaxed)) }

    /// Whether the turn may begin another operation.
    public var isLeft: Bool { left > 0 }

    /// Begins an operation of so many steps.
    public func begin(_ steps: Int = 1) {
        let before = taken.load(ordering: .relaxed)
        taken.store(before + steps, ordering: .relaxed)
        note(before + 1)
    }

    /// Ends a turn.
    public func endTurn() {
        guard taken.load(ordering: .relaxed) > 0 else { return }
        taken.store(0, ordering: .relaxed)
        turns.add()
    }

    /// Counts a turn that took so many steps.
    public func countTurn(of steps: Int) {
        turns.add()
        note(steps)
    }

    private func note(_ steps: Int) {
        if steps > mostSteps { most.max(steps, ordering: .relaxed) }
    }

    /// How many steps the longest turn so far took, the last operation of `begin` counted as one.
    public var mostSteps: Int { most.load(ordering: .relaxed) }
}

extension PrometheusText {
    /// Writes the figures of all of these, those of one kind taken together.
    public mutating func write(_ works: [BoundedTask]) {
        let kinds = Dictionary(grouping: works, by: \.kind).sorted { $0.key < $1.key }
        family("belfry_turns_total", .counter, "Turns that had work of this kind to do.")
        for (kind, works) in kinds {
            sample(works.reduce(0) { $0 + $1.turns.value }, ["kind": kind])
        }
        family(
            "belfry_turn_steps_highest", .gauge, "Steps of the longest turn since the start.")
        for (kind, works) in kinds { sample(works.map(\.mostSteps).max() ?? 0, ["kind": kind]) }
        family("belfry_turn_steps_bound", .gauge, "Steps that a turn may take.")
        for (kind, works) in kinds { sample(works.map(\.stepsMax).max() ?? 0, ["kind": kind]) }
    }
}
