/// What `--help` prints.
enum Help {
    static var text: String {
        let options = Option.all.map { option in
            let head = option.name + (option.value.map { " \($0)" } ?? "")
            return ["  \(head)"] + option.purpose.wrapped(to: 70).map { "        \($0)" }
        }
        let codes = ExitCode.allCases.map { "  \($0.rawValue)  \($0.meaning)" }
        return """
            belfryd, an event bus for the processes of one machine, reached by curl.

            Usage: belfryd [OPTION]…

            \(options.joined().joined(separator: "\n"))

            Every key of the configuration is also a variable BELFRY_SECTION_KEY of the
            environment. The command line overrules it, and it overrules the file.
            Durations are 500ms 30s 10m 24h 7d, a bare number is seconds; sizes 64K 1M 2G.

            SIGTERM and SIGINT answer everybody who waits, then end it; a second one ends it
            at once. SIGHUP reads the configuration again.

            Exit status:
            \(codes.joined(separator: "\n"))

            """
    }
}
