import TestSupport
import Testing

/// What a user sees of a bus that is not there, or is and says nothing.
@Suite(.blocking) struct AbsentBusTests {
    /// Nobody listens at port 1.
    private static let absent = "http://127.0.0.1:1"

    /// Every command that asks the bus, with what it needs.
    private static let commands = [
        "pub a x", "sub a", "wait a", "get a 1", "topics", "subscribers", "topic show a",
        "topic set a", "topic rm a", "work g a -- true", "answer g a -- true", "ask a x",
        "run a -- true", "copy unix:/nonexistent \(absent)", "top --once", "bench", "doctor",
        "groups", "group show g", "group set g --of a", "group rm g", "group seek g --since now",
        "jobs g", "dead g", "dead g 1", "revive g 1", "revive g --all", "later a", "cancel a 1",
    ]

    private func start(
        _ command: String, at address: String, _ options: String...
    ) throws -> ChildProcess {
        var words = command.split(separator: " ").map { String($0) }
        let place = words.firstIndex(of: "--") ?? words.count
        let url = command.hasPrefix("copy ") ? [] : ["--url", address]
        words.insert(contentsOf: url + options, at: place)
        return try ChildProcess(ChildProcess.product("belfry"), words)
    }

    @Test(arguments: commands)
    func everyCommandNamesTheAddressThatItTried(command: String) throws {
        let child = try start(command, at: Self.absent, "--patience", "0")
        let outcome = try CommandRig.outcome(of: child)
        // The program of `run` is what it is about.
        #expect(outcome.code == (command.hasPrefix("run ") ? 0 : 4))
        let address = command.hasPrefix("copy ") ? "unix:/nonexistent" : Self.absent
        #expect((outcome.errors + outcome.output).contains(address))
    }

    @Test func noCommandIsForgottenHere() throws {
        let help = try ChildProcess(ChildProcess.product("belfry"), ["help"])
        let names = try CommandRig.outcome(of: help).output.split(separator: "\n")
            .filter { $0.hasPrefix("  ") }
            .map { $0.dropFirst(2).prefix { $0 != " " } }
        #expect(names.count > 20)
        // The addresses of `push` stand in its file, and its lines name themselves.
        for name in names where name != "push" {
            #expect(Self.commands.contains { $0.split(separator: " ")[0] == name }, "\(name)")
        }
    }

    @Test func whoeverWaitsForABusIsToldSo() throws {
        let child = try start("topics", at: Self.absent)
        let line = try child.line()
        #expect(
            line.hasPrefix("belfry: the bus was not reached: \(Self.absent): ")
                && line.hasSuffix("; still trying"))
    }

    @Test(arguments: ["topics", "groups", "group rm g", "work g a -- true", "sub a", "pub a x"])
    func aServiceThatAcceptsAndSaysNothingIsToldToo(command: String) throws {
        let gate = Gate()
        let server = try ScriptedServer { _ in
            try? gate.wait()
            return ""
        }
        defer { gate.open() }
        let child = try start(command, at: "http://127.0.0.1:\(server.port)")
        let line = try child.line()
        #expect(line.contains("http://127.0.0.1:\(server.port): "))
        #expect(line.hasSuffix("; still trying"))
    }

    @Test func patienceEndsWithAServiceThatSaysNothing() throws {
        let gate = Gate()
        let server = try ScriptedServer { _ in
            try? gate.wait()
            return ""
        }
        defer { gate.open() }
        let address = "http://127.0.0.1:\(server.port)"
        let reading = try start("topics", at: address, "--patience", "1s")
        let changing = try start("pub a x", at: address, "--patience", "1s")
        let doctor = try start("doctor", at: address)
        #expect(try CommandRig.outcome(of: reading).code == 4)
        let unknown = try CommandRig.outcome(of: changing)
        #expect(unknown.code == 5 && unknown.errors.contains("the outcome is unknown"))
        let examined = try CommandRig.outcome(of: doctor)
        #expect(examined.code == 4 && examined.output.contains("journalctl -u belfryd"))
    }

    @Test func aSubscriptionThatLosesTheBusSaysSo() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "first")
        let child = try rig.start("sub", "a", "--since", "earliest", "--data")
        #expect(try child.line(from: .output) == "first")
        #expect(try rig.daemon.terminate() == .exited(0))
        let line = try child.line()
        #expect(line.contains(rig.daemon.socketPath) && line.hasSuffix("; still trying"))
    }
}
