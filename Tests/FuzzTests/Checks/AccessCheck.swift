import Topics

@testable import Access

extension ParserCheck {
    /// A rule means the same when it is written again, and all of them decide as their sentence
    /// has it: the most specific selector alone.
    ///
    /// Input: a question `CALLER VERB TOPIC`, then rules, one a line.
    static let access = ParserCheck("access", bytesMax: 400) { input in
        let lines = input.parts(12).map(\.text)
        let rules = lines.dropFirst().compactMap { try? AccessRule($0, users: FewUsers()) }
        for rule in rules {
            try agree(try AccessRule(rule.description, users: FewUsers()), rule, "rule read again")
            try hold(rule.subjects.count <= AccessLimits.subjectsMax, "too many subjects")
            try hold(!rule.verbs.isEmpty && !rule.subjects.isEmpty, "a rule about nothing")
        }
        guard let question = try? AccessQuestion(lines[0], users: FewUsers()) else { return }
        let policy = AccessPolicy(rules: AccessRules(rules), administrator: 42)
        let answer = question.answer(of: policy)
        guard case .name(let topic) = answer.term else {
            return try hold(false, "a question about a pattern")
        }
        let deciding = mostSpecific(
            rules.filter { $0.verbs.contains(answer.verb) && $0.selector.matches(topic) })
        let isNamed = deciding.contains { $0.subjects.contains { $0.isAbout(answer.caller) } }
        let isRuled = deciding.isEmpty ? answer.verb != .administer : isNamed
        let mayAlways =
            answer.verb == .administer && (answer.caller.uid == 0 || answer.caller.uid == 42)
        let mayReceive =
            answer.verb != .work || policy.subscribe(topic, answer.caller).isAllowed
        try agree(answer.isAllowed, (isRuled || mayAlways) && mayReceive, "what is allowed")
        let isSeen =
            policy.rules.visibility(for: answer.caller).map { $0.shows(topic) } ?? true
        try agree(
            isSeen, policy.subscribe(topic, answer.caller).isAllowed, "seen, and received")
    }

    /// The rules of the selector that nothing else comes before.
    private static func mostSpecific(_ rules: [AccessRule]) -> [AccessRule] {
        let first = rules.min { isNearer($0.selector, $1.selector) }
        return rules.filter { $0.selector == first?.selector }
    }

    /// Whether one of two patterns that match the same name comes first.
    private static func isNearer(_ one: TopicPattern, _ other: TopicPattern) -> Bool {
        let ranks = ["*": 1, ">": 2]
        let segments = zip(one.text.split(separator: "."), other.text.split(separator: "."))
        guard let (left, right) = segments.first(where: { $0 != $1 }) else { return false }
        return ranks[String(left)] ?? 0 < ranks[String(right)] ?? 0
    }
}

/// Two users and a group.
private struct FewUsers: UserDatabase {
    func uid(ofUser name: String) -> UInt32? { ["root": 0, "ci": 1000][name] }
    func gid(ofGroup name: String) -> UInt32? { ["ops": 27][name] }
    func groups(of uid: UInt32) -> [UInt32] { uid == 1000 ? [1000, 27] : [uid] }
}
