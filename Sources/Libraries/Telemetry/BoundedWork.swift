internal import Synchronization

/// How many steps one kind of work takes in one turn, beside the most that it may take.
///
/// Steps are what its bound is in: topics that are looked at, subscriptions that are told. They say
/// whether the bound holds, on a fast machine and on a slow one.
///
/// Safe from any thread; a turn is counted by one.
public final class BoundedWork: Sendable {
    /// What is done, as figures name it.
    public let kind: String
    /// Steps of one turn at the most.
    public let stepsMax: Int
    /// Turns in which there was something to do.
    public let turns = Counter()
    private let current = Atomic<Int>(0)
    private let most = Atomic<Int>(0)

    /// Work of a kind with its bound.
    public init(_ kind: String, stepsMax: Int) {
        self.kind = kind
        self.stepsMax = stepsMax
    }

    /// Counts steps of a turn that is under way.
    public func add(_ steps: Int) { current.wrappingAdd(steps, ordering: .relaxed) }

    /// Ends a turn whose steps were added.
    public func endTurn() {
        let steps = current.load(ordering: .relaxed)
        guard steps > 0 else { return }
        current.store(0, ordering: .relaxed)
        countTurn(of: steps)
    }

    /// Counts a whole turn.
    public func countTurn(of steps: Int) {
        turns.add()
        most.max(steps, ordering: .relaxed)
    }

    /// The steps of the longest turn so far.
    public var mostSteps: Int { most.load(ordering: .relaxed) }
}

extension PrometheusText {
    /// Writes what all of these did, those of one kind taken together.
    public mutating func write(_ works: [BoundedWork]) {
        let kinds = Dictionary(grouping: works, by: \.kind).sorted { $0.key < $1.key }
        family(
            "belfry_turns_total", .counter, "Turns that had work of this kind to do.")
        for (kind, works) in kinds {
            sample(works.reduce(0) { $0 + $1.turns.value }, ["kind": kind])
        }
        family(
            "belfry_turn_steps_highest", .gauge, "Steps of the longest turn since the start.")
        for (kind, works) in kinds { sample(works.map(\.mostSteps).max() ?? 0, ["kind": kind]) }
        family("belfry_turn_steps_bound", .gauge, "Steps that a turn may take at the most.")
        for (kind, works) in kinds { sample(works.map(\.stepsMax).max() ?? 0, ["kind": kind]) }
    }
}
