internal import About

/// belfry-units(7), the page about the units that run the command; made of their table.
enum UnitManual {
    static let name = "belfry-units"

    static var page: ManualPage {
        var page = ManualPage(
            name, section: 7, also: UnitRow.all.flatMap { $0.units() },
            summary: "units of systemd that run programs for events, and publish by the calendar")
        page.heading("Synopsis")
        for row in UnitRow.all {
            page.item(row.units("NAME").joined(separator: ", "), "It \(row.summary).")
        }
        page.heading("Description")
        page.paragraph(
            """
            NAME is one that you choose, and what the unit does stands in a file of that name. \
            Write the file, and enable the unit, or its timer if it has one. It starts with the \
            machine, waits for the bus as long as that is away, and ends with the machine.
            """)
        for row in UnitRow.all {
            page.subheading(row.service("NAME"))
            page.paragraph("The file /etc/belfry/\(row.kind).d/NAME says which, as here:")
            page.example(row.example.joined(separator: "\n"))
            for text in row.details { page.paragraph(text) }
            if let timer = row.timer("NAME"), let example = row.timerExample {
                page.paragraph(
                    """
                    systemctl edit \(timer) takes the times, as here. They are written as \
                    systemd.time(7) says. Without a time the timer does not start.
                    """)
                page.example(example.joined(separator: "\n"))
            }
            let codes = row.lastingExits.map { "\($0.rawValue)" }
            page.paragraph(
                """
                It is started again 5 s after a failure, but not after the exit codes \
                \(codes.dropLast().joined(separator: ", ")) and \(codes.last ?? "") of \
                belfry-\(row.command)(1): \(row.lastingReason).
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
            page.item("/etc/belfry/\(row.kind).d/NAME", "What \(row.service("NAME")) does.")
        }
        for row in UnitRow.all where row.hasFolder {
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
        page.example(
            """
            printf 'TOPIC=standup\\nTEXT=stand up\\n' |
                sudo tee /etc/belfry/pub.d/standup
            sudo systemctl edit belfry-pub@standup.timer
            sudo systemctl enable --now belfry-pub@standup.timer
            systemctl list-timers
            """)
        page.seeAlso(
            UnitRow.all.map { "belfry-\($0.command)(1)" }
                + ["belfryd(8)", "systemctl(1)", "systemd.exec(5)", "systemd.time(7)"],
            documents: ["docs/operations.md"])
        return page
    }
}
