/// Why a text is not a topic name, a pattern or a selector.
public struct NameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for people: the fault, the byte where it is, and the correct form.
    public let detail: String

    /// An error that says `detail`.
    package init(detail: String) {
        self.detail = detail
    }

    /// The same sentence.
    public var description: String { detail }
}
