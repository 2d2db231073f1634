import Broadcasting
import Protection
import Synchronization

/// A subscriber that writes down what it is called with, and finds calls that overlap.
final class Recorder<Input: Sendable, Failure: Error>: Subscriber {
    private struct State {
        var subscription: (any Subscription)?
        var values: [Input] = []
        var completions: [Subscribers.Completion<Failure>] = []
        var calls = 0
        var misplaced = 0
    }

    private let state = Protected(State())
    private let isInside = Atomic(false)
    private let first: Subscribers.Demand
    private let more: @Sendable (Input) -> Subscribers.Demand

    /// Demands `first` when it subscribes, and what `more` returns with each value.
    init(
        demanding first: Subscribers.Demand = .unlimited,
        more: @escaping @Sendable (Input) -> Subscribers.Demand = { _ in .none }
    ) {
        self.first = first
        self.more = more
    }

    var values: [Input] { state.read { $0.values } }
    var completions: [Subscribers.Completion<Failure>] { state.read { $0.completions } }
    var calls: Int { state.read { $0.calls } }
    var droppedCount: Int { subscription?.droppedCount ?? -1 }

    /// Calls that overlapped with another, came before the subscription or after the completion.
    var misplacedCalls: Int { state.read { $0.misplaced } }

    var subscription: (any Subscription)? { state.read { $0.subscription } }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() { subscription?.cancel() }

    func receive(subscription: any Subscription) {
        inside { state in
            if state.subscription != nil { state.misplaced += 1 }
            state.subscription = subscription
        }
        subscription.request(first)
        leave()
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        inside { state in
            if state.subscription == nil { state.misplaced += 1 }
            state.values.append(input)
        }
        defer { leave() }
        return more(input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        inside { state in
            if state.subscription == nil { state.misplaced += 1 }
            state.completions.append(completion)
        }
        leave()
    }

    private func inside(_ note: (inout State) -> Void) {
        let overlaps = isInside.exchange(true, ordering: .relaxed)
        state.write { state in
            state.calls += 1
            if overlaps || !state.completions.isEmpty { state.misplaced += 1 }
            note(&state)
        }
    }

    private func leave() { isInside.store(false, ordering: .relaxed) }
}

/// How a subject of the tests fails.
enum Trouble: Error, Equatable {
    case fire
    case flood
}

/// Counts the objects made of it that live.
final class Census: Sendable {
    final class Member: Sendable {
        private let census: Census

        fileprivate init(_ census: Census) { self.census = census }

        deinit { census.living.subtract(1, ordering: .acquiringAndReleasing) }
    }

    private let living = Atomic(0)

    var count: Int { living.load(ordering: .acquiring) }

    func member() -> Member {
        living.add(1, ordering: .acquiringAndReleasing)
        return Member(self)
    }
}
