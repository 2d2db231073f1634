internal import Protection
internal import Topics

/// Seeks that wait for their turn; those with the same key are done as one.
///
/// A request that joins a seek before it begins gets the same answer: the seek then does all that
/// was asked.
///
/// Safe from any thread.
final class WaitingSeeks: Sendable {
    /// The values by which seeks are the same.
    struct Key: Hashable {
        let group: GroupNumber
        let start: StartPosition
        /// The user in whose line it waits.
        let user: UInt32?
    }

    /// One request for a seek.
    struct Asked: Sendable {
        let hasLeft: @Sendable () -> Bool
        let then: @Sendable (Result<GroupDescription, WorkError>) -> Void
    }

    /// The place of a request that joins.
    enum Place {
        /// It is the first: somebody has to begin for it.
        case first
        case joined
        /// As many requests wait for the same seek as may.
        case tooMany
    }

    private let waiting = Protected<[Key: [Asked]]>([:])

    /// Has a request wait.
    func join(_ asked: Asked, for key: Key) -> Place {
        waiting.write { waiting in
            guard let others = waiting[key] else {
                waiting[key] = [asked]
                return .first
            }
            guard others.count < Limits.askedPerUserMax else { return .tooMany }
            waiting[key]?.append(asked)
            return .joined
        }
    }

    /// Takes all requests for the same seek, since it begins or is refused.
    func take(_ key: Key) -> [Asked] { waiting.write { $0.removeValue(forKey: key) ?? [] } }
}
