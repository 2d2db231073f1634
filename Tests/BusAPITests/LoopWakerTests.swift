import Access
import Glibc
import Protection
import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// A loop is woken for what somebody on it waits for, and for nothing else.
@Suite(.blocking) struct LoopWakerTests {
    @Test func whatNobodyWaitsForWakesNoLoop() throws {
        let server = try StreamServer()
        // Behind a reader that has gone, and beside one that waits for something else.
        let client = try server.connect()
        let other = try server.connect()
        try client.send("GET", "/topics/t?wait=60s")
        try other.send("GET", "/topics/other?wait=60s")
        try server.wait { server.service.waitingCount == 2 }
        try server.publish("for it", to: "t")
        #expect(try client.readAnswer().status == 200)
        try server.publish("for nobody", to: "t")
        try passTurns(of: server)
        let turns = server.loops[0].turns
        let before = turns.counts.reduce(0, +)
        for _ in 0..<100 { try server.publish("for nobody", to: "t") }
        try passTurns(of: server)
        // Those that were asked for here.
        #expect(turns.counts.reduce(0, +) - before <= 2)
        let last = try server.publish("for the other", to: "other")
        let answer = try other.readAnswer()
        #expect(
            answer.text == "for the other" && answer.header("event-cursor") == "\(last.rawValue)")
    }

    @Test(arguments: ["/topics/t?wait=", "/topics/t,u?as=json&wait=", "/topics?since=&wait="])
    func whoWaitedInVainIsAsFarAsTheBus(target: String) throws {
        let server = try StreamServer()
        try server.publish("first", to: "t")
        let client = try server.connect()
        var target = target
        if target.contains("since=") {
            let list = try client.exchange("GET", "/topics")
            let next = try #require(list.text.firstMatch(of: #/"next":"([^"]+)"/#)?.1)
            target = target.replacing("since=", with: "since=\(next)")
        }
        try client.send("GET", target + "300ms")
        try server.wait { server.service.waitingCount == 1 }
        let last = try server.publish("for nobody", to: "v")
        let answer = try client.readAnswer()
        if target.hasPrefix("/topics?") {
            #expect(answer.text.contains("\"name\":\"v\""), "\(answer.text)")
        } else {
            #expect(answer.header("event-cursor") == "\(last.rawValue)")
        }
    }

    /// Returns when the loop has done what it was told before.
    private func passTurns(of server: StreamServer) throws {
        let gate = Gate()
        server.handles.value[0].post { _ in gate.open() }
        try gate.wait()
    }

    /// Readers come and go alone, so that the loop falls asleep and is to listen again for each; an
    /// event is published only when the one before was read. One that is not told is waited for.
    @Test(arguments: ["json", "ndjson", "sse"], ["t", "t,u", "%3E"])
    func whoeverBeginsToWaitIsToldOfWhatComesAtThatMoment(form: String, selector: String) throws {
        let server = try StreamServer()
        var random = SeededRandom(for: "begins to wait")
        let first = try server.publish("first", to: "t")
        let last = Protected(first)
        let turn = Protected((read: first, isOver: false))
        let published = Gate()
        let pauses = (0..<200).map { _ in Int.random(in: 0..<600, using: &random) }
        let (bus, batch) = (server.bus, PublishBatch(topic: try TopicName("t"), payloads: [.empty]))
        onThreadOfItsOwn {
            for pause in pauses {
                while turn.value.read != last.value, !turn.value.isOver { sched_yield() }
                let due = MonotonicClock.microseconds() + pause
                while MonotonicClock.microseconds() < due {}
                guard !turn.value.isOver else { break }
                bus.publish(batch) {
                    if case .success(let receipt) = $0 { last.value = receipt.last }
                }
            }
            published.open()
        }
        defer { turn.write { $0.isOver = true } }
        var cursor = first
        let client = try server.connect()
        for _ in pauses {
            let target = "/topics/\(selector)?since=\(cursor)&as=\(form)&max=1&wait=600s"
            try client.send("GET", target)
            let text = try form == "json" ? client.readAnswer().text : stream(client)
            let id = try #require(text.matches(of: #/"?id"?: ?"?(\d+)/#).last?.1)
            cursor = EventID(rawValue: try #require(UInt64(id)))
            turn.write { $0.read = cursor }
        }
        try published.wait()
        #expect(cursor == last.value)
    }

    /// What comes between the look of a reader and its place among those who wait has woken nobody.
    @Test(arguments: ["t", "t,u", ">"], [false, true])
    func whatComesBetweenALookAndTheWaitIsToldOnce(selector: String, isFollowed: Bool) throws {
        let server = try StreamServer()
        try server.publish("before", to: "t")
        let wanted = isFollowed ? ["between", "behind"] : ["between"]
        let told = Protected<[String]>([])
        let asked = try Selector(selector)
        let events = try zip(["between", "behind"], [selector == "t" ? "t" : "u", "t"]).map {
            PublishBatch(topic: try TopicName($1), payloads: [Payload(Array($0.utf8))])
        }
        try server.wait { !server.handles.value.isEmpty }
        server.handles.value[0].onBus { [bus = server.bus] loop in
            let reader = PlainReader(of: asked, on: loop, told)
            reader.look()
            bus.publish(events[0]) { _ in }
            loop.waits.enroll(reader)
            guard isFollowed else { return }
            bus.publish(events[1]) { _ in }
            // As where a delivery is under way, before its turn to look once more.
            loop.waits.deliver()
        }
        try server.wait { told.value.count >= wanted.count }
        try passTurns(of: server)
        #expect(told.value == wanted)
    }

    /// Notes every event behind its first look, until the server drains.
    private final class PlainReader: HTTPSubscription {
        var reader: LogReader
        let form = DeliveryForm.raw
        let origin: SocketOrigin? = nil
        let caller = Caller(uid: 0, groups: [], token: nil)
        var account: CallerAccount?
        var accessNumber: UInt32 = 0
        var place: SubscriptionTable.Place?
        private unowned let loop: BusLoop
        private let told: Protected<[String]>
        private static let limit = ReadLimit(events: 10, bytes: .max)

        init(of selector: Selector, on loop: BusLoop, _ told: Protected<[String]>) {
            self.told = told
            self.loop = loop
            reader = LogReader(
                selector, EventFilter(type: nil, key: nil), from: loop.log,
                loop.service.memory)
        }

        func look() {
            let first = reader.begin(at: .now, Self.limit, within: .all)
            if case .caughtUp = first { return }
            Issue.record("there is nothing to be told yet")
        }

        func advance(_ news: LogNews?) {
            if let news { reader.skip(to: news.after) }
            guard case .events(let events, _) = reader.next(Self.limit, of: news, within: .all)
            else { return }
            told.write { told in
                told += events.map(\.payload.text)
            }
        }

        func topicRemoved(at place: EventID) {}
        func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {}
        func deny(_ refusal: Refusal) {}
        func reauthorize() {}
        func drain() { loop.waits.withdraw(self) }
    }

    /// A stream that ends with its first event.
    private func stream(_ client: RawClient) throws -> String {
        #expect(try client.readHead().status == 200)
        var chunks = ChunkedBody()
        var text = ""
        while !chunks.isComplete, let bytes = try client.readSome(within: 60), !bytes.isEmpty {
            text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
        }
        return text
    }
}
