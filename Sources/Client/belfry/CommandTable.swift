/// Every command of the program.
enum CommandTable {
    static let all = [
        CommandRow(
            name: "pub", operands: "TOPIC [TEXT]", operandCount: 1...2,
            summary: "publish a text, standard input, or each of its lines",
            options: [
                CommandOption("--lines", nil, "each line of standard input is an event"),
                CommandOption("--json", nil, "the text is JSON (application/json)"),
                CommandOption("--content-type", "TYPE", "what the bytes are"),
                CommandOption("--type", "TYPE", "the kind of event"),
                CommandOption("--key", "KEY", "the subject of the event"),
                CommandOption("--id", nil, "print the id of the event, or of the last one"),
                CommandOption("--rate", "N", "at most N lines a second"),
                CommandOption("--no-repeat", nil, "end where a batch of lines got no answer"),
            ], run: Publishing.run),
        CommandRow(
            name: "sub", operands: "SELECTOR…", operandCount: 1...128, takesProgram: true,
            summary: "print events as they come, or run a program for each",
            options: filters + forms + [
                CommandOption("--max", "N", "end behind so many events"),
                CommandOption("--until-now", nil, "end behind the newest event"),
                CommandOption("--strict", nil, "end where events are missing"),
                CommandOption(
                    "--name", "NAME", "keep the cursor under this name, and go on from there"),
                CommandOption("--retry", "N", "run a program that failed up to N times more"),
            ], run: Receiving.run),
        CommandRow(
            name: "wait", operands: "SELECTOR…", operandCount: 1...128,
            summary: "wait for one event and print it",
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
            name: "topic show", operands: "TOPIC", operandCount: 1...1,
            summary: "show one topic", options: [json], run: TopicCommands.show),
        CommandRow(
            name: "topic set", operands: "TOPIC", operandCount: 1...1,
            summary: "register a topic, or replace its settings",
            options: [
                CommandOption("--keep", "N", "how many events it keeps, or none for no bound"),
                CommandOption("--bytes", "SIZE", "how many bytes, as in 64M, or none"),
                CommandOption("--for", "TIME", "for how long, as in 7d, or none"),
                CommandOption("--persist", "YES-OR-NO", "whether they outlive a restart"),
            ], run: TopicCommands.set),
        CommandRow(
            name: "topic rm", operands: "TOPIC", operandCount: 1...1,
            summary: "remove a topic with its events", options: [], run: TopicCommands.remove),
    ]

    private static let json = CommandOption("--json", nil, "one JSON object a line")

    private static let filters = [
        CommandOption(
            "--since", "START", "an id, now, earliest, latest, -N, 10m, @SECONDS or a time"),
        CommandOption("--type", "TYPE", "only events of this type"),
        CommandOption("--key", "KEY", "only events of this key"),
    ]

    private static let forms = [
        CommandOption("--data", nil, "only the bytes of each event, and a line end"),
        json,
        CommandOption("-0", nil, "only the bytes of each event, and a zero byte"),
    ]
}
