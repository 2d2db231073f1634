/// One option of the command line.
///
/// `all` is the one table that the parser, `--help` and the tests go by.
public struct Option: Sendable {
    /// The option with its dashes.
    public let name: String
    /// What stands behind it, or nil for an option that takes nothing.
    public let value: String?
    /// What it does.
    public let purpose: String

    let apply: @Sendable (inout CommandLineOptions, String) -> Void

    /// Every option, in the order of `--help`.
    public static let all: [Option] = [
        Option(
            "--config", value: "FILE",
            purpose: """
                read this file instead of \(CommandLineOptions.configDefault), which is read if it \
                is there
                """
        ) { $0.config = $1 },
        Option(
            "--listen", value: "ADDRESS:PORT|unix:PATH",
            purpose: "listen here; may be repeated, and replaces all configured addresses"
        ) { $0.listen.append($1) },
        Option("--store", value: "memory", purpose: "where accepted events live") {
            $0.store = $1
        },
        Option(
            "--check-config", purpose: "say OK, or what is wrong with the configuration, and exit"
        ) { options, _ in options.action = .checkConfig },
        Option(
            "--print-config",
            purpose: "print the configuration that would be used, in the form of its file, and exit"
        ) { options, _ in options.action = .printConfig },
        Option(
            "--log-level", value: "LEVEL",
            purpose: "error, warning, notice, info or debug; `ready` is a notice"
        ) { $0.logLevel = $1 },
        Option("--version", purpose: "print the version and exit") { options, _ in
            options.action = .version
        },
        Option("--help", purpose: "print this and exit") { options, _ in options.action = .help },
    ]

    private init(
        _ name: String, value: String? = nil, purpose: String,
        apply: @escaping @Sendable (inout CommandLineOptions, String) -> Void
    ) {
        self.name = name
        self.value = value
        self.purpose = purpose
        self.apply = apply
    }
}
