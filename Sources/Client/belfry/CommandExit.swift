/// How the program ends; docs/command.md has the same table.
enum CommandExit: Int32 {
    /// It did what it was asked for.
    case done = 0
    /// What was asked for is not there: no event in time, no such topic or event.
    case nothing = 1
    /// The command line is none.
    case usage = 2
    /// The bus refused it: rules, names, limits.
    case refused = 3
    /// The bus was not reached.
    case unreachable = 4
    /// There was no answer: what was published may be in the log or not.
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
}
