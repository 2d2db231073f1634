public import Topics

/// Everything that decides about access: rules, tokens, and the user that may administer every
/// topic.
///
/// Never changes; a reload replaces it. Safe from any thread.
public struct AccessPolicy: Equatable, Sendable {
    /// The rules about topics.
    public let rules: AccessRules
    /// The tokens that let in callers that the kernel does not know.
    public let tokens: TokenTable
    /// The user who runs the bus.
    public let administrator: UInt32

    /// A policy of these parts; without rules it is the contract's own.
    public init(
        rules: AccessRules = AccessRules(), tokens: TokenTable = TokenTable(), administrator: UInt32
    ) {
        self.rules = rules
        self.tokens = tokens
        self.administrator = administrator
    }

    // MARK: The caller

    /// The token that an `Authorization` header shows; nil for a scheme that is somebody else's.
    ///
    /// - Throws: If it is a token that nobody gave out, or none could be read from it.
    public func token(shownBy authorization: Authorization) throws(AccessError) -> Token? {
        guard authorization.scheme != nil else { return nil }
        let token = try authorization.withSecret { tokens.token(of: $0) }
        guard let token else { throw Self.unknownToken }
        return token
    }

    /// Whether the token of a caller, if it has one, is still let in.
    public func stillKnows(_ caller: Caller) -> Bool {
        caller.token.map(tokens.contains) ?? true
    }

    private static let unknownToken = AccessError(
        "The token is not known here; it may have been replaced. Send one that is, or no "
            + "Authorization header.")

    // MARK: Rights to a topic

    /// Whether a caller may publish to a topic.
    public func publish(_ topic: TopicName, _ caller: Caller) -> AccessDecision {
        rules.decide(.publish, topic, for: caller)
    }

    /// Whether a caller may receive from a topic, and know of it.
    public func subscribe(_ topic: TopicName, _ caller: Caller) -> AccessDecision {
        rules.decide(.subscribe, topic, for: caller)
    }

    /// Whether a caller may delete a topic or change its settings. The user `owner` made the topic;
    /// nil if its maker is unknown.
    public func administer(
        _ topic: TopicName, madeBy owner: UInt32?, _ caller: Caller
    ) -> AccessDecision {
        if let who = administrator(of: owner, caller) {
            return AccessDecision(.administer, .name(topic), caller, .administrator(who))
        }
        return rules.decide(.administer, topic, for: caller)
    }

    /// The role by which the caller may administer something that `owner` made, against all rules;
    /// nil if it has none.
    private func administrator(of owner: UInt32?, _ caller: Caller) -> String? {
        guard let uid = caller.uid else { return nil }
        if uid == 0 { return "root" }
        if uid == administrator { return "the bus's own user" }
        return uid == owner ? "the user who made it" : nil
    }

    /// Whether a caller may register a topic that is not there. A caller that may publish to it
    /// could make it that way too, and one that may administer it may prepare it for others.
    public func register(_ topic: TopicName, _ caller: Caller) -> AccessDecision {
        let publishing = publish(topic, caller)
        if publishing.isAllowed { return publishing }
        let administering = administer(topic, madeBy: nil, caller)
        return administering.isAllowed || administering.wantsToken ? administering : publishing
    }

    // MARK: Rights to all topics of a selector

    /// Whether a caller may publish to every topic of a selector.
    public func publish(toAll selector: Selector, _ caller: Caller) -> AccessDecision {
        rules.decide(.publish, all: selector, for: caller)
    }

    /// Whether a caller may receive from every topic of a selector: one cursor cannot skip for one
    /// reader the events that another may see.
    public func subscribe(toAll selector: Selector, _ caller: Caller) -> AccessDecision {
        rules.decide(.subscribe, all: selector, for: caller)
    }

    /// Whether a caller may take jobs of every topic of a selector. It has to be allowed to receive
    /// from it; if no rule is about `work`, that is enough.
    public func work(_ selector: Selector, _ caller: Caller) -> AccessDecision {
        let subscribing = subscribe(toAll: selector, caller)
        guard subscribing.isAllowed else { return subscribing.asked(to: .work) }
        let working = rules.decide(.work, all: selector, for: caller)
        if case .noRule = working.reason { return subscribing.asked(to: .work) }
        return working
    }

    /// Whether a caller may know of others that wait for this selector. Root and the bus's user may
    /// know of all; others if they may receive from all topics of it, and administer them.
    ///
    /// - Parameter owner: Returns the maker of a topic; nil if it is unknown.
    public func seesOthers(
        at selector: Selector, madeBy owner: (TopicName) -> UInt32?, _ caller: Caller
    ) -> Bool {
        if administrator(of: nil, caller) != nil { return true }
        guard subscribe(toAll: selector, caller).isAllowed else { return false }
        return selector.terms.allSatisfy { term in
            switch term {
            case .name(let topic): administer(topic, madeBy: owner(topic), caller).isAllowed
            case .pattern(let pattern):
                rules.decide(.administer, all: Selector(pattern), for: caller).isAllowed
            }
        }
    }

    /// Whether a caller may change or end a group of this selector. The user `owner` made the
    /// group; nil if its maker is unknown.
    ///
    /// The maker may for as long as it may receive from all of the selector: dead letters and a new
    /// beginning would bring it events that the rules of now keep from it.
    public func administer(
        groupOf selector: Selector, madeBy owner: UInt32?, _ caller: Caller
    ) -> AccessDecision {
        if let who = administrator(of: nil, caller) {
            return AccessDecision(
                .administer, selector.terms[0], caller, .administrator(who))
        }
        let administering = rules.decide(.administer, all: selector, for: caller)
        guard !administering.isAllowed, let who = administrator(of: owner, caller) else {
            return administering
        }
        let subscribing = subscribe(toAll: selector, caller)
        guard subscribing.isAllowed else { return subscribing.asked(to: .administer) }
        return AccessDecision(.administer, selector.terms[0], caller, .administrator(who))
    }

    /// Whether dead letters of a group of this selector go to a topic that a caller chose: they are
    /// events of all of it, published in the caller's name.
    public func bury(
        _ selector: Selector, in dead: TopicName, chosenBy caller: Caller
    ) -> AccessDecision {
        if administrator(of: nil, caller) == nil {
            let subscribing = subscribe(toAll: selector, caller)
            guard subscribing.isAllowed else { return subscribing }
        }
        return publish(dead, caller)
    }

    /// A caller that was let in before, as it is known by now: a token that nobody has any more is
    /// none.
    public func caller(uid: UInt32?, groups: [UInt32]?, tokenNamed name: String?) -> Caller {
        let token = name.flatMap { name in
            tokens.names.contains(name) ? Token(name: name, digest: []) : nil
        }
        return Caller(uid: uid, groups: groups, token: token)
    }
}
