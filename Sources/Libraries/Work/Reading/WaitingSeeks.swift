internal import Protection
internal import Topics

/// Seeks that wait for their turn, where those for the same are done as one.
///
/// Whoever comes before that begins is answered with it: it then does all that was asked.
///
/// Safe from any thread.
final class WaitingSeeks: Sendable {
    /// What makes seeks the same.
    struct Key: Hashable {
        let group: GroupNumber
        let start: StartPosition
        /// In whose line it waits.
        let user: UInt32?
    }

    /// One request for it.
    struct Asked: Sendable {
        let hasLeft: @Sendable () -> Bool
        let then: @Sendable (Result<GroupDescription, WorkError>) -> Void
    }

    /// What came of a request that joins.
    enum Place {
        /// It is the first: somebody has to begin for it.
        case first
        case joined
        /// As many wait for the same as may.
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

    /// Takes all that wait for the same, since it begins or is refused.
    func take(_ key: Key) -> [Asked] { waiting.write { $0.removeValue(forKey: key) ?? [] } }
}
