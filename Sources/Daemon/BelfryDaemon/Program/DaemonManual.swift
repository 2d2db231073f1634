internal import About

/// The pages of the manual about the daemon, made of its tables.
enum DaemonManual {
    /// Every page.
    static var pages: [ManualPage] { [program, configuration] }

    /// The page of this name, as `belfryd.conf`.
    static func page(_ name: String) throws(ConfigurationProblems) -> ManualPage {
        guard let page = pages.first(where: { $0.name == name }) else {
            let names = pages.map(\.name).joined(separator: ", ")
            throw ConfigurationProblems(.option("--man"), "`\(name)` is none of: \(names)")
        }
        return page
    }

    private static var program: ManualPage {
        var page = ManualPage(
            "belfryd", section: 8, also: ["belfryd.service", "belfryd.socket"],
            summary: Help.summary)
        page.heading("Synopsis")
        page.synopsis("belfryd", "[OPTION]…")
        page.heading("Description")
        page.paragraph(Help.places)
        page.paragraph(
            """
            The service belfryd.service is started by the first request to one of the sockets of \
            belfryd.socket, which systemd holds through every restart.
            """)
        page.heading("Options")
        for option in Option.all {
            let names = [option.name, option.short].compactMap { $0 }.joined(separator: ", ")
            page.item(names, value: option.value, option.purpose)
        }
        page.heading("Exit status")
        for code in ExitCode.allCases { page.item("\(code.rawValue)", code.meaning) }
        page.heading("Environment")
        page.paragraph(Help.environment)
        page.heading("Signals")
        page.paragraph(Help.signals)
        page.heading("Files")
        page.item(CommandLineOptions.configDefault, "The configuration, see belfryd.conf(5).")
        page.item("/etc/credstore/belfry.tokens", "The tokens of callers, for the service.")
        page.item("/run/belfry/belfry.sock", "The unix socket of the service.")
        page.item("/var/lib/belfry", "The events of the service.")
        page.heading("Example")
        page.example(Help.example)
        page.seeAlso(
            ["belfry(1)", "belfryd.conf(5)", "belfry-units(7)", "curl(1)"],
            documents: ["README.md", "docs/http-api.md", "docs/operations.md"])
        return page
    }

    private static var configuration: ManualPage {
        var page = ManualPage(
            "belfryd.conf", section: 5, summary: "the configuration of the Belfry event bus")
        page.heading("Synopsis")
        page.synopsis(CommandLineOptions.configDefault, "")
        page.heading("Description")
        page.paragraph(
            """
            The file has sections, each a name in brackets, and under it lines KEY = VALUE. As \
            shipped it has every key with its default, as a comment.
            """)
        page.paragraph(Configuration.writing)
        page.heading("Keys")
        let defaults = Configuration()
        for section in ConfigurationKey.sections {
            page.subheading("[\(section)]")
            for key in ConfigurationKey.all where key.section == section {
                let values = key.values(defaults).joined(separator: ", ")
                page.item(
                    key.name, key.purpose, "Why change it: \(key.reason)",
                    """
                    Takes \(key.form). The default is \(values.isEmpty ? "empty" : values). \
                    \(key.isLive ? "A reload applies it." : "A restart applies it.")
                    """)
            }
        }
        page.seeAlso(["belfryd(8)", "systemctl(1)"], documents: ["docs/operations.md"])
        return page
    }
}
