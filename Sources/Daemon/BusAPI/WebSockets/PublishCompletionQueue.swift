internal import Protection

/// The outcomes of the messages that one WebSocket published. The threads that commit add them, and
/// the loop is woken once for all.
///
/// Safe from any thread.
final class PublishCompletionQueue: Sendable {
    typealias Settled = (number: Int, outcome: PublishAcknowledgements.Outcome)

    private let settled = Protected<[Settled]>([])

    /// Adds the outcome of a message; true if it is the first since they were taken.
    func add(_ number: Int, _ outcome: PublishAcknowledgements.Outcome) -> Bool {
        settled.write { settled in
            settled.append((number, outcome))
            return settled.count == 1
        }
    }

    /// Hands over the outcomes since the last call.
    func take() -> [Settled] {
        settled.write { settled in
            let taken = settled
            settled = []
            return taken
        }
    }
}
