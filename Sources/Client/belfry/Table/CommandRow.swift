/// One command: a row of the table that makes parser, help, manual pages and completions.
struct CommandRow: Sendable {
    /// One or two words.
    let name: String
    /// The operands behind its name, as the help writes them.
    let operands: String
    /// How many operands it takes.
    let operandCount: ClosedRange<Int>
    /// Whether a program may stand behind `--`.
    var takesProgram = false
    /// Whether a program has to stand there.
    var needsProgram = false
    /// Its effect, in one line.
    let summary: String
    /// More paragraphs for its page of the manual.
    var details: [String] = []
    let options: [CommandOption]
    let run: @Sendable (Arguments, Session) async throws(CommandFailure) -> Void

    /// Every option that it takes.
    var allOptions: [CommandOption] { options + CommandOption.common }

    /// Its whole first line of help.
    var usage: String {
        "belfry \(name)\(operands.isEmpty ? "" : " " + operands) [OPTION…]"
            + (needsProgram
                ? " -- PROGRAM [ARGUMENT…]" : takesProgram ? " [-- PROGRAM [ARGUMENT…]]" : "")
    }
}
