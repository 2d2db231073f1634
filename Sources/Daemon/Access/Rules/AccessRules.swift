public import Topics

/// The rights of callers, compiled from rules. Never changes, so that any thread may ask.
///
/// About one topic and one verb the most specific selector that has a rule for the verb decides
/// alone. If none has, everybody may publish and subscribe, callers that may subscribe may work,
/// and only the callers that `AccessPolicy` names may administer.
public struct AccessRules: Equatable, Sendable {
    /// The compiled form of the rules; an object, so that every request pays for one reference.
    private final class Compiled: Sendable {
        let rules: [AccessRule]
        let needGroups: Bool
        let publish: GrantTree
        let subscribe: GrantTree
        let work: GrantTree
        let administer: GrantTree
        /// Tells the selectors about subscribing from those of other rules.
        let subscribeMark: UInt64

        init(_ rules: [AccessRule]) {
            self.rules = rules
            needGroups = rules.contains { $0.subjects.contains(where: \.isGroup) }
            publish = GrantTree(rules, .publish)
            subscribe = GrantTree(rules, .subscribe)
            work = GrantTree(rules, .work)
            administer = GrantTree(rules, .administer)
            subscribeMark = UInt64(
                truncatingIfNeeded: subscribe.grants.map(\.selector).hashValue)
        }
    }

    private let compiled: Compiled

    /// These rules.
    public init(_ rules: [AccessRule] = []) {
        compiled = Compiled(rules)
    }

    /// The rules, in the order they were written.
    public var rules: [AccessRule] { compiled.rules }

    /// Whether there is none: everybody may publish and subscribe then.
    public var isEmpty: Bool { compiled.rules.isEmpty }

    /// Whether both say the same.
    public static func == (left: AccessRules, right: AccessRules) -> Bool {
        left.compiled === right.compiled || left.rules == right.rules
    }

    /// Whether it takes the groups of callers to decide.
    public var needGroups: Bool { compiled.needGroups }

    /// The tokens that rules name, each once, sorted.
    public var tokenNames: [String] {
        let names = rules.flatMap(\.subjects).compactMap { subject in
            if case .token(let name) = subject { name } else { nil }
        }
        return Set(names).sorted()
    }

    /// Whether a caller may do something with a topic, as far as rules say.
    ///
    /// - Complexity: O(segments of the topic + groups of the caller).
    public func decide(
        _ verb: AccessVerb, _ topic: TopicName, for caller: Caller
    ) -> AccessDecision {
        guard let grant = tree(verb).grant(for: topic) else {
            return AccessDecision(verb, .name(topic), caller, .noRule)
        }
        return AccessDecision(
            verb, .name(topic), caller, .ruled(grant, admits: grant.admits(caller)))
    }

    /// Whether a caller may do something with every topic of a selector, those included that are yet
    /// to come; where it may not, the decision is about the first term that is not wholly its.
    ///
    /// - Complexity: O(segments + groups of the caller) for each name; for each pattern O(rules about
    ///   the verb), and a search for each of these that names others.
    public func decide(
        _ verb: AccessVerb, all selector: Selector, for caller: Caller
    ) -> AccessDecision {
        let tree = tree(verb)
        let verdicts = selector.singleName == nil ? tree.grants.map { $0.admits(caller) } : []
        var first: AccessDecision?
        for term in selector.terms {
            let decision =
                switch term {
                case .name(let topic): decide(verb, topic, for: caller)
                case .pattern(let pattern):
                    AccessDecision(
                        verb, term, caller,
                        tree.reason(about: pattern, by: verdicts, isOpen: verb != .administer))
                }
            guard decision.isAllowed else { return decision }
            first = first ?? decision
        }
        guard let first else { preconditionFailure("a selector has a term") }
        return first
    }

    /// The topics that a caller may know of with a selector that is not one name; nil for all.
    ///
    /// - Complexity: O(rules about subscribing).
    package func visibility(for caller: Caller) -> TopicVisibility? {
        let tree = compiled.subscribe
        let verdicts = tree.grants.map { $0.admits(caller) }
        guard verdicts.contains(false) else { return nil }
        var identity = [compiled.subscribeMark]
        for (index, verdict) in verdicts.enumerated() {
            if index % 64 == 0 { identity.append(0) }
            if verdict { identity[identity.count - 1] |= 1 << UInt64(index % 64) }
        }
        return TopicVisibility(identity) { topic in
            tree.index(for: topic).map { verdicts[$0] } ?? true
        }
    }

    /// The rules in words: one line for each selector of a rule, those that win first, and one for
    /// all other topics. Empty without rules.
    public var table: [String] {
        let selectors = Set(rules.map(\.selector)).sorted(by: GrantTree.isMoreSpecific)
        guard !selectors.isEmpty else { return [] }
        let rest = selectors.contains { $0.text == ">" } ? [] : ["any other topic"]
        return (selectors.map(\.text) + rest).map { selector in
            let who = AccessVerb.allCases.map { "\($0.word) \(subjects(of: $0, about: selector))" }
            return "\(selector): " + who.joined(separator: "; ")
        }
    }

    /// Those who may do something with the topics of a selector, in words.
    private func subjects(of verb: AccessVerb, about selector: String) -> String {
        let grant = tree(verb).grant(about: selector)
        let named = grant.map { grant in
            grant.rules.flatMap(\.subjects).reduce(into: [String]()) { named, subject in
                if !named.contains(subject.description) { named.append(subject.description) }
            }
        }
        return
            ((named ?? [])
            + (verb == .administer ? ["its maker"] : named == nil ? [verb.others] : []))
            .joined(separator: " ")
    }

    /// Warnings about topics that the rules leave open, and that were most likely meant to be
    /// closed: `x.>` matches all below `x` and not `x` itself, which anybody may use if no rule is
    /// about it.
    public var warnings: [String] {
        [AccessVerb.publish, .subscribe].flatMap { verb in
            tree(verb).grants.compactMap { grant in
                guard grant.selector.text.hasSuffix(".>"), !grant.isForAnyone else { return nil }
                let above = grant.selector.text.dropLast(2)
                guard !tree(verb).covers(above) else { return nil }
                let subjects = grant.rules[0].subjects.map(\.description).joined(separator: " ")
                return "access.rule: \(grant.selector) does not match \(above) itself, where "
                    + "anybody may \(verb): add `rule = \(above) \(verb) \(subjects)`"
            }
        }
    }

    private func tree(_ verb: AccessVerb) -> GrantTree {
        switch verb {
        case .publish: compiled.publish
        case .subscribe: compiled.subscribe
        case .work: compiled.work
        case .administer: compiled.administer
        }
    }
}

extension AccessVerb {
    /// Its name in a sentence.
    fileprivate var word: String { self == .subscribe ? "receive" : rawValue }

    /// The callers that may if no rule is about it.
    fileprivate var others: String { self == .work ? "whoever may receive" : "everybody" }
}
