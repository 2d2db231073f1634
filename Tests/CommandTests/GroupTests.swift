import TestSupport
import Testing

@Suite(.blocking) struct GroupTests {
    @Test func groupsAreMadeListedShownMovedAndRemoved() throws {
        let rig = try CommandRig()
        #expect(try rig.run("group", "set", "mail", "--lease", "90s").code == 3)
        #expect(
            try rig.run(
                "group", "set", "mail", "--of", "jobs.*", "--lease", "90s", "--dead", "failed",
                "--attempts", "1", "--in-flight", "7", "--order", "key"
            ).code == 0)
        #expect(try rig.run("group", "set", "mail", "--order", "none").code == 3)
        let table = try rig.run("groups").output.split(separator: "\n")
        #expect(table.count == 2 && table[0].hasPrefix("GROUP  OF      BEHIND  OPEN"))
        #expect(table[1].hasPrefix("mail   jobs.*  0       0"))
        let shown = try rig.run("group", "show", "mail").output
        for row in [
            "\nlease       90s\n", "\nbehind      0\n", "\nin_flight   7\n",
            "\ndead        failed\n",
        ] {
            #expect(shown.contains(row))
        }
        let object = try rig.run("groups", "--json").output
        #expect(object == (try rig.run("group", "show", "mail", "--json").output))
        #expect(object.hasPrefix(#"{"name":"mail","of":"jobs.*""#) && object.hasSuffix("}\n"))
        try rig.run("pub", "jobs.a", "one")
        #expect(try rig.run("group", "seek", "mail", "--since", "now").code == 0)
        #expect(try rig.run("group", "seek", "mail").code == 2)
        let none = try rig.run("work", "mail", "--until-empty", "--", "cat")
        #expect(none == .init(code: 0, output: "", errors: ""))
        #expect(try rig.run("group", "rm", "mail").code == 0)
        for words in [["group", "show"], ["group", "rm"], ["jobs"]] {
            let outcome =
                words.count == 2
                ? try rig.run(words[0], words[1], "mail") : try rig.run(words[0], "mail")
            #expect(outcome.code == 1 && outcome.errors.contains("no group mail"))
        }
    }

    @Test func aDeadLetterComesBackOnce() throws {
        let rig = try CommandRig()
        try rig.run("group", "set", "g", "--of", "jobs", "--dead", "failed")
        try rig.run("pub", "jobs", "bad")
        try rig.run("work", "g", "--max", "1", "--", "sh", "-c", "exit 65")
        let letter = try #require(try rig.events(of: "failed", "--json").first)
        let id = String(try #require(letter.split(separator: "\"").dropFirst(3).first))
        let revived = try rig.run("revive", "g", id, "--id")
        #expect(revived.code == 0 && revived.output.count > id.count - 1)
        #expect(try rig.run("revive", "g", id).code == 1)
        #expect(try rig.run("work", "g", "--max", "1", "--", "cat").output == "bad\n")
    }

    /// What a member of each line of JSON says.
    private func members(_ name: String, _ lines: String) -> [String] {
        lines.split(separator: "\n").compactMap { line in
            let words = line.split(separator: "\"")
            return words.firstIndex { $0 == name }.map { String(words[$0 + 2]) }
        }
    }

    @Test func deadLettersAreListedWithTheirReasonsShownAndPutBack() throws {
        let rig = try CommandRig()
        #expect(try rig.run("dead", "g").code == 1)
        try rig.run("group", "set", "g", "--of", "jobs")
        let none = try rig.run("dead", "g")
        #expect(none.code == 1 && none.errors.contains("'belfry group set g --dead TOPIC'"))
        try rig.run("group", "set", "g", "--dead", "failed")
        let empty = try rig.run("dead", "g")
        #expect(empty.code == 0 && empty.output.hasPrefix("LETTER  JOB"), "\(empty)")
        #expect(try rig.run("jobs", "g").errors.isEmpty)
        try rig.run("pub", "failed", "of somebody else")
        for text in ["a", "b", "c", "d"] { try rig.run("pub", "jobs", text, "--key", text) }
        try rig.run("work", "g", "--max", "4", "--", "sh", "-c", "echo no $(cat) >&2; exit 65")
        let jobs = try rig.run("jobs", "g")
        #expect(jobs.errors.contains("4 became dead letters: 'belfry dead g'"), "\(jobs)")

        let lines = try rig.run("dead", "g", "--json").output
        #expect(
            members("reason", lines) == ["a", "b", "c", "d"].map { "sh ended with 65: no \($0)" })
        let (letters, ids) = (members("id", lines), members("job", lines))
        try #require(letters.count == 4 && ids.count == 4)
        let table = try rig.run("dead", "g").output.split(separator: "\n")
        #expect(table.count == 5 && table[1].hasSuffix("sh ended with 65: no a"))
        for id in [letters[1], ids[1]] {
            let shown = try rig.run("dead", "g", id).output
            #expect(shown.contains("\nletter    \(letters[1])\n"), "\(shown)")
            #expect(shown.contains("\nreason    sh ended with 65: no b\n"), "\(shown)")
            #expect(shown.hasSuffix("\npayload   b\n"), "\(shown)")
        }
        #expect(try rig.run("dead", "g", "1").code == 1)

        #expect(try rig.run("revive", "g").code == 2)
        #expect(try rig.run("revive", "g", letters[0], "--all").code == 2)
        #expect(try rig.run("revive", "g", ids[0]).code == 0)
        #expect(try rig.run("revive", "g", letters[0]).code == 1)
        try rig.restart()
        #expect(try rig.run("revive", "g", ids[1], "--id").output.isEmpty == false)
        #expect(try rig.run("revive", "g", ids[1]).code == 1)
        #expect(members("id", try rig.run("dead", "g", "--json").output) == Array(letters[2...]))
        let all = try rig.run("dead", "g", "--revived").output
        #expect(all.contains("(revived) sh ended with 65: no a"), "\(all)")
        let rest = try rig.run("revive", "g", "--all")
        #expect(rest.code == 0 && rest.errors.contains("2 letters were published again"))
        #expect(try rig.run("dead", "g", "--json").output.isEmpty)
        let worked = try rig.run("work", "g", "--until-empty", "--", "cat").output
        #expect(worked == "a\nb\nc\nd\n")
    }

    @Test func anEventIsOfUseForATime() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "one", "--ttl", "5m")
        try rig.run("pub", "jobs", "--lines", "--ttl", "1h", input: "two\nthree\n")
        #expect(try rig.run("pub", "jobs", "x", "--ttl", "1ms").code == 3)
        #expect(try rig.run("pub", "jobs", "x", "--ttl", "soon").code == 2)
        let events = try rig.events(of: "jobs", "--json")
        #expect(events.count == 3 && events.allSatisfy { $0.contains(#""expires":"20"#) })
    }
}
