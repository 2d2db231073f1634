/// The text that `--help` prints, and belfryd(8) with it.
enum Help {
    static let summary = "an event bus for one machine: publish and receive events with curl"

    /// The places where it serves and keeps events without an option.
    static var places: String {
        let addresses = Configuration().listen.tcp.map(\.description).joined(separator: ", ")
        return """
            Without an option it serves at \(addresses) and a unix socket: \
            $XDG_RUNTIME_DIR/belfry/belfry.sock, for root /run/belfry/belfry.sock. It keeps events \
            in ~/.local/state/belfry, as a service in /var/lib/belfry.
            """
    }

    static let example = """
        belfryd --store memory --listen 127.0.0.1:7000 --listen unix:/tmp/belfry.sock
        curl -d 'v1.2 is live' localhost:7000/topics/deploys
        curl --unix-socket /tmp/belfry.sock 'localhost/topics/deploys?since=earliest'
        """

    /// The environment, and how values are written.
    static let environment = """
        Every key of the configuration is also a variable BELFRY_SECTION_KEY of the environment. \
        It overrides the file, and the command line overrides both. Durations are 500ms 30s 10m \
        1h30m 7d, a bare number is seconds; sizes 64K 1M 2G.
        """

    static let signals = """
        SIGTERM and SIGINT answer all waiting requests, then end the daemon; a second one ends it \
        at once. SIGHUP reads the configuration again. SIGUSR1 writes the state of the bus to the \
        log.
        """

    static var text: String {
        let options = Option.all.map { option in
            let head =
                option.name + (option.value.map { " \($0)" } ?? "")
                + (option.short.map { ", \($0)" } ?? "")
            return ["  \(head)"] + option.purpose.wrapped(to: 70).map { "        \($0)" }
        }
        let codes = ExitCode.allCases.map { "  \($0.rawValue)  \($0.meaning)" }
        let blocks = [
            ["belfryd, \(summary)."],
            ["Usage: belfryd [OPTION]…"],
            places.wrapped(to: width),
            ["Example:"] + example.split(separator: "\n").map { "  \($0)" },
            ["Options:"] + options.joined(),
            environment.wrapped(to: width),
            signals.wrapped(to: width),
            ["Exit status:"] + codes,
        ]
        return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    private static let width = 78
}
