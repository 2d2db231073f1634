/// One command: a row of the table that makes parser, help, manual pages and completions.
struct CommandRow: Sendable {
    /// One or two words.
    let name: String
    /// What stands behind it, as the help writes it.
    let operands: String
    /// How many operands it takes.
    let operandCount: ClosedRange<Int>
    /// Whether a program may stand behind `--`.
    var takesProgram = false
    /// Whether one has to.
    var needsProgram = false
    /// What it does, in one line.
    let summary: String
    /// What its page of the manual says besides, in paragraphs.
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
