internal import Topics

/// The grants for one verb, found by the topics that they are about.
///
/// The most specific selector wins: of two that match a name, the one that has a name where the
/// other has a wildcard, or `*` where the other has `>`, in the first segment in which they differ.
/// So a name beats every pattern, and no two selectors are equally near.
///
/// - Complexity: Finding takes O(segments of the name), and with rules that begin alike and differ
///   by wildcards O(beginnings of selectors that the name has).
struct GrantTree: Sendable {
    private struct Node {
        var children: [Substring: Int] = [:]
        /// The grant of the selector that ends here.
        var grant: Int?
    }

    /// All grants, the most specific first.
    let grants: [Grant]
    private var nodes = [Node()]
    /// Segments of the longest selector.
    private let depth: Int

    /// The tree of the rules about one verb.
    init(_ rules: [AccessRule], _ verb: AccessVerb) {
        var bySelector: [TopicPattern: [AccessRule]] = [:]
        for rule in rules where rule.verbs.contains(verb) {
            bySelector[rule.selector, default: []].append(rule)
        }
        grants = bySelector.map { Grant($0, $1) }.sorted {
            Self.isMoreSpecific($0.selector, $1.selector)
        }
        depth = grants.reduce(0) { max($0, $1.segments.count) }
        for (index, grant) in grants.enumerated() {
            var node = 0
            for segment in grant.segments {
                node = child(of: node, segment)
            }
            nodes[node].grant = index
        }
    }

    /// Whether there is no rule at all.
    var isEmpty: Bool { grants.isEmpty }

    /// The number of the grant that decides about a topic; nil if no selector matches it.
    func index(for topic: TopicName) -> Int? {
        guard !isEmpty else { return nil }
        return find(topic.text.segments[...], below: 0, withWildcards: !topic.isReserved)
    }

    /// The grant that decides about a topic; nil if no selector matches it.
    func grant(for topic: TopicName) -> Grant? { index(for: topic).map { grants[$0] } }

    /// The grant that decides about the topics of a selector that no more specific one is about; nil
    /// if there is none.
    func grant(about selector: String) -> Grant? {
        find(selector.segments[...], below: 0, withWildcards: true).map { grants[$0] }
    }

    /// Whether some selector matches every topic that a text of a topic or pattern matches.
    func covers(_ selector: Substring) -> Bool {
        find(selector.segments[...], below: 0, withWildcards: true) != nil
    }

    /// The reason that decides about all topics of a pattern: the first one found against the
    /// caller for one of them, else the one for most of them.
    ///
    /// There is no end of names, so one topic whose segments no rule names stands for all that only
    /// wildcards match. Such topics are tried for the pattern, and for its part in each selector
    /// that does not admit the caller, in every length that rules tell apart.
    ///
    /// - Parameters:
    ///   - verdicts: Whether each grant admits the caller.
    ///   - isOpen: Whether a topic without a rule is everybody's.
    func reason(
        about pattern: TopicPattern, by verdicts: [Bool], isOpen: Bool
    ) -> AccessDecision.Reason {
        guard !isEmpty else { return .noRule }
        func reason(_ topic: [Substring]) -> (AccessDecision.Reason, isAllowed: Bool) {
            guard let index = find(topic[...], below: 0, withWildcards: true) else {
                return (.noRule, isOpen)
            }
            return (.ruled(grants[index], admits: verdicts[index]), verdicts[index])
        }
        let asked = pattern.segments
        let own = unnamedTopics(of: asked).map(reason)
        if let against = own.first(where: { !$0.isAllowed }) { return against.0 }
        for (grant, admits) in zip(grants, verdicts) where !admits {
            guard let part = Self.intersection(asked, grant.segments) else { continue }
            for topic in unnamedTopics(of: part) {
                let (against, isAllowed) = reason(topic)
                if !isAllowed { return against }
            }
        }
        return own[0].0
    }

    /// Topics of a pattern, with segments that no rule names where the pattern leaves them open.
    /// There is one of each length, up to one that is longer than every selector.
    private func unnamedTopics(of pattern: [Substring]) -> [[Substring]] {
        let fixed = pattern.map { $0 == "*" || $0 == ">" ? Self.unnamed : $0 }
        guard pattern.last == ">" else { return [fixed] }
        return (0...max(0, depth + 1 - fixed.count)).map { more in
            fixed + Array(repeating: Self.unnamed, count: more)
        }
    }

    /// A segment that no rule can name.
    private static let unnamed: Substring = "\0"

    /// The pattern of the topics that both match; nil if there are none.
    private static func intersection(
        _ left: [Substring], _ right: [Substring]
    ) -> [Substring]? {
        var both: [Substring] = []
        for index in 0..<max(left.count, right.count) {
            guard index < left.count, index < right.count else { return nil }
            let (own, other) = (left[index], right[index])
            if own == ">" { return isOpen(right, from: index) ? both + right[index...] : nil }
            if other == ">" { return isOpen(left, from: index) ? both + left[index...] : nil }
            guard own == other || own == "*" || other == "*" else { return nil }
            let segment = own == "*" ? other : own
            guard index > 0 || own == other || !segment.hasPrefix("$") else { return nil }
            both.append(segment)
        }
        return both
    }

    /// Whether a wildcard may stand for these segments: none does for the bus's own topics.
    private static func isOpen(_ segments: [Substring], from index: Int) -> Bool {
        index > 0 || !segments[0].hasPrefix("$")
    }

    private func find(
        _ segments: ArraySlice<Substring>, below node: Int, withWildcards: Bool
    ) -> Int? {
        guard let segment = segments.first else { return nodes[node].grant }
        let rest = segments.dropFirst()
        let children = nodes[node].children
        if let child = children[segment],
            let found = find(rest, below: child, withWildcards: withWildcards)
        {
            return found
        }
        guard withWildcards else { return nil }
        if let child = children["*"], let found = find(rest, below: child, withWildcards: true) {
            return found
        }
        return children[">"].flatMap { nodes[$0].grant }
    }

    private mutating func child(of node: Int, _ segment: Substring) -> Int {
        if let child = nodes[node].children[segment] { return child }
        nodes.append(Node())
        nodes[node].children[segment] = nodes.count - 1
        return nodes.count - 1
    }

    /// The order of selectors: by the first segment in which they differ, `>` last.
    static func isMoreSpecific(_ left: TopicPattern, _ right: TopicPattern) -> Bool {
        for (left, right) in zip(left.segments, right.segments) where left != right {
            let ranks = (rank(left), rank(right))
            return ranks.0 == ranks.1 ? left < right : ranks.0 < ranks.1
        }
        return left.text.utf8.count < right.text.utf8.count
    }

    private static func rank(_ segment: Substring) -> Int {
        switch segment {
        case "*": 1
        case ">": 2
        default: 0
        }
    }
}

extension TopicPattern {
    /// The segments between its dots.
    var segments: [Substring] { text.segments }
}

extension StringProtocol {
    /// The segments between the dots of a name or pattern, found by bytes: to look for characters
    /// costs several times as much.
    fileprivate var segments: [Substring] {
        utf8.split(separator: UInt8(ascii: ".")).map { Substring(decoding: $0, as: UTF8.self) }
    }
}
