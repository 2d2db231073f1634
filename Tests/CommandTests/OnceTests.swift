import TestSupport
import Testing

/// Commands on a link that loses answers: no event is lost, and none is there twice.
@Suite(.blocking) struct OnceTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    /// Runs a command on a link that loses the answers to the first so many publishes.
    private func run(
        _ words: [String], losing count: Int, input: String = ""
    ) throws -> CommandRig.Outcome {
        let server = try ScriptedServer(before: rig.daemon, losing: count)
        let child = try rig.start(
            [words[0], "--patience", "1h"] + words.dropFirst(),
            ["BELFRY_URL": "http://127.0.0.1:\(server.port)"])
        if !input.isEmpty { try child.write(Array(input.utf8)) }
        return try CommandRig.outcome(of: child)
    }

    @Test func anEventWithoutAnAnswerIsThereOnce() throws {
        let outcome = try run(["pub", "a", "x"], losing: 2)
        #expect(outcome == CommandRig.Outcome(code: 0, output: "", errors: ""))
        #expect(try rig.events(of: "a") == ["x"])
    }

    @Test func withoutRepeatsItEndsWithFive() throws {
        let outcome = try run(["pub", "a", "x", "--no-repeat"], losing: 1)
        #expect(outcome.code == 5 && outcome.errors.contains("the outcome is unknown"))
        #expect(try rig.events(of: "a") == ["x"])
    }

    @Test func linesWithoutAnAnswerAreThereOnce() throws {
        let lines = (0..<30_000).map { "line \($0)" }
        let outcome = try run(
            ["pub", "a", "--lines"], losing: 3, input: lines.map { $0 + "\n" }.joined())
        #expect(outcome == CommandRig.Outcome(code: 0, output: "", errors: ""))
        #expect(try rig.events(of: "a") == lines)
    }

    @Test func aRunIsToldOnce() throws {
        let outcome = try run(["run", "a", "--", "true"], losing: 3)
        #expect(outcome.code == 0)
        let types = try rig.run(
            "sub", "a", "--since", "earliest", "--until-now", "--format", "{type}")
        #expect(types.output == "started\nended\n")
    }

    @Test func copiesAreThereOnce() throws {
        let other = try RunningDaemon()
        for text in ["one", "two", "three"] { try rig.run("pub", "a", text, "--key", text) }
        let server = try ScriptedServer(before: other, losing: 2)
        let outcome = try rig.run(
            "copy", "--patience", "1h", rig.daemon.socketPath, "http://127.0.0.1:\(server.port)")
        #expect(outcome.code == 0 && outcome.errors == "belfry: 3 events copied\n")
        let copied = try rig.run(
            "sub", "a", "--since", "earliest", "--until-now", "--data",
            variables: ["BELFRY_URL": other.socketPath])
        #expect(copied.output == "one\ntwo\nthree\n")
    }

    @Test func aKeyOfTheUserIsPublishedOnceAndSaysSo() throws {
        let words = ["pub", "a", "backup done", "--idempotency-key", "night-21", "--id"]
        let first = try run(words, losing: 0)
        let second = try run(words, losing: 0)
        let id = first.output.dropLast()
        #expect(first.code == 0 && first.errors == "")
        #expect(second.code == 0 && second.output == first.output)
        #expect(second.errors == "belfry: this key was published before, as event \(id)\n")
        #expect(try rig.events(of: "a") == ["backup done"])
        let differs = try rig.run("pub", "a", "other", "--idempotency-key", "night-21")
        #expect(differs.code == 3 && differs.errors.contains("IDEMPOTENCY_MISMATCH"))
        let empty = try rig.run("pub", "a", "x", "--idempotency-key", "")
        #expect(empty.code == 2 && empty.errors.contains("1 to 255 bytes"))
        let lines = try rig.run("pub", "a", "--lines", "--idempotency-key", "k")
        #expect(lines.code == 2 && lines.errors.contains("leave '--idempotency-key' out"))
    }
}
