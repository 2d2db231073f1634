import JSON
import StoreSupport
import TestSupport
import Testing
import Topics
import Wire

@testable import BusAPI
@testable import HTTPFront

/// Topics that are expected to have events, over HTTP.
@Suite(.blocking) struct SilenceRoutesTests {
    /// The clock by which silences are told.
    private let clock = ManualClock()
    private let server: StreamServer
    private let client: RawClient

    init() throws {
        let clock = clock
        server = try StreamServer(
            bootClock: BootClock(boot: "b") { clock.now().microseconds })
        client = try server.connect()
    }

    private func put(_ query: String, status: Int = 200) throws -> String {
        let answer = try client.exchange("PUT", "/topics/backup?\(query)")
        #expect(answer.status == status, "\(answer.text)")
        return answer.text
    }

    private func pass(_ seconds: Double) {
        clock.advance(seconds: seconds)
        server.bus.sweep()
    }

    private func row() throws -> String {
        try client.exchange("GET", "/topics?match=backup").text.prefix { $0 != "]" }.description
    }

    private static func has(_ text: String, _ members: String...) -> Bool {
        members.allSatisfy { text.contains("\"\($0)") }
    }

    // MARK: The setting

    @Test func anExpectationStaysUnlessItIsNamed() throws {
        #expect(Self.has(try put("keep=5", status: 201), "keep\":5,", "expect\":null"))
        #expect(Self.has(try put("keep=6&expect=26h"), "keep\":6,", "expect\":\"26h\""))
        #expect(Self.has(try put("keep=7"), "keep\":7,", "expect\":\"26h\""))
        #expect(Self.has(try put(""), "keep\":100000,", "expect\":\"26h\""))
        #expect(Self.has(try row(), "expect\":\"26h\""))
        #expect(Self.has(try put("keep=8&expect=none"), "keep\":8,", "expect\":null"))
        #expect(Self.has(try put("keep=8"), "expect\":null"))
    }

    /// A healthcheck that a restart forgets checks nothing.
    @Test func anExpectationThatARestartForgetsIsTold() throws {
        let answer = try put("expect=1h", status: 201)
        #expect(answer.contains("\"hint\":\"A restart of the bus forgets"), "\(answer)")
        #expect(try !put("keep=5").contains("hint"))
        #expect(try !put("expect=none").contains("hint"))
    }

    @Test func aNewTopicBesideOneThatDiffersInCapitalsIsTold() throws {
        #expect(try !put("", status: 201).contains("hint"))
        let other = try client.exchange("PUT", "/topics/Backup")
        #expect(other.status == 201)
        #expect(other.text.contains("This made the topic Backup. There is also backup"))
        #expect(try !client.exchange("PUT", "/topics/Backup").text.contains("hint"))
    }

    @Test func anExpectationAloneLeavesTheOtherSettings() throws {
        #expect(try client.exchange("PUT", "/groups/mail?of=backup").status == 201)
        _ = try put("keep=7&bytes=1M&for=1h&persist=no&hold=mail", status: 201)
        for (query, member) in [("1d", "\"1d\""), ("90m", "\"90m\""), ("none", "null")] {
            let text = try put("expect=\(query)")
            #expect(
                Self.has(
                    text, "keep\":7,", "keep_bytes\":1048576,", "keep_for\":\"1h\"",
                    "persist\":false", "hold\":\"mail\"", "expect\":\(member)"), "\(text)")
        }
    }

    @Test func aTopicThatIsNewHasTheDefaultsBesides() throws {
        let text = try put("expect=1d", status: 201)
        #expect(
            Self.has(
                text, "registered\":true", "keep\":100000,", "keep_for\":\"1d\"",
                "persist\":true", "hold\":null", "expect\":\"1d\""), "\(text)")
    }

    @Test(arguments: [("1", "1s"), ("1000ms", "1s"), ("365d", "365d"), ("1h30m", "90m")])
    func anExpectationIsADuration(text: String, member: String) throws {
        #expect(Self.has(try put("expect=\(text)", status: 201), "expect\":\"\(member)\""))
    }

    @Test(arguments: ["999ms", "366d", "-1", "0", "", "soon", "NONE", "1w", "99999999999999999999"])
    func whatIsNoExpectationIsRefusedWithTheRange(text: String) throws {
        let answer = try put("expect=\(text)", status: 400)
        #expect(answer.contains("PARAMETER_INVALID"))
        #expect(
            answer.contains("'expect' is '\(text)'; it goes from 1s to 365d, or none."),
            "\(answer)")
        #expect(try client.exchange("PUT", "/topics/backup?expect=1h&expect=2h").status == 400)
        #expect(server.bus.statistics.topics == 0)
    }

    // MARK: Silence

    @Test func aReaderOfTheTypeIsToldOfTheSilenceAndOfItsEnd() throws {
        _ = try put("expect=26h", status: 201)
        let reader = try server.connect()
        try reader.send("GET", "/topics/backup?type=$silent&wait=1h")
        try server.wait { server.bus.statistics.subscribers == 1 }
        pass(26 * 3_600 - 1)
        #expect(!Self.has(try row(), "silent_since"))
        pass(1)
        let silent = try reader.readAnswer()
        let since = try #require(silent.header("event-attribute-since"))
        #expect(silent.header("event-type") == "$silent")
        #expect(silent.text == "No event since \(since).")
        #expect(Self.has(try row(), "expect\":\"26h\",\"silent_since\":\"\(since)\""))
        #expect(
            try client.exchange("GET", "/metrics").text.contains("\nbelfry_topics_silent 1\n"))

        #expect(try client.exchange("POST", "/topics/backup", body: [0x78]).status == 201)
        pass(0)
        #expect(!Self.has(try row(), "silent_since"))
        let back = try client.exchange("GET", "/topics/backup?type=%24back&since=earliest&as=json")
        #expect(back.text.contains("\"data\":\"Events again since 20"), "\(back.text)")
        #expect(!Self.has(back.text, "sender"))
        #expect(
            try client.exchange("GET", "/metrics").text.contains("\nbelfry_topics_silent 0\n"))
    }

    @Test func aListThatFollowsChangesIsToldOfTheSilence() throws {
        _ = try put("expect=1h", status: 201)
        let list = try client.exchange("GET", "/topics").text
        let next = try #require(list.split(separator: "\"next\":\"").last).prefix { $0 != "\"" }
        pass(3_600)
        let changes = try client.exchange("GET", "/topics?since=\(next)&wait=0").text
        #expect(Self.has(changes, "silent_since\":\"20"), "\(changes)")
    }

    /// It says when the last event was.
    @Test func aCallerThatMayNotReceiveIsNotToldOfTheSilence() throws {
        _ = try put("expect=1h", status: 201)
        pass(3_600)
        let topic = try #require(server.bus.description(of: TopicName("backup")))
        let shown = JSONWriter.object { topic.writeMembers(to: &$0) }
        let hidden = JSONWriter.object { topic.writeMembers(to: &$0, showsEvents: false) }
        #expect(Self.has(shown, "silent_since") && !Self.has(hidden, "silent_since"))
        #expect(Self.has(hidden, "expect\":\"1h\""))
    }

    @Test(arguments: ["$silent", "$back", "$x"])
    func nobodyElsePublishesATypeOfTheBus(type: String) throws {
        for (target, headers) in [
            ("/topics/backup?type=\(type)", []), ("/topics/backup", [("Event-Type", type)]),
        ] {
            let answer = try client.exchange("POST", target, headers: headers, body: [0x78])
            #expect(answer.status == 400 && answer.text.contains("EVENT_TYPE_INVALID"))
        }
        #expect(server.bus.statistics.published == 0)
    }

    /// A shell leaves nothing of $silent between double quotes.
    @Test func aTypeThatIsEmptyIsRefusedWithAWordAboutQuotes() throws {
        let answer = try client.exchange("GET", "/topics/backup?type=&wait=0")
        #expect(answer.status == 400 && answer.text.contains("EVENT_TYPE_INVALID"))
        #expect(answer.text.contains("single quotes"), "\(answer.text)")
        let key = try client.exchange("GET", "/topics/backup?key=&wait=0")
        #expect(key.status == 400 && !key.text.contains("quotes"))
    }
}
