internal import About

/// The script by which zsh completes the command: a call of its `_arguments` for each row of the
/// table.
enum ZshCompletion {
    static var script: String {
        """
        #compdef belfry
        # zsh completion of belfry, as `belfry --completion zsh` prints it.

        _belfry_topics() { _belfry_names topics }
        _belfry_groups() { _belfry_names groups }
        _belfry_names() {
            local -a names
            names=(${(f)"$(\(CompletedShell.names("$1")))"})
            compadd -a names
        }

        # Behind `--` stands a program, which completes as it would by itself.
        _belfry_program() {
            local index=${words[(i)--]}
            ((index < CURRENT)) || return 1
            shift $index words
            ((CURRENT -= index))
            _normal
        }

        _belfry() {
            local -a commands
            if ((CURRENT == 2)); then
                commands=(
        \(CompletedShell.firstWords.map(described).joined(separator: "\n"))
                )
                _describe -t commands command commands
                return
            fi
            case "$words[2] $words[3]" in
        \(CommandTable.all.filter { $0.words.count == 2 }.map(arm).joined(separator: "\n"))
            esac
            case $words[2] in
        \(CommandTable.all.filter { $0.words.count == 1 }.map(arm).joined(separator: "\n"))
        \(groups.joined(separator: "\n"))
                help) compadd -- \(CompletedShell.firstWords.dropLast().joined(separator: " ")) ;;
            esac
        }

        _belfry "$@"

        """
    }

    private static func described(_ first: String) -> String {
        let command = CommandTable.all.first { $0.name == first }
        let seconds = CompletedShell.secondWords(behind: first).joined(separator: ", ")
        let text = command?.summary ?? (seconds.isEmpty ? "say what a command takes" : seconds)
        return "            \(CompletedShell.zsh.quoted("\(first):\(text)"))"
    }

    /// The options and operands of one command; the words of its name are shifted away first.
    private static func arm(_ command: CommandRow) -> String {
        let shifts = command.words.count
        let options = command.allOptions.map(option)
        let files = command.takesFile ? ["'1:FILE:_files'"] : []
        let operands = command.listedBy.map { ["'*:\($0):_belfry_\($0)'"] } ?? files
        let program = command.mayHaveProgram ? "_belfry_program && return\n            " : ""
        let pattern = shifts == 2 ? "\"\(command.name)\"" : command.name
        let lines = (options + operands).map { "                    \($0)" }
        return """
                    \(pattern))
                        \(program)shift \(shifts) words
                        ((CURRENT -= \(shifts)))
                        _arguments \\
            \(lines.joined(separator: " \\\n"))
                        return
                        ;;
            """
    }

    private static func option(_ option: CommandOption) -> String {
        let text = CompletedShell.argument(option.summary)
        let action = option.takesFile ? "_files" : " "
        let value = option.value.map { ":\($0):\(action)" } ?? ""
        return CompletedShell.zsh.quoted("\(option.name)[\(text)]\(value)")
    }

    private static var groups: [String] {
        CompletedShell.firstWords.compactMap { first in
            let second = CompletedShell.secondWords(behind: first)
            guard !second.isEmpty, !CommandTable.all.contains(where: { $0.name == first }) else {
                return nil
            }
            return
                "        \(first)) ((CURRENT == 3)) && compadd -- \(second.joined(separator: " ")) ;;"
        }
    }
}
