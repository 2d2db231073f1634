/// Why an address, host name, origin or path prefix of the configuration cannot be used.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// A sentence that names the mistake and the text to write instead.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    init(_ detail: String) {
        self.detail = detail
    }
}
