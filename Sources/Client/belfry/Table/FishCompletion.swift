internal import About

/// The script by which fish completes the command: a `complete` for each command and each of its
/// options.
enum FishCompletion {
    static var script: String {
        let first = CompletedShell.firstWords.map { word in
            let text = CommandTable.all.first { $0.name == word }?.summary ?? "more commands"
            return "complete -c belfry -n 'test (count (commandline -opc)) = 1' -a \(word) -d "
                + CompletedShell.fish.quoted(text)
        }
        let second = CompletedShell.firstWords.flatMap { first in
            CompletedShell.secondWords(behind: first).map { second in
                let text = CommandTable.all.first { $0.name == "\(first) \(second)" }!.summary
                return "complete -c belfry -n '__belfry_is \(first); and test (count "
                    + "(commandline -opc)) = 2' -a \(second) -d \(CompletedShell.fish.quoted(text))"
            }
        }
        let lines = ["complete -c belfry -f"] + first + second + CommandTable.all.flatMap(lines)
        return """
            # fish completion of belfry, as `belfry --completion fish` prints it.

            # Whether the command line begins with these words.
            function __belfry_is
                set -l words (commandline -opc)
                test (count $words) -gt (count $argv); or return
                test "$words[2..(math (count $argv) + 1)]" = "$argv"
            end

            function __belfry_names
                \(CompletedShell.names("$argv"))
            end

            \(lines.joined(separator: "\n"))

            """
    }

    private static func lines(of command: CommandRow) -> [String] {
        let head = "complete -c belfry -n '__belfry_is \(command.name)'"
        let options = command.allOptions.map { option in
            let name =
                option.name.hasPrefix("--")
                ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
            let value = option.value == nil ? "" : option.takesFile ? " -r -F" : " -x"
            return "\(head) \(name)\(value) -d \(CompletedShell.fish.quoted(option.summary))"
        }
        let files = command.takesFile ? ["\(head) -F"] : []
        return options
            + (command.listedBy.map { ["\(head) -a '(__belfry_names \($0))'"] } ?? files)
    }
}
