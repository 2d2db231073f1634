import TestSupport

/// The built `belfry`, run against a built daemon, with a home of its own.
final class CommandRig {
    /// How one run ended and what it wrote.
    struct Outcome: Equatable {
        let code: Int32
        let output: String
        let errors: String
    }

    private(set) var daemon: RunningDaemon
    let home = TemporaryFolder()

    init(configuration: String = "") throws {
        daemon = try RunningDaemon(configuration: configuration)
    }

    /// Another daemon on the same socket, with the same events.
    func restart() throws { daemon = try daemon.restarted() }

    /// Starts the command; it finds the daemon by its environment.
    func start(_ words: String..., variables: [String: String] = [:]) throws -> ChildProcess {
        try start(words, variables)
    }

    func start(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> ChildProcess {
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": home.path, "BELFRY_URL": daemon.socketPath,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        return try ChildProcess(
            ChildProcess.product("belfry"), words,
            environment: environment.merging(variables) { $1 })
    }

    /// Runs the command to its end.
    @discardableResult
    func run(
        _ words: String..., input: String = "", variables: [String: String] = [:]
    ) throws -> Outcome {
        let child = try start(words, variables)
        if !input.isEmpty { try child.write(Array(input.utf8)) }
        return try Self.outcome(of: child)
    }

    /// Waits for the end of a run. Leaves out that it waited for the bus: on a busy machine any run
    /// may say so.
    static func outcome(of child: ChildProcess) throws -> Outcome {
        let ending = try child.wait()
        let errors = child.text(of: .errors).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .filter { !$0.hasSuffix("; still trying") }.joined(separator: "\n")
        guard case .exited(let code) = ending else {
            return Outcome(code: -1, output: "", errors: errors)
        }
        return Outcome(code: code, output: child.text(of: .output), errors: errors)
    }

    /// Every event that there is, one a line.
    func events(of selector: String, _ form: String = "--data") throws -> [String] {
        try run("sub", selector, "--since", "earliest", "--until-now", form).output
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
    }
}
