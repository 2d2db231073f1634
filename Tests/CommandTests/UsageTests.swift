import TestSupport
import Testing
import Topics

@testable import belfry

@Suite struct UsageTests {
    @Test func everyCommandAndOptionIsInItsHelp() {
        for command in CommandTable.all {
            #expect(CommandHelp.all.contains("  \(command.name) "))
            let help = CommandHelp.text(of: command)
            for option in command.allOptions {
                #expect(help.contains("\n  \(option.name)"), "\(command.name) \(option.name)")
            }
        }
    }

    @Test func noCommandHasAnOptionTwice() {
        for command in CommandTable.all {
            #expect(Set(command.allOptions.map(\.name)).count == command.allOptions.count)
        }
        #expect(Set(CommandTable.all.map(\.name)).count == CommandTable.all.count)
    }

    @Test func thePageHasEveryCommandOptionAndExitCode() throws {
        let page = try PackageFiles.text("docs/command.md")
        for command in CommandTable.all {
            #expect(page.contains("`belfry \(command.name)"), "\(command.name)")
            for option in command.allOptions {
                #expect(page.contains("`\(option.name)"), "\(command.name) \(option.name)")
            }
        }
        for code in (0...255).compactMap({ CommandExit(rawValue: $0) }) {
            #expect(page.contains("\n| \(code.rawValue) |"))
        }
    }

    private func read(_ words: String...) throws(CommandFailure) -> Arguments {
        let sub = CommandTable.all.first { $0.name == "sub" }!
        return try Arguments(words[...], of: sub)
    }

    @Test(arguments: [
        (["sub", "a", "--sinse", "1m"], "did you mean '--since'?"),
        (["sub", "a", "sh", "-c", "cat"], "as in '-- sh -c'"),
        (["sub", "a", "./show.sh"], "as in '-- ./show.sh'"),
        (["work", "g", "a", "/usr/bin/mail"], "as in '-- /usr/bin/mail'"),
        (["run", "a", "-x"], "see --help"), (["pub", "a", "--zzz"], "see --help"),
    ])
    func whatWasProbablyMeantIsSaid(words: [String], advice: String) throws {
        let (command, rest) = try CommandTable.find(words[...])
        let error = #expect(throws: CommandFailure.self) { try Arguments(rest, of: command) }
        #expect(error?.code == .usage && error?.sentence?.contains(advice) == true)
    }

    @Test(arguments: [
        ("pubb", "pub"), ("topcis", "topics"), ("gruop", "group"), ("watch", nil), ("x", nil),
        ("docter", "doctor"), ("susb", "sub"),
    ])
    func theNearestCommandIsNamed(word: String, command: String?) {
        let error = #expect(throws: CommandFailure.self) { try CommandTable.find([word]) }
        let advice = command.map { "did you mean '\($0)'?" } ?? "see 'belfry help'"
        #expect(error?.sentence?.contains(advice) == true, "\(error?.sentence ?? "")")
    }

    @Test func theShortFormOfHelpIsHelp() throws {
        for words in [["-h"], ["pub", "-h"], ["group", "set", "-h"]] {
            let child = try ChildProcess(ChildProcess.product("belfry"), words)
            let outcome = try CommandRig.outcome(of: child)
            #expect(outcome.code == 0 && outcome.output.contains("belfry") && outcome.errors == "")
        }
    }

    @Test func optionsStandAnywhereAndProgramsLast() throws {
        let read = try read("a", "--since=-3", "b", "--max", "2", "-0", "--", "sh", "--max", "x")
        #expect(read.operands == ["a", "b"])
        #expect(read.text("--since") == "-3" && read.has("-0") && !read.has("--json"))
        #expect(try read.count("--max") == 2)
        #expect(read.program == ["sh", "--max", "x"])
    }

    @Test(arguments: [
        [], ["a", "--since"], ["a", "--max", "1", "--max", "2"], ["a", "--bogus"], ["a", "-x"],
        ["a", "--data=1"], ["a", "--"],
    ])
    func whatIsNoCommandLineIsUsage(words: [String]) {
        let sub = CommandTable.all.first { $0.name == "sub" }!
        let error = #expect(throws: CommandFailure.self) { try Arguments(words[...], of: sub) }
        #expect(error?.code == .usage && error?.sentence != nil)
    }

    @Test(arguments: ["--data", "--json", "-0", "--format"])
    func aFormOfPrintingIsRefusedBesideAProgram(form: String) throws {
        var words = ["a", form]
        if form == "--format" { words.append("{data}") }
        let sub = CommandTable.all.first { $0.name == "sub" }!
        let arguments = try Arguments((words + ["--", "cat"])[...], of: sub)
        let error = #expect(throws: CommandFailure.self) { try PrintedForm(arguments) }
        #expect(error?.code == .usage && error?.sentence?.contains("'\(form)'") == true)
    }

    @Test(arguments: [["topic"], ["topic", "list"], ["group", "--help"]])
    func aWordThatBeginsCommandsNamesThem(words: [String]) {
        let error = #expect(throws: CommandFailure.self) { try CommandTable.find(words[...]) }
        #expect(error?.code == .usage)
        #expect(error?.sentence?.contains("belfry \(words[0]) show, \(words[0]) set,") == true)
    }

    @Test(arguments: [
        "now", "earliest", "latest", "-5", "17", "10m", "1h30m", "@1795251600",
        "2026-11-21T09:00:00Z", "2026-11-21",
    ])
    func everyStartOfTheInterfaceIsUnderstood(text: String) throws {
        _ = try Names.start(text)
    }

    @Test(arguments: ["", "-", "-0", "tomorrow", "@", "10x", "2026-13-01"])
    func whatIsNoStartIsUsage(text: String) {
        #expect(throws: CommandFailure.self) { try Names.start(text) }
    }

    @Test(arguments: [3, 10_000])
    func batchesAreWholeLines(linesMax: Int) {
        var lines = LineBatches(linesMax: linesMax)
        lines.bytes = Array("a\nb\r\n\nc\nd".utf8)
        var batches: [String] = []
        while let batch = lines.next(isLast: false) { batches.append(batch.text.text) }
        #expect(batches == (linesMax == 3 ? ["a\nb\r\n\n", "c\n"] : ["a\nb\r\n\nc\n"]))
        #expect(lines.next(isLast: true)?.text.text == "d")
        #expect(lines.next(isLast: true) == nil && lines.isEmpty)
    }

    @Test func aBatchStaysBelowWhatTheBusTakes() {
        var lines = LineBatches(linesMax: 10_000)
        let line = [UInt8](repeating: 0x61, count: Limits.batchBytesMax / 2) + [0x0A]
        lines.bytes = line + line
        #expect(lines.next(isLast: false)?.count == 1)
        #expect(lines.next(isLast: false)?.count == 1)
        lines.bytes = [UInt8](repeating: 0x61, count: Limits.batchBytesMax + 1)
        #expect(lines.next(isLast: false)?.count == 1)
    }

    @Test func aKeyHasOneEventAtATimeAndTheCursorIsBehindWhatIsDone() throws {
        var lanes = KeyLanes(from: EventID(rawValue: 1))
        let events = try [(2, "a"), (3, "a"), (4, nil), (5, "a"), (6, "b")].map { id, key in
            Event(
                id: EventID(rawValue: id), time: Timestamp(microseconds: 0),
                topic: try TopicName("t"), payload: .empty,
                metadata: try EventMetadata(key: key),
                sender: .unknown, isStored: false)
        }
        #expect(events.map { lanes.add($0)?.id.rawValue } == [2, nil, 4, nil, 6])
        #expect(lanes.cursor.rawValue == 1 && lanes.count == 5 && lanes.runningCount == 3)
        #expect(lanes.end(events[2]) == nil && lanes.cursor.rawValue == 1)
        #expect(lanes.end(events[0])?.id.rawValue == 3 && lanes.cursor.rawValue == 2)
        #expect(lanes.end(events[1])?.id.rawValue == 5 && lanes.cursor.rawValue == 4)
        #expect(lanes.end(events[3]) == nil && lanes.cursor.rawValue == 5)
        #expect(lanes.end(events[4]) == nil && lanes.cursor.rawValue == 6)
        #expect(lanes.count == 0 && lanes.runningCount == 0)
        #expect(lanes.add(events[1]) != nil)
        lanes.passBy(EventID(rawValue: 9))
        #expect(lanes.cursor.rawValue == 2 && lanes.count == 1)
        #expect(lanes.end(events[1]) == nil && lanes.cursor.rawValue == 9)
    }
}
