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

    /// The tree of what the rules say about one verb.
    init(_ rules: [AccessRule], _ verb: AccessVerb) {
        var bySelector: [TopicPattern: [AccessRule]] = [:]
        for rule in rules where rule.verbs.contains(verb) {
            bySelector[rule.selector, default: []].append(rule)
        }
        grants = bySelector.map { Grant($0, $1) }.sorted {
            Self.isMoreSpecific($0.selector, $1.selector)
        }
        for (index, grant) in grants.enumerated() {
            var node = 0
            for segment in grant.selector.text.split(separator: ".") {
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
        return find(
            topic.text.split(separator: ".")[...], below: 0, withWildcards: !topic.isReserved)
    }

    /// The grant that decides about a topic; nil if no selector matches it.
    func grant(for topic: TopicName) -> Grant? { index(for: topic).map { grants[$0] } }

    /// Whether some selector matches every topic that a text of a topic or pattern matches.
    func covers(_ selector: Substring) -> Bool {
        find(selector.split(separator: ".")[...], below: 0, withWildcards: true) != nil
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
    private static func isMoreSpecific(_ left: TopicPattern, _ right: TopicPattern) -> Bool {
        let pairs = zip(left.text.split(separator: "."), right.text.split(separator: "."))
        for (left, right) in pairs where left != right {
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
