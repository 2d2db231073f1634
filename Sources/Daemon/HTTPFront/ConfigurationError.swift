/// Why an address, host name or origin of the configuration cannot be used.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// What was wrong and what to write instead.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    init(_ detail: String) {
        self.detail = detail
    }
}
