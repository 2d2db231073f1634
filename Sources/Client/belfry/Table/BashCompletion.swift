internal import About

/// The script for bash that completes the command: the table as a `case`, and one function.
enum BashCompletion {
    static var script: String {
        """
        # bash completion of belfry, as `belfry --completion bash` prints it.

        # Sets what the command of these words takes: its options, those of them with a value, those
        # with a file, what lists its operands (FILE: files), and whether a program follows.
        _belfry_command() {
            options= values= files= list= program=
            case "$1 $2" in
        \(CommandTable.all.map(arm).joined(separator: "\n"))
            esac
        }

        _belfry() {
            local word=$2 before=$3 index options values files list program found
            local first=${COMP_WORDS[1]} second=${COMP_WORDS[2]}
            COMPREPLY=()
            ((COMP_CWORD > 2)) || second=
            _belfry_command "$first" "$second"
            # Behind `--` stands a program with its arguments.
            if [ -n "$program" ]; then
                for ((index = 2; index < COMP_CWORD; index++)); do
                    [ "${COMP_WORDS[index]}" = -- ] || continue
                    if ((index + 1 == COMP_CWORD)); then
                        mapfile -t COMPREPLY < <(compgen -c -- "$word")
                    else
                        mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    fi
                    return
                done
            fi
            if ((COMP_CWORD == 1)); then
                found='\(CompletedShell.firstWords.joined(separator: " "))'
            elif [[ " $files " == *" $before "* ]]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                return
            elif [[ " $values " == *" $before "* ]]; then
                return
            elif [[ $word == -* ]]; then
                found=$options
            elif ((COMP_CWORD == 2)) && [ "$first" = help ]; then
                found='\(CompletedShell.firstWords.dropLast().joined(separator: " "))'
            elif ((COMP_CWORD == 2)) && [ -z "$options" ]; then
                case $first in
        \(groups.joined(separator: "\n"))
                esac
            elif [ "$list" = FILE ]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                return
            elif [ -n "$list" ]; then
                found=$(\(CompletedShell.names("\"$list\"")))
            fi
            mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
        }

        complete -o filenames -F _belfry belfry

        """
    }

    private static func arm(_ command: CommandRow) -> String {
        let options = command.allOptions
        let values = options.filter { $0.value != nil && !$0.takesFile }
        let list = command.listedBy ?? (command.takesFile ? "FILE" : "")
        let pattern = command.words.count == 2 ? "'\(command.name)'" : "'\(command.name) '*"
        return """
                \(pattern))
                    options='\(names(options))'
                    values='\(names(values))'
                    files='\(names(options.filter(\.takesFile)))'
                    list=\(list) program=\(command.mayHaveProgram ? "yes" : "")
                    ;;
            """
    }

    /// The words behind a first word that is no command by itself.
    private static var groups: [String] {
        CompletedShell.firstWords.compactMap { first in
            let second = CompletedShell.secondWords(behind: first)
            guard !second.isEmpty else { return nil }
            return "            \(first)) found='\(second.joined(separator: " "))' ;;"
        }
    }

    private static func names(_ options: [CommandOption]) -> String {
        options.map(\.name).joined(separator: " ")
    }
}
