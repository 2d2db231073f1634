import TestSupport
import Testing

/// The blocks of one page, run by `dash` in their order against one new bus, as its reader would.
///
/// The shells find the scripts that pages have their readers save, and the programs that a test
/// puts before those of the machine. curl is told to keep quiet about progress, as it is by
/// itself on a terminal.
final class DocumentedSession {
    private(set) var daemon: RunningDaemon
    private let folder = TemporaryFolder()

    /// - Parameters:
    ///   - configuration: The text of the bus's configuration file.
    ///   - scripts: What is in the folder of the shells, by name.
    ///   - programs: What they find before the programs of the machine, by name.
    ///   - reachedBySocket: Whether curl goes through the unix socket, whose path stays where it
    ///     is when the bus starts again.
    init(
        configuration: String = "", scripts: [String: String] = [:],
        programs: [String: String] = [:], reachedBySocket: Bool = false
    ) throws {
        daemon = try RunningDaemon(configuration: configuration)
        for (name, text) in scripts { try save(text, as: name) }
        _ = try shell("mkdir programs").wait()
        for (name, text) in programs { try save(text, as: "programs/\(name)") }
        let way = reachedBySocket ? "unix-socket = \"\(daemon.socketPath)\"\n" : ""
        folder.write("no-progress-meter\n" + way, to: ".curlrc")
    }

    /// Runs a page to its end; each step that prints something else is an issue.
    func run(_ page: String, of path: String) throws {
        for example in ShellExample.all(in: page) {
            let shell = try shell(example.script)
            let place = "\(path), line \(example.line)"
            #expect(try shell.wait() == .exited(0), "\(place)")
            #expect(shell.text(of: .errors) == "", "\(place)")
            if let objection = example.objection(to: shell.text(of: .output)) {
                Issue.record("\(place): \(objection)")
            }
        }
    }

    /// A shell in the folder, told where the bus is instead of where pages say.
    func shell(_ script: String) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env",
            ["-C", folder.path, "HOME=\(folder.path)", "dash", "-c", directed(script)],
            environment: ["PATH": "\(folder.path)/programs:/usr/bin:/bin"])
    }

    /// Makes a program of a text.
    func save(_ text: String, as name: String) throws {
        try folder.writeProgram(directed(text), to: name)
    }

    /// What is in a file of the folder; nothing where there is none.
    func text(of name: String) -> String { folder.text(of: "\(folder.path)/\(name)") }

    /// Stops the bus, and starts it again with what it has kept.
    func restartBus() throws { daemon = try daemon.restarted() }

    private func directed(_ text: String) -> String {
        text.replacing("localhost:7464", with: "localhost:\(daemon.port)")
            .replacing("/run/belfry/belfry.sock", with: daemon.socketPath)
    }
}
