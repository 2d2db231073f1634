internal import About

/// One run of the program.
struct CommandRun {
    let arguments: ArraySlice<String>

    func run() async -> CommandExit {
        do throws(CommandFailure) {
            try await perform()
            try Output.standard.flush()
            return .done
        } catch {
            try? Output.standard.flush()
            if let sentence = error.sentence { Output.say(sentence) }
            return error.code
        }
    }

    private func perform() async throws(CommandFailure) {
        if let text = try ownText() { return Output.standard.write(text) }
        let (command, rest) = try CommandTable.find(arguments)
        let arguments = try Arguments(rest, of: command)
        if arguments.has("--help") { return Output.standard.write(CommandHelp.text(of: command)) }
        if arguments.has("--raw") { Output.standard.beRaw() }
        try await command.run(arguments, Session(arguments))
    }

    /// The text for a question about the program itself, such as `--help`; nil for a command.
    private func ownText() throws(CommandFailure) -> String? {
        let topic = arguments.dropFirst().joined(separator: " ")
        switch arguments.first {
        case nil, "--help", "-h": return CommandHelp.all
        case "help" where topic.isEmpty: return CommandHelp.all
        case "help":
            return CommandHelp.text(of: try CommandTable.find(arguments.dropFirst()).command)
        case "--version": return "belfry \(Version.number)\n"
        case "--man":
            if topic.isEmpty { return CommandManual.pages.map { "\($0.file)\n" }.joined() }
            guard let page = CommandManual.pages.first(where: { $0.file == topic }) else {
                throw CommandFailure(.usage, "there is no page '\(topic)': see 'belfry --man'")
            }
            return page.text
        case "--completion":
            guard let shell = CompletedShell(rawValue: topic) else {
                let known = CompletedShell.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "'--completion \(topic)' is for none of: \(known)")
            }
            return shell.script
        default: return nil
        }
    }
}

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
