import Glibc
import TestSupport
import Testing

@Suite(.blocking) struct WorkTests {
    @Test func aProgramRunsForEachJobWithItsPayloadAndVariables() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs.a", "one", "--key", "k", "--type", "t")
        try rig.run("pub", "jobs.b", "two")
        let script = """
            echo "$BELFRY_GROUP $BELFRY_TOPIC $BELFRY_KEY $BELFRY_TYPE $BELFRY_ATTEMPT $(cat)"
            """
        let outcome = try rig.run(
            "work", "g", "jobs.*", "--until-empty", "--", "sh", "-c", script)
        #expect(
            outcome == .init(code: 0, output: "g jobs.a k t 1 one\ng jobs.b   1 two\n", errors: ""))
        #expect(try rig.run("group", "show", "g", "--json").output.contains(#""done":2"#))
        let again = try rig.run("work", "g", "--until-empty", "--", "cat")
        #expect(again == .init(code: 0, output: "", errors: ""))
    }

    @Test func howAProgramEndsSaysWhatBecomesOfItsJob() throws {
        let rig = try CommandRig()
        try rig.run("group", "set", "g", "--of", "jobs", "--dead", "failed")
        for code in ["0", "65", "3"] { try rig.run("pub", "jobs", code) }
        let outcome = try rig.run(
            "work", "g", "--max", "3", "--", "sh", "-c", "exit $(cat)")
        #expect(outcome.code == 0 && outcome.errors.contains("ended with 3"))
        let shown = try rig.run("group", "show", "g", "--json").output
        #expect(shown.contains(#""open":1"#) && shown.contains(#""done":1,"failed":1"#))
        #expect(try rig.events(of: "failed") == ["65"])
        let jobs = try rig.run("jobs", "g").output.split(separator: "\n")
        #expect(jobs.count == 2 && jobs[0].hasPrefix("JOB ") && jobs[1].contains(" waiting "))
        #expect(try rig.run("jobs", "g", "--json").output.contains(#""attempt":1"#))
    }

    @Test func ofItsLastAttemptAWorkerSaysWhereTheJobGoesAndTheLetterSaysWhy() throws {
        let rig = try CommandRig()
        try rig.run("group", "set", "g", "--of", "jobs", "--dead", "failed", "--attempts", "2")
        try rig.run("pub", "jobs", "bad")
        let script = "echo lost >&2; echo 'no such host' >&2; exit 3"
        let outcome = try rig.run("work", "g", "--max", "2", "--", "sh", "-c", script)
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains("attempt") }
        #expect(lines.count == 2, "\(outcome.errors)")
        #expect(lines.first?.hasSuffix("attempt 1: it comes again") == true)
        #expect(
            lines.last?.hasSuffix("attempt 2: that was its last attempt, and it goes to failed")
                == true)
        // What a program says is handed on.
        #expect(outcome.errors.contains("no such host\n"))
        try rig.run("pub", "jobs", "worse")
        try rig.run("work", "g", "--max", "1", "--", "sh", "-c", "echo no such user >&2; exit 65")
        while try rig.events(of: "failed").count < 2 {}
        let letters = try rig.events(of: "failed", "--json")
        #expect(letters[0].contains(#""deadreason":"sh ended with 3: no such host""#))
        #expect(letters[1].contains(#""deadreason":"sh ended with 65: no such user""#))
        let printed = try rig.run("sub", "failed", "--since", "earliest", "--max", "1").output
        #expect(
            printed.hasSuffix(" failed bad (dead letter of g: sh ended with 3: no such host)\n"))
    }

    @Test func withoutAPlaceForDeadLettersAJobComesAgain() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "bad")
        let outcome = try rig.run(
            "work", "g", "jobs", "--max", "1", "--", "sh", "-c", "exit 65")
        #expect(outcome.code == 0 && outcome.errors.contains("comes again"))
        #expect(try rig.run("group", "show", "g", "--json").output.contains(#""open":1"#))
    }

    @Test func aProgramThatCannotRunGivesItsJobBack() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "x")
        let outcome = try rig.run("work", "g", "jobs", "--", "/nonexistent")
        #expect(outcome.code == 7 && outcome.errors.contains("cannot be run"))
        #expect(try rig.run("jobs", "g", "--json").output.contains(#""state":"waiting""#))
    }

    @Test func whatComesOutIsAnEventIfAndOnlyIfTheJobIsDone() throws {
        let rig = try CommandRig()
        for code in ["0", "1"] { try rig.run("pub", "jobs", code, "--key", "k") }
        try rig.run(
            "work", "g", "jobs", "--max", "2", "--output", "out", "--content-type", "text/x", "--",
            "sh", "-c", "code=$(cat); printf \"out $code\"; exit $code")
        let events = try rig.events(of: "out", "--json")
        #expect(events.count == 1)
        #expect(events[0].contains(#""key":"k","content_type":"text/x","data":"out 0","#))
    }

    @Test func programsRunAtOnceAndEachJobOnce() throws {
        let rig = try CommandRig()
        let published = (0..<6).map { "\($0)" }
        try rig.run("pub", "jobs", "--lines", input: published.joined(separator: "\n"))
        // None of the first two ends before both run.
        let script = """
            read n || :; : >"$HOME/$n"; until [ -e "$HOME/0" ] && [ -e "$HOME/1" ]; do :; done
            echo "$n"
            """
        let outcome = try rig.run(
            "work", "g", "jobs", "--parallel", "2", "--until-empty", "--", "sh", "-c", script)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").map { String($0) }.sorted() == published)
    }

    @Test func aWorkerOutlivesARestartAndSettlesBehindIt() throws {
        let rig = try CommandRig()
        for text in ["one", "two"] { try rig.run("pub", "jobs", text) }
        let child = try rig.start(
            "work", "g", "jobs", "--max", "2", "--", "sh", "-c",
            "cat; until [ -e \"$HOME/on\" ]; do :; done")
        #expect(try child.line(from: .output) == "one")
        try rig.daemon.kill()
        _ = rig.home.write("", to: "on")
        try rig.restart()
        #expect(try CommandRig.outcome(of: child).code == 0)
        #expect(child.text(of: .output) == "one\ntwo\n")
        let shown = try rig.run("group", "show", "g", "--json").output
        #expect(shown.contains(#""open":0"#))
    }

    @Test func aLeaseIsExtendedWhileItsProgramRuns() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "one")
        let child = try rig.start(
            "work", "g", "jobs", "--max", "1", "--lease", "1s", "--", "sh", "-c",
            "echo runs; until [ -e \"$HOME/on\" ]; do :; done")
        #expect(try child.line(from: .output) == "runs")
        let first = try rig.run("jobs", "g", "--json").output
        while try rig.run("jobs", "g", "--json").output == first {}
        #expect(try rig.run("jobs", "g", "--json").output.contains(#""attempt":1"#))
        _ = rig.home.write("", to: "on")
        #expect(try CommandRig.outcome(of: child).code == 0)
    }

    @Test func aWorkerThatIsToldToStopFinishesOrGivesBack() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "one")
        let finishing = try rig.start(
            "work", "g", "jobs", "--", "sh", "-c",
            "trap 'exit 0' TERM; echo runs; while :; do :; done")
        #expect(try finishing.line(from: .output) == "runs")
        finishing.send(SIGTERM)
        #expect(try finishing.wait() == .exited(0))
        #expect(try rig.run("group", "show", "g", "--json").output.contains(#""done":1"#))

        try rig.run("pub", "jobs", "two")
        let leaving = try rig.start("work", "g", "--", "sh", "-c", "echo runs; while :; do :; done")
        #expect(try leaving.line(from: .output) == "runs")
        leaving.send(SIGINT)
        #expect(try leaving.wait() == .exited(0))
        // At once for anybody, with one attempt spent.
        let next = try rig.run(
            "work", "g", "--until-empty", "--", "sh", "-c", "echo $BELFRY_ATTEMPT $(cat)")
        #expect(next.output == "2 two\n")

        let waiting = try rig.start("work", "g", "--", "cat")
        while try !rig.run("group", "show", "g", "--json").output.contains(#""workers":1"#) {}
        waiting.send(SIGTERM)
        #expect(try waiting.wait() == .exited(0))
    }

    @Test func aKilledWorkersJobGoesToTheNextOneOfItsName() throws {
        let rig = try CommandRig()
        try rig.run("pub", "jobs", "one")
        let first = try rig.start(
            "work", "g", "jobs", "--worker", "w", "--", "sh", "-c",
            "echo runs; until [ -e \"$HOME/killed\" ]; do :; done")
        #expect(try first.line(from: .output) == "runs")
        first.send(SIGKILL)
        _ = rig.home.write("", to: "killed")
        let outcome = try rig.run(
            "work", "g", "--worker", "w", "--max", "1", "--", "sh", "-c",
            "echo $BELFRY_ATTEMPT $(cat)")
        #expect(outcome.output == "2 one\n")
    }

    @Test func whatIsNoWorkerIsRefused() throws {
        let rig = try CommandRig()
        #expect(try rig.run("work", "g", "jobs").code == 2)
        #expect(try rig.run("work", "g", "jobs", "--lease", "1ms", "--", "true").code == 2)
        let absent = try rig.run("work", "g", "--", "true")
        #expect(absent.code == 1 && absent.errors.contains("'belfry group set g --of SELECTOR'"))
        try rig.run("group", "set", "g", "--of", "jobs")
        let other = try rig.run("work", "g", "letters", "--", "true")
        #expect(other.code == 3 && other.errors.contains("GROUP_DIFFERS"))
    }
}
