internal import SQLiteStore
internal import Telemetry

/// The commands of the program about a store, besides serving it.
struct StoreTool {
    let path: String
    let log: Log

    /// Says whether all of the store is as it should be.
    func check() -> ExitCode {
        do {
            let findings = try SQLiteStore.check(path)
            for finding in findings { log.error("\(path): \(finding)") }
            guard findings.isEmpty else { return .failure }
            Program.print("OK\n")
            return .success
        } catch {
            log.error(error.detail)
            return .failure
        }
    }

    /// Puts a copy in the place of the store.
    func restore(_ copy: String) -> ExitCode {
        do {
            try SQLiteStore.restore(copy, to: path)
            Program.print("\(path)\n")
            return .success
        } catch {
            log.error(error.detail)
            return .failure
        }
    }

    /// Copies the store into a file that is not there yet.
    func backUp(to copy: String) -> ExitCode {
        do {
            try SQLiteStore.backUp(path, to: copy)
            Program.print("\(copy)\n")
            return .success
        } catch {
            log.error(error.detail)
            return .failure
        }
    }
}
