/// The topics that one subscription receives: names and patterns, joined by commas.
///
/// The set of topics behind a pattern is live: a topic that appears later belongs to it. A topic
/// that several terms match still counts once.
public struct Selector: Hashable, Sendable, CustomStringConvertible {
    /// One part of a selector.
    public enum Term: Hashable, Sendable, CustomStringConvertible {
        /// Exactly this topic.
        case name(TopicName)
        /// Every topic of this shape; it has at least one wildcard.
        case pattern(TopicPattern)

        /// Whether the term stands for `name`.
        public func matches(_ name: TopicName) -> Bool {
            switch self {
            case .name(let own): own == name
            case .pattern(let pattern): pattern.matches(name)
            }
        }

        /// The term as it was written.
        public var description: String {
            switch self {
            case .name(let name): name.text
            case .pattern(let pattern): pattern.text
            }
        }
    }

    private enum Storage: Hashable, Sendable {
        case one(TopicName)
        case many(TermList)
    }

    private let storage: Storage

    /// The selector that `text` spells; a term that is repeated counts once.
    ///
    /// - Throws: `NameError`, whose index counts from the start of `text`.
    /// - Complexity: O(length), with at most 128 terms.
    public init(_ text: some StringProtocol) throws(NameError) {
        var terms: [Term] = []
        var known: Set<Term> = []
        var offset = 0
        let comma = UInt8(ascii: ",")
        for part in text.utf8.split(separator: comma, omittingEmptySubsequences: false) {
            let pattern = try TopicPattern(
                text: String(decoding: part, as: UTF8.self), offset: offset)
            let term: Term =
                pattern.hasWildcard
                ? .pattern(pattern) : .name(try TopicName(text: pattern.text, offset: offset))
            // Most selectors are one term, and need no set.
            if terms.isEmpty || term != terms[0] && known.insert(term).inserted {
                terms.append(term)
            }
            guard terms.count <= Limits.selectorTermsMax else {
                throw NameError(
                    detail: "more than \(Limits.selectorTermsMax) names and patterns in one "
                        + "selector: use a pattern, or several subscriptions")
            }
            offset += part.count + 1
        }
        if terms.count == 1, case .name(let name) = terms[0] {
            storage = .one(name)
        } else {
            storage = .many(TermList(terms))
        }
    }

    /// Exactly the topic `name`.
    public init(_ name: TopicName) {
        storage = .one(name)
    }

    /// The topics that `pattern` stands for.
    public init(_ pattern: TopicPattern) {
        if !pattern.hasWildcard, let name = try? TopicName(pattern.text) {
            storage = .one(name)
        } else {
            storage = .many(TermList([.pattern(pattern)]))
        }
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }

    /// The same terms, for a reader who may know of these topics alone; nil for all.
    ///
    /// A selector of exactly one name stays as it is: whether that may be read is decided before.
    package func limited(to visibility: TopicVisibility?) -> Selector {
        switch storage {
        case .one: self
        case .many(let list): Self(.many(list.limited(to: visibility)))
        }
    }

    /// The topics that its reader may know of; nil for all.
    package var visibility: TopicVisibility? {
        if case .many(let list) = storage { list.visibility } else { nil }
    }

    /// The parts, in the order they were written.
    public var terms: [Term] {
        switch storage {
        case .one(let name): [.name(name)]
        case .many(let list): list.terms
        }
    }

    /// Whether it has the same parts as another selector, in any order.
    ///
    /// - Complexity: O(1) if both are one topic, else O(parts).
    package func hasTerms(of other: Selector) -> Bool {
        if case (.one(let own), .one(let others)) = (storage, other.storage) {
            return own == others
        }
        return Set(terms) == Set(other.terms)
    }

    /// How many parts it has.
    ///
    /// - Complexity: O(1).
    package var termCount: Int {
        if case .many(let list) = storage { list.terms.count } else { 1 }
    }

    /// The topics, if the selector is several names and no pattern.
    var names: Set<TopicName>? {
        if case .many(let list) = storage { list.names } else { nil }
    }

    /// The topic, if the selector is exactly one name; nil for a pattern or several terms.
    public var singleName: TopicName? {
        if case .one(let name) = storage { name } else { nil }
    }

    /// The most memory that it takes while a reader waits for it, in bytes. It is 0 for one name,
    /// which costs no more than the waiting reader.
    ///
    /// It is listed in the index of the bus and in that of a loop.
    package var waitingBytes: Int { keptBytes + 2 * indexBytes }

    /// The most memory that it takes in one index of selectors, in bytes; 0 for one name.
    package var indexBytes: Int {
        if case .many(let list) = storage { list.indexBytes } else { 0 }
    }

    /// The memory that it takes by itself, in the object that keeps it, in bytes; 0 for one name.
    package var keptBytes: Int {
        if case .many(let list) = storage { list.keptBytes } else { 0 }
    }

    /// Whether both are copies of one selector; equal ones that were made apart are not.
    ///
    /// - Complexity: O(1).
    package func isCopy(of other: Selector) -> Bool {
        switch (storage, other.storage) {
        case (.one(let own), .one(let other)): own.isCopy(of: other)
        case (.many(let own), .many(let other)): own === other
        default: false
        }
    }

    /// Whether the selector stands for `name`.
    ///
    /// - Complexity: O(terms × length of the name), without allocating. A limited selector also
    ///   takes the time of its visibility.
    public func matches(_ name: TopicName) -> Bool {
        switch storage {
        case .one(let own): own == name
        case .many(let list): list.matches(name)
        }
    }

    /// The terms joined by commas.
    public var description: String {
        terms.map(\.description).joined(separator: ",")
    }
}
