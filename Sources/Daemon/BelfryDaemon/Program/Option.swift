internal import About
internal import Telemetry

/// One option of the command line.
///
/// `all` is the one table that the parser, `--help`, the manual and the shells go by.
public struct Option: Sendable {
    /// The option with its dashes.
    public let name: String
    /// A second name of one letter, or nil.
    public let short: String?
    /// The name of its value in the help, or nil for an option without a value.
    public let value: String?
    /// Its effect.
    public let purpose: String

    /// The words of which the value is one; none if it is a text of its own.
    let choices: @Sendable () -> [String]

    let apply: @Sendable (inout CommandLineOptions, String) -> Void

    /// Whether its value is the path of a file.
    var takesFile: Bool { value == "FILE" }

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
        Option(
            "--store", value: "memory|sqlite:PATH",
            purpose: """
                where accepted events live; sqlite alone is the file belfry.db in the state directory
                """
        ) { $0.store = $1 },
        Option(
            "--check-config",
            purpose: """
                check the configuration: print OK and the access rules in the order in which \
                they win, or its mistakes, and exit
                """
        ) { options, _ in options.action = .checkConfig },
        Option(
            "--print-config",
            purpose: "print the effective configuration, in the form of its file, and exit"
        ) { options, _ in options.action = .printConfig },
        Option(
            "--explain-access", value: "CALLER VERB TOPIC",
            purpose: """
                print whether the configuration allows it and which rule decides, as in uid:1000 \
                publish deploys.web, and exit
                """
        ) { $0.action = .explainAccess($1) },
        Option(
            "--make-token", value: "NAME",
            purpose: "print a new token, and its line for the file of access.tokens, and exit"
        ) { $0.action = .makeToken($1) },
        Option(
            "--check-store",
            purpose: """
                check the configured store: print OK or its damage, and exit; stop the daemon that \
                uses it first
                """
        ) { options, _ in options.action = .checkStore },
        Option(
            "--backup", value: "FILE",
            purpose: "copy the configured store into a new file, while it is used or not, and exit"
        ) { $0.action = .backUp($1) },
        Option(
            "--restore", value: "FILE",
            purpose: """
                put a backup in the place of the configured store, with its owner, and exit; refused \
                while a daemon uses the store
                """
        ) { $0.action = .restore($1) },
        Option(
            "--log-level", value: "LEVEL", choices: { LogLevel.allCases.map(\.name) },
            purpose: "error, warning, notice, info or debug; `ready` is a notice"
        ) { $0.logLevel = $1 },
        Option(
            "--man", value: "PAGE", choices: { DaemonManual.pages.map(\.name) },
            purpose: "print a page of the manual, belfryd or belfryd.conf, for man -l -, and exit"
        ) { $0.action = .manualPage($1) },
        Option(
            "--completion", value: "SHELL",
            choices: { CompletedShell.allCases.map(\.rawValue) },
            purpose: "print what makes bash, zsh or fish complete these options, and exit"
        ) { $0.action = .completion($1) },
        Option("--version", purpose: "print the version and exit") { options, _ in
            options.action = .version
        },
        Option("--help", short: "-h", purpose: "print this and exit") { options, _ in
            options.action = .help
        },
    ]

    private init(
        _ name: String, short: String? = nil, value: String? = nil,
        choices: @escaping @Sendable () -> [String] = { [] }, purpose: String,
        apply: @escaping @Sendable (inout CommandLineOptions, String) -> Void
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.choices = choices
        self.purpose = purpose
        self.apply = apply
    }
}
