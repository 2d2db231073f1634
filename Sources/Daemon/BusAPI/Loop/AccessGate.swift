internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

/// The access rules of one moment, in front of every route about topics and groups. It finds the
/// caller of a request, and decides whether that caller may make it.
///
/// Belongs to a loop. A decision about many terms counts in the loop's turn.
final class AccessGate {
    let access: AccessPolicy
    /// Number that tells this gate from the gates before it.
    let number: UInt32
    let groups: WorkGroups
    private let budget: TurnBudget

    init(
        _ access: AccessPolicy, number: UInt32, _ groups: WorkGroups, within budget: TurnBudget
    ) {
        self.access = access
        self.number = number
        self.groups = groups
        self.budget = budget
    }

    /// The caller that sent a request.
    ///
    /// - Throws: 401 `TOKEN_INVALID` for a token that nobody gave out, and 503 if the rules need
    ///   groups that are not known of this connection.
    func caller(_ head: RequestHead, _ peer: Peer) throws(Refusal) -> Caller {
        try caller(peer, try token(shownBy: head.headers))
    }

    /// The caller that consists of a peer and the token that it showed.
    ///
    /// - Throws: 503 if the rules need groups that are not known of this connection.
    func caller(_ peer: Peer, _ token: Token?) throws(Refusal) -> Caller {
        let caller = Caller(uid: peer.uid, groups: peer.groups, token: token)
        try refuseIfUnsure(of: caller)
        return caller
    }

    private func token(shownBy headers: HeaderFields) throws(Refusal) -> Token? {
        guard headers.has("authorization") else { return nil }
        var scheme: Authorization.Scheme?
        let shown = headers.withFirst("authorization") { value in
            let authorization = Authorization(value)
            scheme = authorization.scheme
            return Result { () throws(AccessError) in try access.token(shownBy: authorization) }
        }
        guard let shown else { return nil }
        try headers.refuseIfRepeated("authorization")
        if scheme == .basic, headers.areOfBrowser {
            throw Refusal(
                .accessDenied,
                "Basic credentials are for programs: a browser keeps them and sends them along with "
                    + "the requests of any page. Send the token as 'Authorization: Bearer TOKEN'."
            )
        }
        switch shown {
        case .success(let token): return token
        case .failure(let error):
            throw Refusal(
                .tokenInvalid, error.detail,
                headers: [("WWW-Authenticate", "Bearer realm=\"belfry\", error=\"invalid_token\"")])
        }
    }

    /// Refuses a caller that the rules cannot judge: they name groups, and the groups of this user
    /// are not known. To guess would hide events from a user that may see them, or the reverse.
    private func refuseIfUnsure(of caller: Caller) throws(Refusal) {
        guard let uid = caller.uid, caller.groups == nil, access.rules.needGroups
        else { return }
        throw Refusal(
            Problem(
                503, ProblemCode.limitBus.rawValue,
                detail: "The groups of user \(uid) are not known on this connection, and the rules "
                    + "ask for them; connect again.",
                closesConnection: true))
    }

    /// The rules, for a decision about every topic of a selector. The decision counts in the turn
    /// under way, by the selector's terms; that of a single name is part of the request and adds
    /// nothing.
    func access(toAll selector: Selector) -> AccessPolicy {
        if selector.singleName == nil { budget.add(steps(judging: selector.termCount)) }
        return access
    }

    /// Steps of a decision about so many terms.
    private func steps(judging termCount: Int) -> Int {
        let rules = access.rules.rules.count
        return termCount * (1 + rules / Limits.judgedRulesPerStep)
    }

    /// Steps of a turn that a request takes because of the terms of its selector or group: those of
    /// one decision about all terms, and a look at each.
    func steps(of head: RequestHead) -> Int {
        let path = head.target.path
        guard path.count > 1 else { return 0 }
        let termCount: Int
        switch path[0] {
        case "topics": termCount = path[1].utf8.count { $0 == UInt8(ascii: ",") } + 1
        case "groups":
            guard let name = try? GroupName(path[1]), let group = groups.scope(of: name) else {
                return 0
            }
            termCount = group.selector.termCount
        default: return 0
        }
        // One name is part of the request.
        return termCount > 1 ? steps(judging: termCount) + termCount : 0
    }

    /// Goes on if a decision allows it.
    ///
    /// - Throws: 403 `ACCESS_DENIED`, or 401 where a token may help.
    func require(_ decision: AccessDecision) throws(Refusal) {
        if !decision.isAllowed { throw Refusal(decision) }
    }

    /// The selector limited to the topics that a caller may read: refuses names that it may not
    /// read, and limits patterns to those that it may.
    func readable(_ selector: Selector, by caller: Caller) throws(Refusal) -> Selector {
        let access = access(toAll: selector)
        if let name = selector.singleName {
            try require(access.subscribe(name, caller))
            return selector
        }
        // A waiting request is found by each of its terms.
        budget.add(selector.termCount)
        for case .name(let name) in selector.terms { try require(access.subscribe(name, caller)) }
        return selector.limited(to: access.rules.visibility(for: caller))
    }

    /// Goes on if a waiting caller is still let in, and a decision by the current rules allows the
    /// caller to wait on.
    func requireStill(
        _ caller: Caller, _ decision: (AccessPolicy) -> AccessDecision
    ) throws(Refusal) {
        try requireStillKnown(caller)
        try require(decision(access))
    }

    /// Goes on if a waiting caller is still let in.
    func requireStillKnown(_ caller: Caller) throws(Refusal) {
        guard access.stillKnows(caller) else {
            throw Refusal(.tokenInvalid, "The token is no longer valid.")
        }
        try refuseIfUnsure(of: caller)
    }
}

extension Refusal {
    /// The refusal of a caller that a decision does not allow. Its text is enough to ask the right
    /// person, and does not tell which users the rules name.
    init(_ decision: AccessDecision) {
        let intent =
            switch decision.verb {
            case .publish: "publish to"
            case .subscribe: "receive from"
            case .work: "take jobs of"
            case .administer: "delete or change"
            }
        let caller = decision.caller.description
        let who = caller.prefix(1).uppercased() + caller.dropFirst()
        let (what, rules) =
            switch decision.term {
            case .name(let topic):
                ("topic '\(topic)'", decision.selector.map { "the rules for '\($0)'" })
            // A rule about part of a pattern has names that the caller may not know.
            case .pattern(let pattern):
                ("every topic of '\(pattern)'", decision.selector.map { _ in "the rules for some" })
            }
        let why =
            rules.map { "\($0) do not name this caller (access.rule in belfryd.conf)." }
            ?? "root, the bus's own user and the user who made it may."
        let detail = "\(who) may not \(intent) \(what): \(why)"
        guard decision.wantsToken else {
            self.init(.accessDenied, detail)
            return
        }
        self.init(
            .tokenInvalid, detail + " A token may: send it as 'Authorization: Bearer TOKEN'.",
            headers: [("WWW-Authenticate", "Bearer realm=\"belfry\"")])
    }
}

extension HeaderFields {
    /// Whether a browser sent the request. Pages cannot set or leave out `Origin` and the headers
    /// that begin with `Sec-Fetch-`, and programs have no use for them.
    fileprivate var areOfBrowser: Bool {
        firstName {
            ASCII.isEqualIgnoringCase($0, "origin") || ASCII.hasPrefixIgnoringCase($0, "sec-fetch-")
        } != nil
    }
}
