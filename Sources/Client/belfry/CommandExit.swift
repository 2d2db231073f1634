/// How the program ends; docs/command.md has the same table.
enum CommandExit: Int32, CaseIterable {
    /// The command succeeded.
    case done = 0
    /// There was nothing to find: no event in time, no such topic or event.
    case nothing = 1
    /// The command line is wrong.
    case usage = 2
    /// The bus refused it: rules, names, limits.
    case refused = 3
    /// The bus was not reached.
    case unreachable = 4
    /// There was no answer: a published event may be in the log or not.
    case unknown = 5
    /// Events are missing, and `--strict` asked for all.
    case gap = 6
    /// The program behind `--` failed.
    case failedProgram = 7
    /// A file, or standard input, could not be used.
    case file = 8
    /// No worker is there to reply to a request, which is not in the log.
    case noResponder = 9
    /// A worker refused the request.
    case refusedByWorker = 10
    /// The condition of a publish does not hold.
    case conditionFailed = 11

    /// Its meaning, for the manual.
    var meaning: String {
        switch self {
        case .done: "done"
        case .nothing: "nothing: no event in time, no such topic or event"
        case .usage: "the command line is wrong, or what it calls JSON is none"
        case .refused: "the bus refused it: rules, names, limits; standard error has its code"
        case .unreachable: "the bus was not reached"
        case .unknown: "there was no answer: the event may be in the log or not"
        case .gap: "events are missing, and --strict was given"
        case .failedProgram: "the program behind -- failed"
        case .file: "a file or a standard stream could not be used"
        case .noResponder: "no worker is there to reply; the request is not in the log"
        case .refusedByWorker: "a worker refused the request"
        case .conditionFailed:
            "the topic has another version than --if-match says; nothing was published"
        }
    }
}
