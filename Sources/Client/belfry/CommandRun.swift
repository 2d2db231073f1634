internal import Glibc

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
            if let sentence = error.sentence { Self.say(sentence) }
            return error.code
        }
    }

    private func perform() async throws(CommandFailure) {
        guard let first = arguments.first, first != "--help", first != "help" else {
            let topic = arguments.dropFirst().joined(separator: " ")
            guard arguments.first == "help", !topic.isEmpty else {
                return Output.standard.write(CommandHelp.all)
            }
            guard let command = CommandTable.all.first(where: { $0.name == topic }) else {
                throw CommandFailure(.usage, "there is no command '\(topic)': see 'belfry help'")
            }
            return Output.standard.write(CommandHelp.text(of: command))
        }
        let (command, rest) = try find()
        let arguments = try Arguments(rest, of: command)
        if arguments.has("--help") { return Output.standard.write(CommandHelp.text(of: command)) }
        try await command.run(arguments, Session(arguments))
    }

    /// The command, whose name is one word or two, and what stands behind it.
    private func find() throws(CommandFailure) -> (CommandRow, ArraySlice<String>) {
        for count in [2, 1] {
            let name = arguments.prefix(count).joined(separator: " ")
            if let command = CommandTable.all.first(where: { $0.name == name }) {
                return (command, arguments.dropFirst(count))
            }
        }
        throw CommandFailure(
            .usage, "there is no command '\(arguments.first ?? "")': see 'belfry help'")
    }

    /// Tells the user something, on standard error.
    static func say(_ sentence: String) {
        let bytes = Array("belfry: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
