import Glibc
import TestSupport
import Testing

@testable import belfry

/// `belfry topic set --expect`, and what other commands make of the events that tell of a silence.
@Suite(.blocking) struct SilenceCommandTests {
    private let rig: CommandRig

    init() throws { rig = try CommandRig() }

    /// Has the topic become silent.
    private func silence() throws {
        try rig.run("topic", "set", "backup", "--expect", "1s")
        let told = try rig.run(
            "wait", "backup", "--type", "$silent", "--since", "earliest", "--timeout", "60s",
            "--data")
        #expect(told.code == 0 && told.output.hasPrefix("No event since 20"), "\(told)")
        try rig.run("topic", "set", "backup", "--expect", "1h")
    }

    @Test func anExpectationIsSetShownAndRefused() throws {
        #expect(try rig.run("topic", "set", "backup", "--keep", "5").code == 0)
        #expect(
            try rig.run("topic", "set", "backup", "--expect", "26h")
                == .init(code: 0, output: "", errors: ""))
        let shown = try rig.run("topic", "show", "backup").output
        #expect(shown.contains("\nkeep          5\n") && shown.contains("\nexpect        26h\n"))
        #expect(shown.contains("\nsilent_since  -\n"), "\(shown)")
        let wrong = try rig.run("topic", "set", "backup", "--expect", "999ms")
        #expect(wrong.code == 3 && wrong.errors.contains("from 1s to 365d, or none"), "\(wrong)")
        #expect(try rig.run("topic", "set", "backup", "--expect", "none").code == 0)
        let json = try rig.run("topic", "show", "backup", "--json").output
        #expect(json.contains(#""keep":5,"#) && json.hasSuffix(#""expect":null}"# + "\n"))
    }

    @Test func aTopicThatIsSilentIsShownSo() throws {
        try silence()
        let shown = try rig.run("topic", "show", "backup").output
        #expect(shown.contains(#/\nsilent_since  20[-0-9:.T]+Z\n/#), "\(shown)")
        for command in [["topic", "show", "backup"], ["topics"]] {
            let child = try rig.start(command + ["--json"])
            let json = try CommandRig.outcome(of: child).output
            #expect(json.contains(#","expect":"1h","silent_since":"20"#), "\(json)")
        }
    }

    @Test(arguments: [[], ["--parallel", "2"]])
    func aProgramRunsForTheBussOwnTypesWhereTheyAreNamed(options: [String]) throws {
        try silence()
        try rig.run("pub", "backup", "ok")
        let reading = ["sub", "backup", "--since", "earliest"] + options
        let all = try rig.start(reading + ["--name", "n", "--until-now", "--", "cat"])
        #expect(try CommandRig.outcome(of: all) == .init(code: 0, output: "ok\n", errors: ""))
        let named = try rig.start(reading + ["--type", "$silent", "--max", "1", "--", "cat"])
        #expect(try CommandRig.outcome(of: named).output.hasPrefix("No event since 20"))
        // Without a program they are printed as all others.
        #expect(try rig.events(of: "backup").first?.hasPrefix("No event since 20") == true)
    }

    @Test func theBussOwnTypesAreNotCopied() throws {
        try silence()
        try rig.run("pub", "backup", "ok")
        let other = try CommandRig()
        let outcome = try rig.run("copy", rig.daemon.socketPath, other.daemon.socketPath)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.errors == """
                belfry: events of the bus's own types stay behind
                belfry: 1 events copied

                """)
        #expect(try other.events(of: "backup") == ["ok"])
    }

    /// A shell leaves no word of `$silent` without quotes, and an empty one between double quotes.
    @Test func aTypeThatTheShellTookAwayIsTold() throws {
        for words in [["--type", "--", "mail"], ["--type", "--max", "1"], ["--type"]] {
            let outcome = try CommandRig.outcome(of: try rig.start(["sub", "backup"] + words))
            #expect(outcome.code == CommandExit.usage.rawValue, "\(outcome)")
            #expect(outcome.errors.contains("'--type' lacks its TYPE"), "\(outcome)")
            #expect(outcome.errors.contains("single quotes"), "\(outcome)")
        }
        let empty = try rig.run("sub", "backup", "--type", "", "--until-now")
        #expect(empty.code == 3 && empty.errors.contains("single quotes"), "\(empty)")
        let odd = try rig.run("sub", "backup", "--type=--max", "--until-now")
        #expect(odd == .init(code: 0, output: "", errors: ""))
    }

    @Test func theyAreNeitherPushedNorCopiedNorWork() throws {
        try silence()
        let other = try CommandRig()
        try rig.run("topic", "set", "backup", "--expect", "none")
        try rig.run("pub", "backup", "done")
        let receiver = try WebhookReceiver()
        let hooks = rig.home.write(
            "backup \(receiver.address) \(WebhookReceiver.secret)\n", to: "hooks")
        chmod(hooks, 0o600)
        #expect(try rig.run("push", hooks, "--since", "earliest", "--until-now").code == 0)
        #expect(receiver.taken.count == 1 && receiver.taken[0].contains("\"data\":\"done\""))
        let copied = try rig.run("copy", rig.daemon.socketPath, other.daemon.socketPath)
        #expect(copied.code == 0 && copied.errors.contains("own types stay behind"))
        #expect(try other.events(of: "backup") == ["done"])
        let script = "echo \"$BELFRY_TYPE.$(cat)\""
        let worked = try rig.run(
            "work", "g", "backup", "--until-empty", "--", "sh", "-c", script)
        #expect(worked == .init(code: 0, output: ".done\n", errors: ""))
    }

    @Test func topShowsHowManyTopicsAreSilent() throws {
        try silence()
        let lines = try rig.run("top", "--once", "--every", "100ms").output.split(separator: "\n")
        #expect(lines.contains { $0.split(separator: " ") == ["of", "them", "silent", "1"] })
        let json = try rig.run("top", "--once", "--json", "--every", "100ms").output
        #expect(json.contains(#""topics":1,"silent_topics":1,"#))
    }
}
