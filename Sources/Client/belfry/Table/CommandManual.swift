internal import About

/// The pages of the manual, made of the tables: belfry(1), one for each command, and that of the units.
enum CommandManual {
    /// Every page.
    static var pages: [ManualPage] { [whole] + CommandTable.all.map(page) + [UnitManual.page] }

    private static func name(of command: CommandRow) -> String {
        "belfry-" + command.name.map { $0 == " " ? "-" : String($0) }.joined()
    }

    private static var whole: ManualPage {
        var page = ManualPage(
            "belfry", section: 1, summary: "publish and receive events on this machine's bus")
        page.heading("Synopsis")
        page.synopsis("belfry", "COMMAND [OPERAND…] [OPTION…]")
        page.heading("Description")
        page.paragraph(
            """
            belfry publishes events, prints them as they come, and runs a program for each. The \
            bus is belfryd(8); it speaks HTTP, and curl(1) does what this command does, without \
            cursors, reconnections and exit codes.
            """)
        page.heading("Commands")
        for command in CommandTable.all {
            page.item(
                command.name, value: command.operands.isEmpty ? nil : command.operands,
                "\(command.summary); see \(name(of: command))(1)")
        }
        page.item("help", value: "[COMMAND]", "say all commands, or the options of one")
        page.heading("Options")
        page.paragraph("Every command has these.")
        for option in CommandOption.common {
            page.item(option.name, value: option.value, option.summary)
        }
        page.paragraph("Without a command there are these.")
        page.item("--version", "print the version")
        page.item(
            "--man", value: "[PAGE]", "print the names of all pages of the manual, or one of them")
        let shells = CompletedShell.allCases.map(\.rawValue).joined(separator: "|")
        page.item("--completion", value: shells, "print what makes this shell complete the command")
        page.heading("Exit status")
        for code in CommandExit.allCases { page.item("\(code.rawValue)", code.meaning) }
        page.heading("Environment")
        page.item("BELFRY_URL", "The bus, where --url is not given.")
        page.item(
            Session.tokenVariable,
            "The token, where --token-file is not given. Programs that belfry runs do not get it.")
        page.item(
            "STATE_DIRECTORY, XDG_STATE_HOME", "Where cursors are kept.")
        page.heading("Files")
        page.item("/run/belfry/belfry.sock", "The bus, where nothing else names one.")
        page.item("~/.local/state/belfry", "The cursors.")
        page.seeAlso(
            CommandTable.all.map { "\(name(of: $0))(1)" }
                + ["\(UnitManual.name)(7)", "belfryd(8)", "curl(1)"],
            documents: ["docs/command.md"])
        return page
    }

    private static func page(_ command: CommandRow) -> ManualPage {
        var page = ManualPage(name(of: command), section: 1, summary: command.summary)
        page.heading("Synopsis")
        let program = "belfry \(command.name)"
        page.synopsis(program, String(command.usage.dropFirst(program.count + 1)))
        if !command.details.isEmpty {
            page.heading("Description")
            for paragraph in command.details { page.paragraph(paragraph) }
        }
        page.heading("Options")
        for option in command.allOptions {
            page.item(option.name, value: option.value, option.summary)
        }
        page.heading("Examples")
        for example in command.examples { page.item(example.line, example.meaning) }
        page.heading("Exit status")
        page.paragraph("0 where it did what it was asked for; belfry(1) has the other codes.")
        page.seeAlso(["belfry(1)", "belfryd(8)"], documents: ["docs/command.md"])
        return page
    }
}
