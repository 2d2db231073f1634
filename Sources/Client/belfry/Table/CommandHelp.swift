/// The help of the program, made of the table.
enum CommandHelp {
    /// Every command in a line.
    static var all: String {
        let width = CommandTable.all.map(\.name.count).max() ?? 0
        let rows = CommandTable.all.map { "  \(padded($0.name, width))  \($0.summary)\n" }
        return "belfry: the command of the event bus on this machine\n\n" + rows.joined()
            + "\n'belfry help COMMAND' says more.\n"
    }

    /// One command with its options.
    static func text(of command: CommandRow) -> String {
        let heads = command.allOptions.map { option in
            option.name + (option.value.map { " " + $0 } ?? "")
        }
        let width = heads.map(\.count).max() ?? 0
        let rows = zip(heads, command.allOptions).map { "  \(padded($0, width))  \($1.summary)\n" }
        let examples = command.examples.map { "  \($0.line)\n      \($0.meaning)\n" }
        return "\(command.usage)\n\n\(command.summary)\n\n" + rows.joined() + "\n"
            + examples.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
