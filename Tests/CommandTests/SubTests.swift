import Glibc
import TestSupport
import Testing

@Suite(.blocking) struct SubTests {
    @Test func eventsArePrintedAsTheyCome() throws {
        let rig = try CommandRig()
        let child = try rig.start("sub", "a", "b.*", "--data", "--since", "earliest")
        for (topic, text) in [("a", "one"), ("c", "not this"), ("b.x", "two")] {
            try rig.run("pub", topic, text)
        }
        #expect(try child.line(from: .output) { _ in true } == "one")
        #expect(try child.line(from: .output) { _ in true } == "two")
    }

    @Test func whoWaitsIsListedWithItsUserAndItsProcess() throws {
        let rig = try CommandRig()
        let absent = try rig.run("subscribers", "deploys")
        #expect(absent.code == 1 && absent.errors.contains("nobody that you may see waits for"))
        try rig.run("pub", "deploys", "one")
        let child = try rig.start("sub", "deploys", "--since", "earliest")
        _ = try child.line(from: .output) { _ in true }
        #expect(try rig.run("subscribers", "deploy").errors.contains("did you mean 'deploys'?"))
        let table = try rig.run("subscribers", "deploys").output.split(separator: "\n")
        try #require(table.count == 2)
        #expect(
            table[0].split(separator: " ").joined(separator: " ")
                == "SELECTOR FORM USER PID SINCE BEHIND")
        let user = try #require(getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) })
        let columns = table[1].split(separator: " ").map { String($0) }
        #expect(columns.count == 7, "\(table[1])")
        #expect(columns[0] == "deploys" && columns[2] == user && columns[3] == "\(child.pid)")
        #expect(columns[5] == "ago" && columns[6] == "0")
        let json = try rig.run("subscribers", "--json").output
        #expect(json.hasPrefix(#"{"selector":"deploys","type":null"#) && json.hasSuffix("}\n"))
    }

    @Test func forPeopleALineHasTimeTopicAndWhatATerminalMaySee() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", input: "x\u{1B}[31m\n")
        let line = try rig.run("sub", "a", "--since", "earliest", "--max", "1").output
        #expect(line.hasSuffix("Z a x\\u{1b}[31m\\u{a}\n"))
    }

    @Test func aFormatSaysWhatALineIs() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "x", "--type", "t", "--key", "k")
        let line = try rig.run(
            "sub", "a", "--since", "earliest", "--until-now", "--format",
            "{{{topic}}} {type}/{key} {content_type}{data}{{")
        #expect(line.output == "{a} t/k x{\n")
        for format in ["{", "{topic", "{nothing}", "{}"] {
            #expect(try rig.run("sub", "a", "--format", format).code == 2)
        }
    }

    @Test func aGapIsToldOrEndsIt() throws {
        let rig = try CommandRig()
        try rig.run("topic", "set", "small", "--keep", "1")
        let first = try rig.run("pub", "small", "1", "--id").output.dropLast()
        for text in ["2", "3"] { try rig.run("pub", "small", text) }
        let words = ["sub", "small", "--since", String(first), "--until-now", "--data"]
        let told = try rig.run(words[0], words[1], words[2], words[3], words[4], words[5])
        #expect(told.code == 0 && told.output == "3\n" && told.errors.contains("may be missing"))
        let strict = try rig.run(
            words[0], words[1], words[2], words[3], words[4], words[5], "--strict")
        #expect(strict.code == 6 && strict.output == "")
    }

    @Test func aNameBeginsAtNowAndGoesOnWhereItStopped() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "before")
        let first = try rig.start("sub", "a", "--name", "reader", "--data")
        let file = "\(rig.home.path)/.local/state/belfry/reader.cursor"
        while rig.home.text(of: file).isEmpty {}
        let second = try rig.run("sub", "a", "--name", "reader")
        #expect(second.code == 8 && second.errors.contains("is running"))
        first.send(SIGKILL)
        _ = try first.wait()
        for text in ["one", "two", "three"] { try rig.run("pub", "a", text) }
        #expect(
            try rig.run("sub", "a", "--name", "reader", "--data", "--max", "2").output
                == "one\ntwo\n")
        #expect(
            try rig.run("sub", "a", "--name", "reader", "--data", "--until-now").output
                == "three\n")
        #expect(try rig.run("sub", "a", "--name", "../reader").code == 2)
    }

    @Test func aCursorIsOfOneSelector() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "one")
        let words = ["--name", "w", "--since", "earliest", "--until-now", "--data"]
        let run = { (selectors: [String]) in
            try CommandRig.outcome(of: rig.start(["sub"] + selectors + words))
        }
        #expect(try run(["a", "b"]).output == "one\n")
        let refused = try run(["c"])
        let file = "\(rig.home.path)/.local/state/belfry/w.cursor"
        #expect(refused.code == 2 && refused.output == "")
        #expect(refused.errors.contains("'of a,b'") && refused.errors.contains(file))
        try rig.run("pub", "b", "two")
        #expect(try run(["b", "a"]) == .init(code: 0, output: "two\n", errors: ""))
        // Files of before have no such line. The next run adds it.
        let id = try #require(rig.home.text(of: file).split(separator: "\n").first)
        _ = rig.home.write("\(id)\n", to: ".local/state/belfry/w.cursor")
        #expect(try run(["over"]).code == 0)
        try rig.run("pub", "over", "three")
        #expect(try run(["over"]).output == "three\n")
        #expect(try run(["over"]) == .init(code: 0, output: "", errors: ""))
        #expect(try run(["a"]).code == 2)
    }

    @Test func aProgramRunsForEachEventAtLeastOnceHoweverOftenItIsKilled() throws {
        let rig = try CommandRig()
        let words = ["sub", "log", "--name", "worker", "--since", "earliest"]
        let published = (0..<30).map { "event \($0)" }
        try rig.run("pub", "log", "--lines", input: published.joined(separator: "\n"))
        var ran: [String] = []
        for round in 0..<6 {
            let child = try rig.start(
                words[0], words[1], words[2], words[3], words[4], words[5], "--", "sh", "-c",
                "cat")
            for _ in 0...round { _ = try child.line(from: .output) { _ in true } }
            child.send(SIGKILL)
            _ = try child.wait()
            ran += child.text(of: .output).split(separator: "\n").map { String($0) }
        }
        let last = try rig.run(
            words[0], words[1], words[2], words[3], "--until-now", "--", "sh", "-c", "cat")
        #expect(last.code == 0)
        ran += last.output.split(separator: "\n").map { String($0) }
        // Only what ran when it was killed runs again, next.
        var once: [String] = []
        for line in ran where once.last != line { once.append(line) }
        #expect(once == published)
    }

    @Test func aProgramIsToldOfItsEventAndMovesTheCursorOnlyAfterZero() throws {
        let rig = try CommandRig()
        let id = try rig.run("pub", "a", "text", "--type", "t", "--key", "k", "--id").output
        let script = """
            echo "$BELFRY_ID $BELFRY_TOPIC $BELFRY_TYPE $BELFRY_KEY $(cat)"; exit $CODE
            """
        for (code, ending) in [("3", Int32(7)), ("0", 0)] {
            let outcome = try rig.run(
                "sub", "a", "--name", "n", "--since", "earliest", "--max", "1", "--", "sh", "-c",
                script, variables: ["CODE": code, "BELFRY_KEY": "mine"])
            #expect(outcome.code == ending)
            #expect(outcome.output == "\(id.dropLast()) a t k text\n")
        }
        let rest = try rig.run("sub", "a", "--name", "n", "--until-now", "--data")
        #expect(rest == .init(code: 0, output: "", errors: ""))
        #expect(try rig.run("sub", "a", "--since", "earliest", "--", "/nonexistent").code == 7)
    }

    @Test func programsOfAKeyRunInOrderAndThoseOfOthersAtOnce() throws {
        let rig = try CommandRig()
        // The first event of each key ends behind the start of the other one's.
        for (key, text) in [("a", "a1"), ("b", "b1"), ("a", "a2"), ("b", "b2")] {
            try rig.run("pub", "jobs", text, "--key", key)
        }
        let script = """
            read n || :; : >"$HOME/$n"
            case $n in *1) until [ -e "$HOME/a1" ] && [ -e "$HOME/b1" ]; do :; done;; esac
            [ $n = b2 ] && [ ! -e "$HOME/on" ] && exit 1
            echo "$n"
            """
        let first = try rig.run(
            "sub", "jobs", "--name", "n", "--since", "earliest", "--until-now", "--parallel", "2",
            "--", "sh", "-c", script)
        #expect(first.code == 7)
        #expect(Set(first.output.split(separator: "\n")).isSuperset(of: ["a1", "b1"]))
        _ = rig.home.write("", to: "on")
        let second = try rig.run(
            "sub", "jobs", "--name", "n", "--until-now", "--parallel", "2", "--", "sh", "-c",
            script)
        #expect(second.code == 0 && second.output.contains("b2\n"))
        let lines = (first.output + second.output).split(separator: "\n")
        for key in ["a", "b"] {
            var order: [Substring] = []
            for line in lines where line.hasPrefix(key) && order.last != line { order.append(line) }
            #expect(order == ["\(key)1", "\(key)2"])
        }
        let rest = try rig.run("sub", "jobs", "--name", "n", "--until-now", "--data")
        #expect(rest == .init(code: 0, output: "", errors: ""))
    }

    @Test func aProgramBlocksNoSignal() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "text")
        let outcome = try rig.run(
            "sub", "a", "--since", "earliest", "--max", "1", "--", "grep", "SigBlk",
            "/proc/self/status")
        #expect(outcome.output == "SigBlk:\t0000000000000000\n")
    }

    @Test func aProgramThatFailedRunsAgain() throws {
        let rig = try CommandRig()
        try rig.run("pub", "a", "text")
        let outcome = try rig.run(
            "sub", "a", "--since", "earliest", "--max", "1", "--retry", "1", "--", "sh", "-c",
            "test -e \"$HOME/seen\" || { : >\"$HOME/seen\"; exit 1; }")
        #expect(outcome.code == 0 && outcome.errors.contains("runs again in 1 s"))
    }

    @Test func waitingEndsWithAnEventOrWithoutOne() throws {
        let rig = try CommandRig()
        #expect(
            try rig.run("wait", "a", "--timeout", "10ms") == .init(code: 1, output: "", errors: ""))
        try rig.run("pub", "a", "there", "--type", "up")
        #expect(
            try rig.run("wait", "a", "--since", "earliest", "--type", "up", "--data")
                == .init(code: 0, output: "there\n", errors: ""))
    }

    @Test func aBusThatStartsLaterIsWaitedFor() throws {
        let rig = try CommandRig()
        try rig.daemon.kill()
        let child = try rig.start("sub", "a", "--since", "earliest", "--max", "1", "--data")
        try rig.restart()
        try rig.run("pub", "a", "late")
        #expect(try CommandRig.outcome(of: child).output == "late\n")
    }

    @Test func topicsAreListedShownAndRemoved() throws {
        let rig = try CommandRig()
        #expect(try rig.run("topic", "set", "jobs.one", "--keep", "5").code == 0)
        #expect(try rig.run("topic", "set", "jobs.one", "--keep", "many").code == 3)
        try rig.run("pub", "jobs.two", "x")
        let table = try rig.run("topics", "jobs.*").output.split(separator: "\n")
        #expect(table.count == 3 && table[0].hasPrefix("TOPIC     EVENTS  BYTES"))
        #expect(table[0].hasSuffix("SUBSCRIBERS  REGISTERED"))
        #expect(table[2].hasPrefix("jobs.two") && table[2].contains(#/ [0-9]+[sm] ago /#))
        let shown = try rig.run("topic", "show", "jobs.one", "--json").output
        #expect(shown.contains(#""registered":true"#) && shown.contains(#""keep":5,"#))
        let rows = try rig.run("topic", "show", "jobs.one").output.split(separator: "\n")
            .map { $0.split(separator: " ").joined(separator: " ") }
        for row in [
            "NAME VALUE", "topic jobs.one", "keep 5", "keep_for 1d", "persist yes", "bytes 0",
            "subscribers 0",
        ] {
            #expect(rows.contains(row), "\(row)")
        }
        #expect(rows.contains("hold -") && shown.contains(#","hold":null,"#))
        try rig.run("group", "set", "g", "--of", "jobs.one")
        #expect(try rig.run("topic", "set", "jobs.one", "--hold", "g").code == 0)
        #expect(try rig.run("topic", "set", "jobs.one", "--keep", "7").code == 0)
        let held = try rig.run("topic", "show", "jobs.one").output
        #expect(held.contains("hold          g\n") && held.contains("keep          7\n"))
        #expect(try rig.run("topics", "jobs.one", "--json").output.contains(#""hold":"g""#))
        #expect(try rig.run("topic", "set", "jobs.one", "--hold", "none").code == 0)
        #expect(try rig.run("topic", "rm", "jobs.one").code == 0)
        for words in [["topic", "show"], ["topic", "rm"], ["topics"]] {
            let absent = try CommandRig.outcome(of: try rig.start(words + ["jobs.one"]))
            #expect(absent.code == 1 && absent.output == "")
            #expect(absent.errors.contains("there is no topic 'jobs.one'"))
            let near = try CommandRig.outcome(of: try rig.start(words + ["jobs.tow"]))
            #expect(near.code == 1 && near.errors.contains("did you mean 'jobs.two'?"))
        }
        #expect(try rig.run("get", "jobs.two", "1").code == 1)
    }
}
