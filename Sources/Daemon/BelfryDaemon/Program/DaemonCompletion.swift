internal import About

/// The scripts by which shells complete belfryd; made of the table of its options.
enum DaemonCompletion {
    /// The script for the shell of this name.
    static func script(for name: String) throws(ConfigurationProblems) -> String {
        guard let shell = CompletedShell(rawValue: name) else {
            let names = CompletedShell.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationProblems(.option("--completion"), "`\(name)` is none of: \(names)")
        }
        let head = "# \(shell) completion of belfryd, as `belfryd --completion \(shell)` prints it."
        return switch shell {
        case .bash: bash(head)
        case .zsh: zsh(head)
        case .fish: fish(head)
        }
    }

    private static func bash(_ head: String) -> String {
        let files = Option.all.filter(\.takesFile).map(\.name).joined(separator: " | ")
        let arms = Option.all.filter { $0.value != nil && !$0.takesFile }.map { option in
            "        \(option.name)) found='\(option.choices().joined(separator: " "))' ;;"
        }
        let names = Option.all.map(\.name).joined(separator: " ")
        return """
            \(head)

            _belfryd() {
                local found='\(names)'
                COMPREPLY=()
                case $3 in
                    \(files))
                        mapfile -t COMPREPLY < <(compgen -f -- "$2")
                        return
                        ;;
            \(arms.joined(separator: "\n"))
                esac
                mapfile -t COMPREPLY < <(compgen -W "$found" -- "$2")
            }

            complete -o filenames -F _belfryd belfryd

            """
    }

    private static func zsh(_ head: String) -> String {
        let options = Option.all.map { option in
            let value = option.value.map { value in
                let choices = option.choices().joined(separator: " ")
                let action = option.takesFile ? "_files" : choices.isEmpty ? " " : "(\(choices))"
                return ":\(CompletedShell.argument(value)):\(action)"
            }
            let text = CompletedShell.argument(option.purpose)
            return "    "
                + CompletedShell.zsh.quoted("\(option.name)[\(text)]\(value ?? "")")
        }
        return """
            #compdef belfryd
            \(head)

            _arguments \\
            \(options.joined(separator: " \\\n"))

            """
    }

    private static func fish(_ head: String) -> String {
        let options = Option.all.map { option in
            var words = ["complete -c belfryd -l \(option.name.dropFirst(2))"]
            if let short = option.short { words.append("-s \(short.dropFirst())") }
            if option.value != nil { words.append(option.takesFile ? "-r -F" : "-x") }
            let choices = option.choices().joined(separator: " ")
            if !choices.isEmpty { words.append("-a \(CompletedShell.fish.quoted(choices))") }
            words.append("-d \(CompletedShell.fish.quoted(option.purpose))")
            return words.joined(separator: " ")
        }
        return """
            \(head)

            complete -c belfryd -f
            \(options.joined(separator: "\n"))

            """
    }
}
