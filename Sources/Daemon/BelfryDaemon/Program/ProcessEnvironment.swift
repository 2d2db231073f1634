internal import CSystemd
internal import Glibc

/// The environment of this process, for the program to pass on.
public enum ProcessEnvironment {
    /// The variables at this moment; of a repeated one, the first.
    public static func snapshot() -> [String: String] {
        var variables: [String: String] = [:]
        var next = belfry_environment()
        while let entry = next?.pointee {
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            next = next?.successor()
        }
        return variables
    }

    /// Whether standard error goes to the journal, which then wants priorities
    /// (`systemd.exec(5)`, `$JOURNAL_STREAM`).
    public static func logsToJournal(_ variables: [String: String]) -> Bool {
        guard let stream = variables["JOURNAL_STREAM"] else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
