internal import About

/// belfry-units(7), the page about the units that run the command; made of their table.
enum UnitManual {
    static let name = "belfry-units"

    static var page: ManualPage {
        var page = ManualPage(
            name, section: 7, also: UnitRow.all.map(\.unit),
            summary: "units of systemd that run a program for each event, job or request")
        page.heading("Synopsis")
        for row in UnitRow.all { page.item(shown(row, "NAME"), "It \(row.summary).") }
        page.heading("Description")
        page.paragraph(
            """
            NAME is one that you choose, and what the unit does stands in a file of that name. \
            Write the file, and enable the unit. It starts with the machine, waits for the bus as \
            long as that is away, and ends with the machine.
            """)
        for row in UnitRow.all {
            page.subheading(shown(row, "NAME"))
            page.paragraph("The file /etc/belfry/\(row.kind).d/NAME says which, as here:")
            page.example(row.example.joined(separator: "\n"))
            for text in row.details { page.paragraph(text) }
            let codes = row.lastingExits.map { "\($0.rawValue)" }
            page.paragraph(
                """
                It is started again 5 s after a failure, but not after the exit codes \
                \(codes.dropLast().joined(separator: ", ")) and \(codes.last ?? "") of \
                belfry-\(row.command)(1): these do not mend by themselves.
                """)
        }
        page.heading("What programs may do")
        page.paragraph(
            """
            A program runs as a user of its own without privileges. It reads the disk, writes to \
            $STATE_DIRECTORY and to a /tmp of its own, and speaks to the network. Lines below \
            [Service] of systemctl edit belfry-run@NAME let it do more, such as DynamicUser=no \
            with User=deploy, or ReadWritePaths=/srv/www.
            """)
        page.paragraph(
            """
            Where a rule of the bus asks for a token, the file has a line BELFRY_TOKEN=, and is \
            readable for root alone. For belfry-push@ the line stands in a file that \
            EnvironmentFile= names in systemctl edit. belfry has the token then, and the program \
            has not.
            """)
        page.heading("Files")
        for row in UnitRow.all {
            page.item("/etc/belfry/\(row.kind).d/NAME", "What \(shown(row, "NAME")) does.")
        }
        for row in UnitRow.all {
            page.item("/var/lib/belfry-\(row.kind)/NAME", "Its $STATE_DIRECTORY.")
        }
        page.heading("Examples")
        page.example(
            """
            printf 'SELECTOR=deploys\\nPROGRAM=/usr/local/bin/announce\\n' |
                sudo tee /etc/belfry/run.d/news
            sudo systemctl enable --now belfry-run@news
            systemctl status belfry-run@news
            journalctl -u belfry-run@news
            """)
        page.seeAlso(
            UnitRow.all.map { "belfry-\($0.command)(1)" }
                + ["belfryd(8)", "systemctl(1)", "systemd.exec(5)"],
            documents: ["docs/operations.md"])
        return page
    }

    private static func shown(_ row: UnitRow, _ name: String) -> String {
        "belfry-\(row.kind)@\(name).service"
    }
}
