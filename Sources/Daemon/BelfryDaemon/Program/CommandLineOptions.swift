/// The options of the command line.
public struct CommandLineOptions: Equatable, Sendable {
    /// The actions of the program.
    public enum Action: Equatable, Sendable {
        /// Serve until a signal ends it.
        case serve
        /// Say whether the configuration can be used.
        case checkConfig
        /// Print the effective configuration.
        case printConfig
        /// Say whether the configuration allows a caller something, and why.
        case explainAccess(String)
        /// Print a new token of this name.
        case makeToken(String)
        /// Say whether the store is whole.
        case checkStore
        /// Copy the store into this file.
        case backUp(String)
        /// Put this copy in the place of the store.
        case restore(String)
        /// Print this page of the manual.
        case manualPage(String)
        /// Print the script by which this shell completes the options.
        case completion(String)
        /// Print the version.
        case version
        /// Print how it is used.
        case help
    }

    /// The configuration file unless the command line names one.
    public static let configDefault = "/etc/belfry/belfryd.conf"

    /// The action; `serve` unless an option says otherwise.
    public var action = Action.serve
    /// The configuration file that was named.
    public var config: String?
    /// The addresses that replace the configured ones.
    public var listen: [String] = []
    /// The store that replaces the configured one.
    public var store: String?
    /// The log level that replaces the configured one.
    public var logLevel: String?

    /// Reads the arguments behind the program's name: `--option VALUE` or `--option=VALUE`.
    ///
    /// - Throws: the first argument that is no option or lacks its value.
    public init(_ arguments: some Sequence<String>) throws(ConfigurationProblems) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            guard let option = Option.all.first(where: { $0.name == name || $0.short == name })
            else {
                throw Self.problem(argument, "this is no option: see belfryd --help")
            }
            var value = parts.count > 1 ? String(parts[1]) : nil
            if let kind = option.value {
                value = value ?? rest.popFirst()
                // Words of one value may come as arguments of their own.
                while let words = value?.split(separator: " ").count, words > 0,
                    words < kind.split(separator: " ").count, let word = rest.popFirst()
                {
                    value! += " \(word)"
                }
                guard let value, !value.isEmpty else {
                    throw Self.problem(name, "it needs a value: \(name) \(kind)")
                }
                option.apply(&self, value)
            } else {
                guard value == nil else { throw Self.problem(name, "it takes no value") }
                option.apply(&self, "")
            }
        }
    }

    private static func problem(_ name: String, _ detail: String) -> ConfigurationProblems {
        ConfigurationProblems(.option(name), detail)
    }
}
