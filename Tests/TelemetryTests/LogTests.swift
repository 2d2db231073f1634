import Protection
import Telemetry
import Testing

@Suite struct LogTests {
    private static func collecting(_ level: LogLevel) -> (Log, Protected<[String]>) {
        let lines = Protected<[String]>([])
        return (
            Log(level: level) { level, text in lines.write { $0.append("\(level): \(text)") } },
            lines
        )
    }

    private static func writeAll(to log: Log) {
        log.error("a")
        log.warning("b")
        log.notice("c")
        log.info("d")
        log.debug("e")
    }

    @Test(arguments: zip(LogLevel.allCases, 1...5))
    func aLineIsWrittenIfItIsAsGraveAsTheLevel(level: LogLevel, count: Int) {
        let (log, lines) = Self.collecting(level)
        Self.writeAll(to: log)
        let all = ["error: a", "warning: b", "notice: c", "info: d", "debug: e"]
        #expect(lines.value == Array(all.prefix(count)))
    }

    @Test func textThatIsNotWantedIsNeverMade() {
        let (log, lines) = Self.collecting(.notice)
        var made = 0
        func text() -> String {
            made += 1
            return "text"
        }
        log.debug(text())
        log.info(text())
        #expect(made == 0)
        log.notice(text())
        #expect(made == 1)
        #expect(lines.value == ["notice: text"])
    }

    @Test func theLevelMayChangeWhileLogging() {
        let (log, lines) = Self.collecting(.error)
        log.info("too early")
        log.level = .info
        #expect(log.level == .info)
        log.info("in time")
        #expect(lines.value == ["info: in time"])
    }

    @Test(arguments: LogLevel.allCases)
    func everyLevelIsFoundByItsName(level: LogLevel) {
        #expect(LogLevel(name: level.name) == level)
    }

    @Test(arguments: ["", "Error", "warn", "err", "3", " debug"])
    func otherWordsAreNoLevels(word: String) {
        #expect(LogLevel(name: word) == nil)
    }

    @Test func levelsHaveTheNamesAndPrioritiesOfTheJournal() {
        #expect(LogLevel.allCases.map(\.name) == ["error", "warning", "notice", "info", "debug"])
        #expect(LogLevel.allCases.map(\.rawValue) == [3, 4, 5, 6, 7])
        #expect(LogLevel.error < .debug)
    }

    @Test func standardErrorHasTheTextAloneAndTheJournalItsPriority() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            Log(level: .debug).warning("for a person")
            Log(level: .debug, sink: Log.journal).warning("for the journal")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text == "for a person\n<4>for the journal\n")
    }

    @Test func noTextCanPassForALineOfItsOwn() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let log = Log(level: .debug, sink: Log.journal)
            log.error("first\n<0>second")
            log.error("\u{1B}[2J\r\0\u{7F}")
            log.error("größe → ok")
        }
        let written = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = [#"first\u{a}<0>second"#, #"\u{1b}[2J\u{d}\u{0}\u{7f}"#, "größe → ok"]
        #expect(written == lines.map { "<3>\($0)\n" }.joined())
    }
}
