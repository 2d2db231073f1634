import Protection
import TestSupport
import Testing

/// A daemon for all tests of a suite, which run one after the other (`.serialized`) and have topics of their
/// own: most properties do not need a bus that nothing was published to before.
///
/// ```swift
/// private static let shared = SharedDaemon()
///
/// init() throws { daemon = try Self.shared.running() }
/// ```
///
/// The first test starts it. It ends with the process of the tests, however that ends.
final class SharedDaemon: Sendable {
    // nonisolated(unsafe): the tests of a suite use it one after the other.
    private nonisolated(unsafe) let started: Result<RunningDaemon, any Error>
    // nonisolated(unsafe): nothing is asked of it; it is there to be held.
    private nonisolated(unsafe) let guardian: Result<ChildProcess, any Error>
    private let topics = Protected(0)

    init(configuration: String = "") {
        let started = Result { try RunningDaemon(configuration: configuration) }
        self.started = started
        // Nothing is freed at the end of a process. A guardian sees its input end, even after a crash.
        guardian = Result {
            let daemon = try started.get()
            let folder = daemon.socketPath.split(separator: "/").dropLast().joined(separator: "/")
            return try ChildProcess(
                "/bin/sh",
                [
                    "-c", "read -r _; kill -KILL \"$0\"; rm -rf \"$1\"", "\(daemon.pid)",
                    "/\(folder)",
                ])
        }
    }

    /// The daemon, or what it logged if it has ended.
    func running() throws -> RunningDaemon {
        let daemon = try started.get()
        _ = try guardian.get()
        // Takes in what it logged, which would fill its pipe in the end.
        do throws(ChildProcess.Failure) {
            _ = try daemon.line(within: 0) { _ in false }
        } catch {
            guard case .timedOut = error else { throw error }
        }
        return daemon
    }

    /// The name of a topic that no other test of the suite has.
    func topic() -> String {
        topics.write { count in
            count += 1
            return "own\(count)"
        }
    }
}
