/// Why a text is no rule, no subject or no file of tokens.
public struct AccessError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem and its remedy. It never repeats text that may be a secret.
    public let detail: String
    /// The line of a file that it is about, from 1; nil where there is none.
    public let line: Int?

    init(_ detail: String, line: Int? = nil) {
        self.detail = detail
        self.line = line
    }

    /// The detail.
    public var description: String { detail }
}
