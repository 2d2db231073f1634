internal import Topics
internal import Wire

/// An option of a command, for the parser, the help and the completions of shells.
struct CommandOption: Sendable {
    /// Its name with the dashes, as in `--since`.
    let name: String
    /// The name of its value in the help; nil for an option without a value.
    let value: String?
    /// Its effect, in a few words.
    let summary: String
    /// Whether it may be given several times.
    let repeats: Bool

    init(_ name: String, _ value: String? = nil, _ summary: String, repeats: Bool = false) {
        self.name = name
        self.value = value
        self.summary = summary
        self.repeats = repeats
    }

    /// The option that names an attribute and its value.
    static func attribute(_ summary: String) -> CommandOption {
        CommandOption("--attribute", "NAME=VALUE", summary, repeats: true)
    }

    /// The option of one field of a filter.
    init(_ field: FilterField) {
        let row = WireFilter.row(field)
        self.init(Self.name(of: field), row.name.uppercased(), row.summary)
    }

    /// The name of that option.
    static func name(of field: FilterField) -> String { "--" + WireFilter.row(field).name }

    /// Whether a word of the command line is this option.
    func isNamed(_ word: String) -> Bool { word == name || name == "--help" && word == "-h" }

    /// Those that every command has.
    static let common = [
        CommandOption(
            "--url", "ADDRESS", "the bus: http://HOST:PORT or unix:PATH (also BELFRY_URL)"),
        CommandOption(
            "--token-file", "FILE", "the file with the token (also BELFRY_TOKEN, the token)"),
        CommandOption("--trust-anyone", nil, "send the token to whoever listens at the address"),
        CommandOption("--patience", "TIME", "how long to wait for a bus that is not there (60s)"),
        CommandOption(
            "--raw", nil, "bytes as they are: to a terminal, and to programs without a line end"),
        CommandOption("--help", nil, "say all this"),
    ]
}
