/// A shell that completes the programs, by a script that each of them makes of its tables.
package enum CompletedShell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// A text as one word of the shell, with any characters in it.
    package func quoted(_ text: String) -> String {
        let escaped = text.map { sign in
            switch (self, sign) {
            // Within quotes of fish a backslash escapes; within those of the others nothing does.
            case (.fish, "'"), (.fish, "\\"): "\\\(sign)"
            case (_, "'"): "'\\''"
            default: String(sign)
            }
        }
        return "'\(escaped.joined())'"
    }

    /// A text as a part of a word of zsh's `_arguments`, in which some signs mean something.
    package static func argument(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
