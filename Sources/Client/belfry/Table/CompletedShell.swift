internal import About

/// The scripts by which shells complete the command; made of the table.
extension CompletedShell {
    /// The script that the shell reads.
    var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }

    /// Shell code that prints the topics or groups that there are, one a line. Without a bus it
    /// ends soon and prints nothing.
    ///
    /// Only plain names are printed. Bash expands words that it offers: a name such as `$(reboot)`,
    /// of a program that is no bus, would run.
    ///
    /// - Parameter list: The command, or the variable that the shell puts in its place.
    static func names(_ list: String) -> String {
        "belfry \(list) --patience 1s 2>/dev/null "
            + "| LC_ALL=C sed '1d; s/ .*//; /[^A-Za-z0-9_.-]/d'"
    }

    /// The first words of all commands, each once, in the order of the table.
    static var firstWords: [String] {
        (CommandTable.all.map(\.words[0]) + ["help"]).reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// The second words behind a first one; none where that is the whole name of a command.
    static func secondWords(behind first: String) -> [String] {
        CommandTable.all.map(\.words).filter { $0.count == 2 && $0[0] == first }.map { $0[1] }
    }
}

extension CommandRow {
    /// The words of its name.
    var words: [String] { name.split(separator: " ").map { String($0) } }

    /// Whether a program stands behind `--`, or may.
    var mayHaveProgram: Bool { takesProgram || needsProgram }

    /// Whether its operand is the path of a file.
    var takesFile: Bool { operands == "FILE" }

    /// The command that lists the names for its operands, or for the beginning of them; nil if none
    /// does.
    var listedBy: String? {
        if operands.hasPrefix("GROUP") { return "groups" }
        return ["TOPIC", "SELECTOR", "PATTERN"].contains { operands.contains($0) } ? "topics" : nil
    }
}

extension CommandOption {
    /// Whether its value is the path of a file.
    var takesFile: Bool { value == "FILE" }
}
