internal import Topics

/// Every command of the program.
enum CommandTable {
    static let all = [
        CommandRow(
            name: "pub", operands: "TOPIC [TEXT]", operandCount: 1...2,
            summary: "publish a text, standard input, or each of its lines",
            details: [
                """
                Without TEXT, standard input is the event, or with --lines each of its lines. \
                Lines that come together are published together.
                """,
                """
                Each publish has an Idempotency-Key of its own. A publish without an answer is \
                sent again with its key, until patience ends: no event is lost, and none is there twice. Give \
                --idempotency-key where the command itself may run once more for the same event.
                """,
                """
                SIGINT and SIGTERM end --lines behind what was read, within 10 s where the bus is \
                away. A second signal ends it at once.
                """,
            ],
            options: [
                CommandOption("--lines", nil, "each line of standard input is an event"),
                CommandOption("--json", nil, "the text is JSON (application/json)"),
                CommandOption("--content-type", "TYPE", "what the bytes are"),
                CommandOption("--type", "TYPE", "the kind of event"),
                CommandOption("--key", "KEY", "the subject of the event"), attribute,
                ttl,
                CommandOption("--delay", "TIME", "hold the event for so long"),
                CommandOption("--at", "TIME", "hold the event until then"),
                CommandOption(
                    "--every", "TIME", "publish it then, and each time that this has passed"),
                CommandOption(
                    "--name", "NAME", "the name of this schedule, which replaces another one"),
                CommandOption(
                    "--id", nil, "print the id of the event or of the last one, or the ticket"),
                CommandOption("--rate", "N", "at most N lines a second"),
                CommandOption(
                    "--idempotency-key", "KEY", "publish it once, however often this is run"),
                CommandOption(
                    "--if-match", "VERSION", "publish only if the topic has this version"),
                CommandOption("--no-repeat", nil, "send no key, and end where no answer comes"),
            ], run: Publishing.run),
        CommandRow(
            name: "sub", operands: "SELECTOR…", operandCount: 1...128, takesProgram: true,
            summary: "print events as they come, or run a program for each",
            details: [
                """
                A selector is a topic, or a pattern: * stands for one segment of a name, > for \
                all that follow. A subscription that has begun outlives restarts of the bus.
                """,
                """
                --name keeps the cursor in $STATE_DIRECTORY, $XDG_STATE_HOME/belfry or \
                ~/.local/state/belfry. The first run begins at --since. Each later run goes on \
                behind the last event that was dealt with; one that is killed leaves none out.
                """,
                """
                The program behind -- runs for each event, one after the other. \
                \(payloads) BELFRY_ID, BELFRY_TOPIC, BELFRY_TIME, BELFRY_TYPE, BELFRY_KEY, \
                BELFRY_CONTENT_TYPE and BELFRY_ATTRIBUTE_NAME for each attribute are in its \
                environment, and so are TRACEPARENT and TRACESTATE of an event in a trace. The cursor moves when it has \
                ended with 0. For an event of a type of the bus, such as $silent, it runs where --type names \
                that type.
                """,
            ],
            options: filters + forms + [
                CommandOption("--max", "N", "end behind so many events"),
                CommandOption("--until-now", nil, "end behind the newest event"),
                CommandOption("--strict", nil, "end where events are missing"),
                CommandOption(
                    "--name", "NAME", "keep the cursor under this name, and go on from there"),
                CommandOption("--retry", "N", "run a program that failed up to N times more"),
                CommandOption("--parallel", "N", "so many programs at once, in order by key"),
            ], run: Receiving.run),
        CommandRow(
            name: "wait", operands: "SELECTOR…", operandCount: 1...128,
            summary: "wait for one event and print it",
            details: ["Without --timeout it waits for ever."],
            options: filters + forms + [
                CommandOption("--timeout", "TIME", "end with 1 where none comes in time")
            ], run: Receiving.wait),
        CommandRow(
            name: "get", operands: "[TOPIC] ID", operandCount: 1...2,
            summary: "print one retained event, byte for byte", options: [],
            run: TopicCommands.get),
        CommandRow(
            name: "topics", operands: "[PATTERN]", operandCount: 0...1,
            summary: "list topics", options: [json], run: TopicCommands.list),
        CommandRow(
            name: "subscribers", operands: "[TOPIC]", operandCount: 0...1,
            summary: "list who waits for events, and how far behind they are",
            details: [
                """
                Root, the bus's user, and those who may administer what is waited for see \
                everybody; others see themselves. A process is known over the unix socket alone.
                """
            ], options: [json], run: SubscriberCommands.list),
        CommandRow(
            name: "topic show", operands: "TOPIC", operandCount: 1...1,
            summary: "show one topic and its settings", options: [json], run: TopicCommands.show),
        CommandRow(
            name: "topic set", operands: "TOPIC", operandCount: 1...1,
            summary: "register a topic, or replace its settings",
            details: [
                """
                Settings that are not named return to their defaults, but hold and expect, which stay. --expect \
                alone leaves all others as they are.
                """,
                """
                Where a topic has no event for as long as --expect says, the bus publishes one of type $silent \
                to it, and one of type $back behind the next event.
                """,
            ],
            options: TopicCommands.options, run: TopicCommands.set),
        CommandRow(
            name: "topic rm", operands: "TOPIC", operandCount: 1...1,
            summary: "remove a topic with its events", options: [], run: TopicCommands.remove),
        CommandRow(
            name: "later", operands: "TOPIC", operandCount: 1...1,
            summary: "list the events that are held for a topic until they are due",
            details: [
                """
                Callers that may administer the topic see all of them, others those of their own \
                user.
                """
            ], options: [json], run: LaterCommands.list),
        CommandRow(
            name: "cancel", operands: "TOPIC TICKET…", operandCount: 2...128,
            summary: "cancel events that are held",
            details: ["A schedule is also known by its name."], options: [],
            run: LaterCommands.cancel),
        CommandRow(
            name: "work", operands: "GROUP [SELECTOR…]", operandCount: 1...129, needsProgram: true,
            summary: "run a program for each job of a work group",
            details: [payloads, leftBehind],
            options: workers + [
                CommandOption(
                    "--output", "TOPIC", "publish what it prints here, if and only if it is done"),
                CommandOption("--content-type", "TYPE", "what it prints"),
                CommandOption("--until-empty", nil, "end where no job is at hand"),
            ], run: Working.work),
        CommandRow(
            name: "answer", operands: "GROUP [SELECTOR…]", operandCount: 1...129,
            needsProgram: true,
            summary: "run a program for each request, and reply what it prints",
            details: [
                payloads,
                """
                A program that ends with 65 refuses the request, and what it printed is the \
                reason. At any other end but 0 the request is tried again. Behind the last attempt \
                it is refused, and the asker is shown how the program ended and its last line.
                """, leftBehind,
            ],
            options: workers + [CommandOption("--content-type", "TYPE", "what it prints")],
            run: Working.answer),
        CommandRow(
            name: "ask", operands: "TOPIC [TEXT]", operandCount: 1...2,
            summary: "publish a request and print what a worker replies",
            options: [
                CommandOption("--timeout", "TIME", "how long to wait for the reply (10s)"),
                CommandOption("--json", nil, "the text is JSON (application/json)"),
                CommandOption("--content-type", "TYPE", "what the bytes are"),
                CommandOption("--type", "TYPE", "the kind of event"),
                CommandOption("--key", "KEY", "the subject of the event"), attribute,
            ], run: AskCommand.run),
        CommandRow(
            name: "run", operands: "TOPIC", operandCount: 1...1, needsProgram: true,
            summary: "run a program and publish its start and its end",
            details: [leftBehind],
            options: [
                CommandOption("--key", "KEY", "the subject of both events (the program's name)")
            ], run: Running.run),
        CommandRow(
            name: "copy", operands: "FROM TO", operandCount: 2...2,
            summary: "publish the events of one bus on another one",
            options: [
                CommandOption("--topics", "SELECTOR", "only these, joined by commas (>)"),
                CommandOption("--since", "START", "where to begin (earliest)"),
                CommandOption("--follow", nil, "go on with what comes; else end behind the newest"),
                CommandOption(
                    "--name", "NAME", "keep the cursor under this name, and go on from there"),
                CommandOption("--from-token", "FILE", "the file with the token of FROM"),
                CommandOption("--to-token", "FILE", "the file with the token of TO"),
            ], run: Copying.run),
        CommandRow(
            name: "push", operands: "FILE", operandCount: 1...1,
            summary: "post events to receivers of webhooks",
            details: [
                """
                Each line of FILE is a selector, the address of a receiver, and the secret that \
                signs what it gets, as whsec_ and base64; with a second secret it gets two \
                signatures. A line that begins with # is a comment. Nobody but its owner and its \
                group may be able to read FILE, and nobody but its owner to write it.
                """,
                """
                A request is a POST with the event as JSON, as belfry sub --json prints it without \
                the sender, and with the headers of Standard Webhooks. The events of a line come \
                one at a time, in their order, each until the answer is 2xx: at least once. \
                Pauses behind failures grow up to 5 minutes. Retry-After of 429 and 503, in \
                seconds or as a date, is obeyed up to an hour. Redirects are not followed. An \
                answer has 15 seconds. 410 ends a line. The certificate of a receiver has to be \
                of an authority that the system trusts, or \
                instead of one of --ca-file.
                """,
                """
                The cursor of each line is kept as those of belfry sub --name are. The first run \
                begins at --since, else with the next event. SIGTERM and Ctrl-C wait for the \
                answers that are due.
                """,
            ],
            options: [
                CommandOption("--since", "START", "where the first run begins (now)"),
                CommandOption(
                    "--ca-file", "FILE", "the authorities of receivers' certificates, as PEM"),
                CommandOption("--until-now", nil, "end behind the newest event"),
            ], run: Pushing.run),
        CommandRow(
            name: "top", operands: "", operandCount: 0...0,
            summary: "show what the bus does, as it does it",
            details: [
                """
                The screen shows rates, readers, memory, the topics with the newest events, and the \
                groups with the most before them. q ends it.
                """,
                """
                With --once or --json it prints what it saw between two looks, without a terminal.
                """,
            ],
            options: [
                CommandOption("--every", "TIME", "how often it looks (1s)"),
                CommandOption("--once", nil, "print it once, as tables"),
                CommandOption("--json", nil, "one JSON object a line; with --once one alone"),
            ], run: Watching.run),
        CommandRow(
            name: "bench", operands: "", operandCount: 0...0,
            summary: "measure what the bus does here, over a topic that it removes",
            options: [
                CommandOption("--events", "N", "so many events (10000)"),
                CommandOption("--size", "N", "the bytes of each (100)"), json,
            ], run: Measuring.run),
        CommandRow(
            name: "doctor", operands: "", operandCount: 0...0,
            summary: "say whether the bus is there, and what is wrong with it", options: [json],
            run: Doctor.run),
        CommandRow(
            name: "groups", operands: "", operandCount: 0...0,
            summary: "list work groups", options: [json], run: GroupCommands.list),
        CommandRow(
            name: "group show", operands: "GROUP", operandCount: 1...1,
            summary: "show one work group", options: [json], run: GroupCommands.show),
        CommandRow(
            name: "group set", operands: "GROUP", operandCount: 1...1,
            summary: "make a work group, or change its settings",
            options: GroupCommands.options, run: GroupCommands.set),
        CommandRow(
            name: "group rm", operands: "GROUP", operandCount: 1...1,
            summary: "end a work group; its events stay",
            options: [
                CommandOption("--force", nil, "also where topics hold their events for it")
            ], run: GroupCommands.remove),
        CommandRow(
            name: "group seek", operands: "GROUP", operandCount: 1...1,
            summary: "forget the open jobs of a work group and begin anew elsewhere",
            options: [
                CommandOption("--since", "START", "where: an id, now, earliest, -N, 10m, a time")
            ], run: GroupCommands.seek),
        CommandRow(
            name: "jobs", operands: "GROUP", operandCount: 1...1,
            summary: "list the open jobs of a work group", options: [json],
            run: GroupCommands.jobs),
        CommandRow(
            name: "dead", operands: "GROUP [ID]", operandCount: 1...2,
            summary: "list the dead letters of a work group, or show one",
            details: ["ID is that of the letter, or of the job that it was."],
            options: [
                CommandOption("--revived", nil, "list those too that were published again"), json,
            ], run: DeadLetterCommands.dead),
        CommandRow(
            name: "revive", operands: "GROUP [ID]", operandCount: 1...2,
            summary: "publish a dead letter again where it came from, or all",
            details: ["ID is that of the letter, or of the job that it was. Each goes once."],
            options: [
                CommandOption("--all", nil, "all letters that were not published again"),
                CommandOption("--id", nil, "print the id of each new event"),
            ], run: DeadLetterCommands.revive),
    ]

    /// The command whose name, one word or two, some words begin with, and those behind it.
    ///
    /// - Throws: a failure of usage, which names the commands that begin with the first word.
    static func find(
        _ words: ArraySlice<String>
    ) throws(CommandFailure) -> (command: CommandRow, rest: ArraySlice<String>) {
        for count in [2, 1] {
            let name = words.prefix(count).joined(separator: " ")
            if let command = all.first(where: { $0.name == name }) {
                return (command, words.dropFirst(count))
            }
        }
        let first = words.first ?? ""
        let names = all.map(\.name).filter { $0.hasPrefix("\(first) ") }
        throw CommandFailure(
            .usage,
            names.isEmpty
                ? "there is no command '\(first)'" + nearest(to: first)
                : "write one of: belfry \(names.joined(separator: ", "))")
    }

    private static func nearest(to word: String) -> String {
        let question = Nearest.question(
            about: word, among: all.map { String($0.name.prefix { $0 != " " }) })
        return question.isEmpty ? ": see 'belfry help'" : question
    }

    private static let payloads = """
        The payload is the standard input of the program. A text (UTF-8 without a zero byte) that \
        ends without a line end gets one, so that read of a shell sees its last line; --raw leaves \
        it out.
        """

    private static let leftBehind = """
        The program has ended when its process has. Processes that it left behind with its output \
        are heard for half a second more.
        """

    private static let attribute = CommandOption.attribute(
        "an attribute of the event (up to 16 times)")

    private static let ttl = CommandOption("--ttl", "TIME", "how long it is of use to workers")

    private static let workers = [
        CommandOption("--parallel", "N", "so many programs at once"),
        CommandOption("--max", "N", "end behind so many jobs"),
        CommandOption(
            "--lease", "TIME", "a killed worker's job is another one's so long after (60s)"),
        CommandOption("--worker", "NAME", "the name whose job it is given again after a crash"),
    ]

    private static let json = CommandOption("--json", nil, "one JSON object a line")

    private static let filters =
        [
            CommandOption(
                "--since", "START", "an id, now, earliest, latest, -N, 10m, @SECONDS or a time")
        ] + FilterField.allCases.map(CommandOption.init) + [
            .attribute("only events with this attribute (several times: with all)")
        ]

    private static let forms = [
        CommandOption("--data", nil, "only the bytes of each event, and a line end"),
        json,
        CommandOption("-0", nil, "only the bytes of each event, and a zero byte"),
        CommandOption("--format", "TEXT", "a line with {topic}, {data} and others filled in"),
    ]
}
