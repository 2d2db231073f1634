/// The terms of a selector that is more than one name, with the topics that its reader may know of.
///
/// A class, so that selectors stay small, and copies of one selector are known by it.
final class TermList: Hashable, Sendable {
    let terms: [Selector.Term]
    /// The terms once more where all are names; nil where one is a pattern.
    let names: Set<TopicName>?
    /// The topics that the reader may know of; nil for all.
    let visibility: TopicVisibility?
    /// The memory that the terms take by themselves, in bytes.
    let keptBytes: Int
    /// The memory that they take in an index of selectors, in bytes, if none begins like another.
    let indexBytes: Int
    /// Computed once: a selector is looked up whenever its reader comes and goes.
    private let hash: Int

    convenience init(_ terms: [Selector.Term]) {
        var names: Set<TopicName>? = Set(minimumCapacity: terms.count)
        var (keptBytes, indexBytes) = (0, 0)
        for term in terms {
            let text: String
            switch term {
            case .name(let name):
                names?.insert(name)
                text = name.text
                keptBytes += Overhead.listedNameBytes
                indexBytes += Overhead.indexedNameBytes
            case .pattern(let pattern):
                names = nil
                text = pattern.text
                indexBytes += Overhead.indexedTermBytes
                indexBytes +=
                    (1 + text.utf8.count { $0 == UInt8(ascii: ".") }) * Overhead.indexedSegmentBytes
            }
            keptBytes += Overhead.termBytes + Overhead.ofText(text)
        }
        self.init(terms, names, nil, keptBytes: keptBytes, indexBytes: indexBytes)
    }

    private init(
        _ terms: [Selector.Term], _ names: Set<TopicName>?, _ visibility: TopicVisibility?,
        keptBytes: Int, indexBytes: Int
    ) {
        self.terms = terms
        self.names = names
        self.visibility = visibility
        (self.keptBytes, self.indexBytes) = (keptBytes, indexBytes)
        var hasher = Hasher()
        hasher.combine(terms)
        hasher.combine(visibility)
        hash = hasher.finalize()
    }

    /// The same terms, for a reader who may know of other topics.
    func limited(to visibility: TopicVisibility?) -> TermList {
        TermList(terms, names, visibility, keptBytes: keptBytes, indexBytes: indexBytes)
    }

    /// Whether one of the terms stands for `name`, and the reader may know of it.
    func matches(_ name: TopicName) -> Bool {
        (names?.contains(name) ?? terms.contains { $0.matches(name) })
            && visibility?.shows(name) != false
    }

    static func == (left: TermList, right: TermList) -> Bool {
        left === right
            || (left.hash == right.hash && left.terms == right.terms
                && left.visibility == right.visibility)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
