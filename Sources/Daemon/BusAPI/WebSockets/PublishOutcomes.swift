internal import Protection

/// What became of the messages that one WebSocket published: gathers it from whichever threads
/// commit, so that the loop is woken once for all.
///
/// Safe from any thread.
final class PublishOutcomes: Sendable {
    typealias Settled = (number: Int, outcome: PublishAnswers.Outcome)

    private let settled = Protected<[Settled]>([])

    /// Adds the outcome of a message; true if it is the first since they were taken.
    func add(_ number: Int, _ outcome: PublishAnswers.Outcome) -> Bool {
        settled.write { settled in
            settled.append((number, outcome))
            return settled.count == 1
        }
    }

    /// Hands over what there is.
    func take() -> [Settled] {
        settled.write { settled in
            let taken = settled
            settled = []
            return taken
        }
    }
}
