/// A kind of the units of systemd that run the command: `belfry-KIND@NAME.service`, and a timer that
/// starts it where it has one.
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
    /// The exits after which it is not started again.
    let lastingExits: [CommandExit]
    /// The reason for that.
    var lastingReason = "these do not mend by themselves"
    /// Whether it has a folder of its own below `/var/lib`.
    var hasFolder = true
    /// The lines of an example of its timer's drop-in; nil for a unit that starts with the machine.
    var timerExample: [String]?

    /// The service with this name behind its `@`.
    func service(_ name: String = "") -> String { "belfry-\(kind)@\(name).service" }

    /// The timer with this name behind its `@`; nil where there is none.
    func timer(_ name: String = "") -> String? {
        timerExample.map { _ in "belfry-\(kind)@\(name).timer" }
    }

    /// Both.
    func units(_ name: String = "") -> [String] {
        [service(name)] + (timer(name).map { [$0] } ?? [])
    }

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
        UnitRow(
            kind: "pub", command: "pub", summary: "publishes an event at the times of a calendar",
            example: ["TOPIC=standup", "TEXT=stand up", "OPTIONS=--type reminder"],
            details: [
                """
                TOPIC is a topic, TEXT the payload, and OPTIONS are those of belfry-pub(1). \
                Without TEXT the event is empty.
                """,
                """
                Each time makes one event at most. Times that were missed, because the machine \
                was off, make one event together at its next start. Times that pass while the \
                bus is away make one event together once it is there. A start of the service \
                publishes the event at once.
                """,
            ],
            lastingExits: [.usage, .refused, .unknown, .file],
            lastingReason: """
                these do not mend by themselves, and after 5, as after a signal, the event may be \
                in the log
                """,
            hasFolder: false, timerExample: ["[Timer]", "OnCalendar=Mon..Fri 08:00"]),
    ]
}
