import Testing

@testable import BelfryDaemon

struct INIFileTests {
    private func read(_ text: String) -> INIFile { INIFile(Array(text.utf8)) }

    @Test func settingsAreFoundWithTheirSectionAndLine() {
        let file = read("# a comment\n[poll]\n\nwait_max = 1h\n[http]\nloops: 2\n")
        #expect(file.fault == nil)
        #expect(
            file.settings == [
                .init(section: "poll", key: "wait_max", value: "1h", line: 4),
                .init(section: "http", key: "loops", value: "2", line: 6),
            ])
    }

    @Test func anIndentedLineIsASettingOfItsOwn() {
        let file = read("[http]\nloops = 1\n  idle_seconds = 2\n\tconnections = 3\n")
        #expect(file.settings.map(\.key) == ["loops", "idle_seconds", "connections"])
        #expect(file.settings.map(\.value) == ["1", "2", "3"])
    }

    @Test func aCommentBehindAValueBeginsWithABlankAndASemicolon() {
        let file = read("[a]\nk = 1 ; why\nl = a;b\nm = 1 # no comment\n; n = 1\n# o = 1\n")
        #expect(file.settings.map(\.value) == ["1", "a;b", "1 # no comment"])
    }

    @Test(arguments: ["LF", "CRLF"])
    func lineEndsAndAByteOrderMarkDoNotMatter(name: String) {
        let end = name == "LF" ? "\n" : "\r\n"
        let file = read("\u{FEFF}[a]\(end)k = v\(end)l = w")
        #expect(file.settings.map(\.value) == ["v", "w"])
        #expect(file.settings.map(\.line) == [2, 3])
    }

    @Test func theLongestLineIsReadWholeAndALongerOneIsRefused() {
        let value = String(repeating: "v", count: Limits.lineBytesMax - 4)
        #expect(read("[a]\nk = \(value)\nl = 1\n").settings.map(\.value) == [value, "1"])
        let file = read("[a]\nk = \(value)v\nl = 1\n")
        #expect(file.fault?.line == 2)
        #expect(file.fault?.detail.contains("199 bytes") == true)
        #expect(file.settings.isEmpty)
    }

    @Test func theLongestSectionIsReadWholeAndALongerOneIsRefused() {
        let name = String(repeating: "s", count: Limits.sectionBytesMax)
        #expect(read("[\(name)]\nk = v\n").settings.map(\.section) == [name])
        let file = read("\n[\(name)s]\nk = v\n")
        #expect(file.fault?.line == 2)
        #expect(file.fault?.detail.contains("50 bytes") == true)
    }

    @Test(arguments: [
        ("[b", "no closing bracket"), ("[b] k = v", "only a comment may follow"),
        ("k", "no `[section]`"), ("k = {0}v", "NUL"),
    ])
    func aLineThatIsNothingIsNamed(line: String, reason: String) {
        let fault = read("[a]\n\(line.replacing("{0}", with: "\0"))\nk = v\n").fault
        #expect(fault?.line == 2)
        #expect(fault?.detail.contains(reason) == true, "\(fault?.detail ?? "no fault")")
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        let file = INIFile(Array("[a]\nk = ".utf8) + [0xFF, 0x0A])
        #expect(file.fault == .init(line: 2, detail: "this is not UTF-8"))
    }
}

extension String {
    /// The text with `|` for line ends: as arguments of a test, lines would break its report.
    var onLines: String { replacing("|", with: "\n") }
}
