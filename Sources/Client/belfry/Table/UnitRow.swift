/// A kind of the units of systemd that run the command: `belfry-KIND@NAME.service`.
struct UnitRow: Sendable {
    /// The kind, as in `belfry-run@.service`.
    let kind: String
    /// The command that it runs.
    let command: String
    /// Its effect, in a few words.
    let summary: String
    /// The lines of an example of its file.
    let example: [String]
    /// Paragraphs about the lines of its file and the way it uses them.
    let details: [String]
    /// The exits after which it is not started again, because they do not mend by themselves.
    let lastingExits: [CommandExit]

    /// The unit without a name behind its `@`.
    var unit: String { "belfry-\(kind)@.service" }

    /// Every kind.
    static let all = [
        UnitRow(
            kind: "run", command: "sub", summary: "runs a program for each event",
            example: [
                "SELECTOR=deploys", "PROGRAM=/usr/local/bin/announce",
                "OPTIONS=--type done --retry 3",
            ],
            details: [
                """
                SELECTOR is a topic, a pattern or a list of them, PROGRAM the program with its \
                arguments, and OPTIONS those of belfry-sub(1). The payload is the program's \
                standard input.
                """,
                """
                The first start begins with the next event, with OPTIONS=--since earliest with the \
                oldest. Every later one goes on behind the last event at which the program \
                succeeded: the cursor is in the unit's folder. Where the program fails, the unit \
                starts again after 5 s with the same event.
                """,
            ],
            lastingExits: [.usage, .refused, .gap]),
        UnitRow(
            kind: "work", command: "work", summary: "runs a program for each job of a work group",
            example: [
                "GROUP=mail", "SELECTOR=jobs.mail", "PROGRAM=/usr/local/bin/send",
                "OPTIONS=--parallel 4",
            ],
            details: [
                """
                GROUP is the work group, and OPTIONS are those of belfry-work(1). With SELECTOR the \
                unit makes the group if there is none. NAME is the name of the worker: after a \
                crash the next run is given its jobs again at once.
                """,
                "A program that fails ends no unit: its job comes again, as the group says.",
            ],
            lastingExits: [.usage, .refused]),
        UnitRow(
            kind: "answer", command: "answer",
            summary: "runs a program for each request, and replies what it prints",
            example: [
                "GROUP=adder", "SELECTOR=math.add", "PROGRAM=/usr/local/bin/add",
                "OPTIONS=--parallel 4",
            ],
            details: ["As with belfry-work@, but OPTIONS are those of belfry-answer(1)."],
            lastingExits: [.usage, .refused]),
        UnitRow(
            kind: "push", command: "push", summary: "posts events to receivers of webhooks",
            example: ["deploys https://example.org/hook whsec_…"],
            details: [
                """
                Each line is a selector, an address and a secret, as belfry-push(1) says. The file \
                has to be readable for root alone (chmod 600). After a change of it restart the \
                unit.
                """,
                """
                The first start begins with the next event, every later one behind what each \
                receiver has taken. When all receivers have answered 410 the unit ends.
                """,
            ],
            lastingExits: [.usage, .refused, .file]),
    ]
}
