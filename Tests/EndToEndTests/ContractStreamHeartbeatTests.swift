import Glibc
import TestSupport
import Testing

/// What shows that a stream lives, and what it ends by without an event.
@Suite(.blocking) struct ContractStreamHeartbeatTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[stream]\nheartbeat = 100ms\n")
        client = try daemon.connect()
    }

    /// The text of an idle stream until it has so many line ends.
    private func idleText(_ target: String, lines: Int) throws -> String {
        let asked = try daemon.connect()
        try asked.send("GET", target)
        _ = try asked.readHead()
        var chunks = ChunkedBody()
        var text = ""
        try eventually("\(lines) lines") {
            if let bytes = try asked.readSome(within: 1) {
                text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
            }
            return text.matches(of: #/\n/#).count >= lines
        }
        return text
    }

    @Test func anIdleStreamShowsThatItLives() throws {
        let id = try client.publish("x", to: "t")
        let text = try idleText("/topics/t?as=sse", lines: 7)
        #expect(
            text.wholeMatch(of: #/:\nretry: \d+\nid: (\d+)\n\n(:\n)+/#)?.1 == "\(id)", "\(text)")
    }

    @Test func aHeartbeatWithoutCursorsIsACommentWhateverMovedTheCursor() throws {
        let asked = try daemon.connect()
        try asked.send("GET", "/topics/t?as=sse&cursors=no&type=wanted")
        _ = try asked.readHead()
        try client.publish("x", to: "t")
        var chunks = ChunkedBody()
        var text = ""
        try eventually("four heartbeats") {
            if let bytes = try asked.readSome(within: 1) {
                text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
            }
            return text.matches(of: #/\n/#).count >= 6
        }
        #expect(text.wholeMatch(of: #/:\nretry: \d+\n(:\n)+/#) != nil, "\(text)")
    }

    @Test func idleLinesAreEmpty() throws {
        let text = try idleText("/topics/t?as=ndjson", lines: 4)
        #expect(text.wholeMatch(of: #/\{"cursor":"\d+"\}\n\n+/#) != nil, "\(text)")
    }

    @Test(arguments: StreamAsked.allCases)
    func aHeartbeatTellsTheCursorThatMovedWithoutAnEvent(asked: StreamAsked) throws {
        let stream = try daemon.stream("/topics/t?as=\(asked)&type=wanted", asked.form)
        _ = try stream.next(1)
        let other = try client.publish("x", to: "other")
        #expect(try stream.next(1) == [.cursor(other)])
        let unwanted = try client.publish("x", to: "t")
        #expect(try stream.next(1) == [.cursor(unwanted)])
        let wanted = try client.publish("x", to: "t", headers: [("Event-Type", "wanted")])
        #expect(try stream.next(1).cursors == [wanted])
    }

    @Test(arguments: StreamAsked.allCases)
    func aStreamEndsAfterItsWaitWithoutAnEvent(asked: StreamAsked) throws {
        let begin = monotonicSeconds()
        let stream = try daemon.stream("/topics/t?as=\(asked)&wait=1500ms", asked.form)
        _ = try stream.next(1)
        while monotonicSeconds() - begin < 0.3 { #expect(try stream.told(within: 0.2).isEmpty) }
        try client.publish("puts it off", to: "t")
        let published = monotonicSeconds()
        #expect(try stream.rest().payloads == ["puts it off"])
        #expect(monotonicSeconds() - published >= 1.45)
        #expect(monotonicSeconds() - begin >= 1.75)
        #expect(stream.ending == .clean(isKept: true))
    }
}
