/// How the program ends.
public enum ExitCode: Int32, CaseIterable, Sendable {
    /// It succeeded. After SIGTERM or SIGINT everybody was answered, or the time for it was up.
    case success = 0
    /// It could not start or go on.
    case failure = 1
    /// The command line or the configuration is wrong.
    case usage = 2
    /// A second SIGTERM or SIGINT ended it at once.
    case cutShort = 3

    /// Its meaning, for `--help`.
    var meaning: String {
        switch self {
        case .success: "done, or stopped by SIGTERM or SIGINT"
        case .failure: "cannot start or continue"
        case .usage: "the command line or the configuration is wrong"
        case .cutShort: "ended at once by a second SIGTERM or SIGINT"
        }
    }
}
