public import Topics

/// Whether a caller may do something with a topic, or with all of a pattern, and why.
public struct AccessDecision: Sendable, CustomStringConvertible {
    enum Reason: Sendable {
        /// No rule is about it.
        case noRule
        /// The most specific selector with rules for the verb says so.
        case ruled(Grant, admits: Bool)
        /// Root, the bus's own user, and the maker of a topic may administer it against all rules.
        case administrator(String)
    }

    /// The verb that was asked about.
    public let verb: AccessVerb
    /// The topic, or the pattern all of whose topics it is about.
    public let term: Selector.Term
    /// The caller that asked.
    public let caller: Caller
    let reason: Reason

    init(_ verb: AccessVerb, _ term: Selector.Term, _ caller: Caller, _ reason: Reason) {
        self.verb = verb
        self.term = term
        self.caller = caller
        self.reason = reason
    }

    /// The same for another verb, which takes the right to this one.
    func asked(to verb: AccessVerb) -> AccessDecision {
        AccessDecision(verb, term, caller, reason)
    }

    /// Whether the caller may.
    public var isAllowed: Bool {
        switch reason {
        case .noRule: verb != .administer
        case .ruled(_, let admits): admits
        case .administrator: true
        }
    }

    /// Whether a caller without a token would do well to show one.
    public var wantsToken: Bool {
        guard caller.token == nil, case .ruled(let grant, admits: false) = reason else {
            return false
        }
        return grant.namesTokens
    }

    /// The selector whose rules decided; nil where none is about it.
    public var selector: TopicPattern? {
        if case .ruled(let grant, _) = reason { grant.selector } else { nil }
    }

    /// The rules that decided, of those that allow it the first one alone.
    public var rules: [AccessRule] {
        guard case .ruled(let grant, let admits) = reason else { return [] }
        return admits ? grant.rule(for: caller).map { [$0] } ?? [] : grant.rules
    }

    /// The decision in words, for the person who wrote the rules: it names them.
    public var description: String {
        let what = "\(caller) \(isAllowed ? "may" : "may not") \(verb.rawValue) '\(term)'"
        let why =
            switch reason {
            case .noRule where verb == .administer:
                "no rule says who may; root, the bus's own user and the user who made the topic "
                    + "may"
            case .noRule: "no rule says who may, so everybody may"
            case .administrator(let who): "\(who) may, whatever the rules say"
            case .ruled(let grant, _):
                (isAllowed ? "the rule is" : "it is not named where \(grant.selector) decides")
                    + rules.map { "\n    \($0)" }.joined()
            }
        return "\(isAllowed ? "allowed" : "denied"): \(what): \(why)"
    }
}
