internal import Protection
internal import Topics

/// The work groups of a bus on an order that hosts share: the way of their requests into the order, and
/// the decisions where these are applied.
///
/// Safe from any thread. Nothing is called under its lock.
final class SharedGroups: RequestDecider, Sendable {
    private let store: any SharedOrderStore
    private let mint: @Sendable () -> LeaseToken
    private let state = Protected(State())

    /// A caller of this host that waits for a request.
    enum Own: Sendable {
        case call(WorkGroup, WorkGroup.Recipient)
        /// A worker, by its number in its line. `sent` is when it asked.
        case take(WorkGroup, RequestNumber, sent: Int64)
        case make(@Sendable (Result<(group: WorkGroup, isNew: Bool), WorkError>) -> Void)
        case revive(WorkGroup, @Sendable (Result<PublishReceipt, WorkError>) -> Void)

        func fail(_ error: WorkError) {
            switch self {
            case .call(_, let call): call.fail(error)
            case .take(let group, let worker, _): group.failed(worker, error)
            case .make(let then): then(.failure(error))
            case .revive(_, let then): then(.failure(error))
            }
        }

        /// The group that it is asked of; nil where it is yet to be made.
        var group: WorkGroup? {
            switch self {
            case .call(let group, _), .take(let group, _, _), .revive(let group, _): group
            case .make: nil
            }
        }
    }

    private struct State {
        // Weak: it owns this.
        weak var groups: WorkGroups?
        var own: [LeaseToken: Own] = [:]
        /// The groups behind the last decision.
        var byNumber: [GroupNumber: WorkGroup] = [:]
        var byName: [GroupName: WorkGroup] = [:]
        var decision: GroupDecision?
    }

    /// - Parameter mint: Gives tokens that nobody guesses.
    init(_ store: any SharedOrderStore, _ mint: @escaping @Sendable () -> LeaseToken) {
        self.store = store
        self.mint = mint
    }

    /// Begins to decide, with the groups that the replica has.
    func begin(for groups: WorkGroups) {
        state.write { $0.groups = groups }
        for group in groups.all { add(group) }
        store.decide(by: self)
    }

    /// Lets go of the groups, which hold this.
    func close() {
        let left = state.write { state in
            defer { state = State() }
            return state
        }
        left.decision?.close()
        for own in left.own.values { own.fail(.bus(.draining)) }
    }

    /// The time of the order by now, as this host guesses it.
    var time: Timestamp { store.orderTime }

    // MARK: Requests

    /// Has the order take a request.
    func ask(
        _ verb: GroupRequest.Verb, of group: GroupNumber, for user: UInt32?, _ own: Own?
    ) {
        let token = mint()
        if let own { state.write { $0.own[token] = own } }
        store.ask(GroupRequest(token, to: group, verb), for: user) { [self] error in
            take(token)?.fail(.bus(error))
        }
    }

    /// Has the order make a group, unless it has one of the name.
    func make(
        _ making: GroupRequest.Making, _ number: GroupNumber,
        then: @escaping @Sendable (Result<(group: WorkGroup, isNew: Bool), WorkError>) -> Void
    ) {
        ask(.make(making), of: number, for: making.maker.uid, .make(then))
    }

    /// Takes out the caller of this host that waits for a request; nil for requests of other hosts, and for
    /// those that failed before.
    private func take(_ token: LeaseToken) -> Own? {
        state.write { $0.own.removeValue(forKey: token) }
    }

    /// Whether a caller of this host waits for a request.
    func isOwn(_ token: LeaseToken) -> Bool { state.read { $0.own[token] != nil } }

    // MARK: Deciding

    func decide(
        _ group: AskedGroup, first: EventID,
        then: @escaping @Sendable (Result<[StoreEntry], BusError>) -> Void
    ) {
        let decision = state.write { state -> GroupDecision? in
            guard let groups = state.groups else { return nil }
            // One that could not read goes on.
            if let begun = state.decision, begun.group.place == group.place { return begun }
            let decision = GroupDecision(group, first: first, self, groups.parts)
            state.decision = decision
            return decision
        }
        guard let decision else { return then(.failure(.draining)) }
        decision.go(then)
    }

    func decidedWasTold() {
        let (decision, groups) = state.write { state in
            defer { state.decision = nil }
            return (state.decision, state.groups)
        }
        guard let groups else { return }
        for outcome in decision?.outcomes ?? [] {
            switch outcome {
            case .made(let group, let token):
                let own = take(token)
                groups.adopt(group, isOwn: own != nil)
                if case .make(let then)? = own { then(.success((group, true))) }
            case .decided(let group, let decided, let isRemoved):
                if isRemoved {
                    groups.forget(group)
                    group.endLine()
                }
                group.tell(decided, take(decided.token), self)
            case .revived(let token, let receipt):
                if case .revive(_, let then)? = take(token) { then(.success(receipt)) }
            case .refused(let token, let error):
                guard let own = take(token) else { continue }
                if let error = error ?? own.group.map({ .groupDeleted($0.name) }) {
                    own.fail(error)
                }
            }
        }
    }

    // MARK: Groups

    func group(_ number: GroupNumber) -> WorkGroup? { state.read { $0.byNumber[number] } }

    func group(_ name: GroupName) -> WorkGroup? { state.read { $0.byName[name] } }

    func add(_ group: WorkGroup) {
        state.write { state in
            state.byNumber[group.number] = group
            state.byName[group.name] = group
        }
    }

    func remove(_ group: WorkGroup) {
        state.write { state in
            state.byNumber[group.number] = nil
            state.byName[group.name] = nil
        }
    }
}
