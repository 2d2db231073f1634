public import Protection

/// The part that all subjects share: the subscribers, the value that stands, and the end.
///
/// Values and the end are given to all subscribers under one lock, so that all of them get the
/// same in the same order, and are delivered outside of it. Its lock is taken before those of the
/// subscriptions, never after.
@usableFromInline
final class SubjectHub<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias Member = SubjectSubscription<Output, Failure>

    @usableFromInline
    struct State {
        @usableFromInline var members: [Member] = []
        @usableFromInline var latest: Output?
        @usableFromInline var completion: Subscribers.Completion<Failure>?
        @usableFromInline var droppedCount = 0

        @inlinable
        init(latest: Output?) {
            self.latest = latest
        }

        /// Gives to every member.
        ///
        /// - Returns: The members, to deliver to.
        @inlinable
        mutating func giveAll(_ give: (Member) -> Int) -> [Member] {
            for member in members { droppedCount += give(member) }
            return members
        }
    }

    @usableFromInline let state: Protected<State>
    @usableFromInline let keepsLatest: Bool

    /// A hub that keeps the latest value, of which this is the first, or none.
    @inlinable
    init(latest: Output?) {
        keepsLatest = latest != nil
        state = Protected(State(latest: latest))
    }

    deinit {
        let members = state.write { $0.giveAll { $0.end(.released) } }
        for member in members { member.deliver() }
    }

    @inlinable
    var latest: Output? { state.read { $0.latest } }

    @inlinable
    var droppedCount: Int { state.read { $0.droppedCount } }

    @inlinable
    func send(_ value: Output) {
        // The value replaced is released out here: with it go those that lines held as the latest.
        let (members, replaced) = state.write { state -> ([Member], Output?) in
            guard state.completion == nil else { return ([], nil) }
            let replaced = state.latest
            if keepsLatest { state.latest = value }
            return (state.giveAll { $0.offer(value) }, replaced)
        }
        for member in members { member.deliver() }
        withExtendedLifetime(replaced) {}
    }

    /// Changes the latest value by `change`, and sends it; after the completion, does nothing.
    ///
    /// - Returns: The value that stands then.
    @inlinable
    func update<Reason: Error>(
        _ change: (inout Output) throws(Reason) -> Void
    ) throws(Reason) -> Output {
        typealias Change = (members: [Member], replaced: Output?, latest: Output)
        let made = try state.write { state throws(Reason) -> Change in
            guard var latest = state.latest else { fatalError("the current value is missing") }
            guard state.completion == nil else { return ([], nil, latest) }
            try change(&latest)
            let replaced = state.latest
            state.latest = latest
            return (state.giveAll { $0.offer(latest) }, replaced, latest)
        }
        for member in made.members { member.deliver() }
        withExtendedLifetime(made.replaced) {}
        return made.latest
    }

    @inlinable
    func send(completion: Subscribers.Completion<Failure>) {
        let members = state.write { state -> [Member] in
            guard state.completion == nil else { return [] }
            state.completion = completion
            let members = state.giveAll { $0.end(.completed(completion)) }
            state.members = []
            return members
        }
        for member in members { member.deliver() }
    }

    @inlinable
    func add(_ subscriber: any Subscriber<Output, Failure>) {
        let receiver = Member.Line.Receiver(subscriber)
        let member = state.write { state in
            let line = SubscriberLine(
                to: receiver, keepsLatest: keepsLatest, latest: state.latest,
                ending: state.completion.map { .completed($0) })
            let member = Member(line, of: self)
            if state.completion == nil { state.members.append(member) }
            return member
        }
        member.open(to: receiver)
    }

    @inlinable
    func remove(_ member: Member) {
        let removed = state.write { state in
            state.members.firstIndex { $0 === member }.map { state.members.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }
}
