internal import Protection
internal import Topics

/// Requests in the log that somebody waits for, by their events.
///
/// A request enters in the `then` of its publish, and so before any worker could be told of it.
final class Replies: Sendable {
    private struct State {
        var waiting: [EventID: Asking] = [:]
        /// Requests that ended, until their events expire: no worker is to start on them.
        var over = EndedRequests()
        /// Whether the groups are gone, so that nobody answers any more.
        var isClosed = false
    }

    private let state = Protected(State())

    /// How many wait.
    var count: Int { state.read { $0.waiting.count } }

    /// Waits for the reply to an event, unless nobody answers any more.
    func enter(_ id: EventID, _ asking: Asking) {
        let isClosed = state.write { state in
            if !state.isClosed { state.waiting[id] = asking }
            return state.isClosed
        }
        if isClosed { asking.finish(.failure(.bus(.draining))) }
    }

    /// Ends all requests that wait, since nobody answers any more. They would hold each other.
    func close() {
        let left = state.write { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for asking in left.values { asking.finish(.failure(.bus(.draining))) }
    }

    /// Takes out the request of this event, which no longer waits; nil if none did.
    func take(_ id: EventID) -> Asking? { state.write { $0.waiting.removeValue(forKey: id) } }

    /// Whether somebody waits for the reply.
    func isAwaited(_ id: EventID) -> Bool { state.read { $0.waiting[id] != nil } }

    /// Ends a request: no worker is to start on its event until that expires.
    ///
    /// - Parameter expiry: By the clock that dates events. If that is set back, the request ends by
    ///   the other clock, and its event expires later.
    func end(_ id: EventID, until expiry: Timestamp, of user: UInt32?) {
        state.write { state in
            state.waiting[id] = nil
            state.over.add(id, until: expiry.microseconds, of: user)
        }
    }

    /// Whether a request is over, and its event has not expired.
    func isOver(_ id: EventID) -> Bool { state.read { $0.over.has(id) } }

    /// Takes those out whose time has come.
    ///
    /// - Parameters:
    ///   - now: The time of deadlines.
    ///   - time: The time by which events expire.
    func expire(now: Int64, at time: Timestamp) -> [Asking] {
        state.write { state in
            state.over.expire(now: time.microseconds)
            let late = state.waiting.filter { $0.value.deadline <= now }
            for id in late.keys { state.waiting[id] = nil }
            return Array(late.values)
        }
    }
}

/// A request that waits for its reply.
package final class Asking: Sendable {
    package typealias Then = @Sendable (Result<Reply, WorkError>) -> Void

    private enum State {
        /// Its event is on its way into the log.
        case publishing(Then)
        case waiting(EventID, Then)
        case over
    }

    private let state: Protected<State>
    private let replies: Replies
    private let user: UInt32?
    /// The time at which it ends.
    let deadline: Int64
    /// The time at which its event expires.
    private let expiry: Timestamp

    init(
        _ replies: Replies, of user: UInt32?, deadline: Int64, expiry: Timestamp,
        _ then: @escaping Then
    ) {
        state = Protected(.publishing(then))
        self.replies = replies
        self.user = user
        self.deadline = deadline
        self.expiry = expiry
    }

    /// Notes that its event is in the log.
    func begin(_ id: EventID) {
        replies.enter(id, self)
        let isWaiting = state.write { state in
            guard case .publishing(let then) = state else { return false }
            state = .waiting(id, then)
            return true
        }
        if !isWaiting { replies.end(id, until: expiry, of: user) }
    }

    /// Ends it with this outcome. Returns whether it still waited.
    @discardableResult
    func finish(_ outcome: Result<Reply, WorkError>) -> Bool {
        let (then, _) = takeOver()
        then?(outcome)
        return then != nil
    }

    /// The requester waits no longer: its time is over, or it hung up. Unless it was answered,
    /// `then` gets ``WorkError/replyTimeout(_:)``; nobody starts on the request any more.
    ///
    /// A hang-up before its event was in the log counts too.
    package func cancel() {
        let (then, id) = takeOver()
        guard let then else { return }
        if let id { replies.end(id, until: expiry, of: user) }
        then(.failure(.replyTimeout(id)))
    }

    private func takeOver() -> (Then?, EventID?) {
        state.write { state in
            defer { state = .over }
            return switch state {
            case .publishing(let then): (then, nil)
            case .waiting(let id, let then): (then, id)
            case .over: (nil, nil)
            }
        }
    }
}
