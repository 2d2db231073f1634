internal import Protection

/// What all subjects are made of: who subscribes, the value that stands, and the end.
///
/// Values and the end are given to all subscribers under one lock, so that all of them get the
/// same in the same order, and are delivered outside of it. Its lock is taken before those of the
/// subscriptions, never after.
final class SubjectHub<Output: Sendable, Failure: Error>: Sendable {
    typealias Member = SubjectSubscription<Output, Failure>

    private struct State {
        var members = IdentityTable<Member>()
        var latest: Output?
        var completion: Subscribers.Completion<Failure>?
        var droppedCount = 0

        /// Gives to every member.
        ///
        /// - Returns: The members, to deliver to.
        mutating func giveAll(_ give: (Member) -> Int) -> [Member?] {
            for case let member? in members.entries { droppedCount += give(member) }
            return members.entries
        }
    }

    private let state: Protected<State>
    private let keepsLatest: Bool

    /// A hub that keeps the latest value, of which this is the first, or none.
    init(latest: Output?) {
        keepsLatest = latest != nil
        state = Protected(State(latest: latest))
    }

    deinit {
        let members = state.write { $0.giveAll { $0.end(.released) } }
        for case let member? in members { member.deliver() }
    }

    var latest: Output? { state.read { $0.latest } }

    var droppedCount: Int { state.read { $0.droppedCount } }

    func send(_ value: Output) {
        // The value replaced is released out here: with it go those that lines held as the latest.
        let (members, replaced) = state.write { state -> ([Member?], Output?) in
            guard state.completion == nil else { return ([], nil) }
            let replaced = state.latest
            if keepsLatest { state.latest = value }
            return (state.giveAll { $0.offer(value) }, replaced)
        }
        for case let member? in members { member.deliver() }
        withExtendedLifetime(replaced) {}
    }

    func send(completion: Subscribers.Completion<Failure>) {
        let members = state.write { state -> [Member?] in
            guard state.completion == nil else { return [] }
            state.completion = completion
            let members = state.giveAll { $0.end(.completed(completion)) }
            state.members = IdentityTable()
            return members
        }
        for case let member? in members { member.deliver() }
    }

    func add(_ subscriber: any Subscriber<Output, Failure>) {
        let member = state.write { state in
            let line = SubscriberLine(
                to: subscriber, keepsLatest: keepsLatest, latest: state.latest,
                ending: state.completion.map { .completed($0) })
            let member = Member(line, of: self)
            if state.completion == nil {
                _ = state.members.add(member, for: ObjectIdentifier(member))
            }
            return member
        }
        member.open(to: subscriber)
    }

    func remove(_ member: Member) {
        let removed = state.write { $0.members.drop(ObjectIdentifier(member)) }
        withExtendedLifetime(removed) {}
    }
}
