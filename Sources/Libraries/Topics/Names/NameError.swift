/// Why a text is not a topic name, a pattern or a selector.
public struct NameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, at which byte, and what to write instead; one sentence for a person.
    public let detail: String

    /// An error that says `detail`.
    package init(detail: String) {
        self.detail = detail
    }

    /// The same sentence.
    public var description: String { detail }
}
