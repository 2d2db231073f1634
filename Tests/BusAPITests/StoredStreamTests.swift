import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Requests for events that memory has let go and only the store has.
@Suite(.blocking) struct StoredStreamTests {
    private let folder = TemporaryFolder()
    private let store: DoorStore
    private let server: StreamServer
    private let ids: [EventID]

    /// A topic of which the last sixth at the most is in memory.
    init() throws {
        store = DoorStore(in: folder, log: StreamServer.log)
        let server = try StreamServer(store: store, memoryBytes: 1 << 20)
        let text = String(repeating: "x", count: 32 << 10)
        ids = try (0..<150).map { try server.publish("\($0) \(text)", to: "t") }
        self.server = server
    }

    /// What the lines of a stream's body say, by their first member, until so many or its end. An empty
    /// line is a heartbeat, which a client gets that a busy machine lets read little for long.
    private func lines(
        _ client: RawClient, upTo count: Int = .max
    ) throws -> (lines: [String], hasEnded: Bool) {
        var chunks = ChunkedBody()
        var reader = LineReader()
        var found: [String] = []
        while !chunks.isComplete, found.count < count {
            guard let bytes = try client.readSome(within: 60) else { break }
            try #require(!bytes.isEmpty, "a stream says something within a minute")
            for line in try reader.feed(chunks.feed(bytes)) where !line.isEmpty {
                let member = line.firstMatch(of: #/^\{"(id|cursor|gap)":.*?"(\d+)"/#)
                found.append(member.map { "\($0.1) \($0.2)" } ?? line)
            }
        }
        return (found, chunks.isComplete)
    }

    /// All events behind a cursor, of as many streams as that takes: a client that a busy machine lets
    /// read nothing for a second loses its stream to others that need the memory, and comes again.
    private func allEvents(of topics: String, after cursor: EventID) throws -> [String] {
        var told: [String] = []
        var cursor = "\(cursor)"
        while true {
            let client = try server.open("/topics/\(topics)?as=ndjson&wait=0&since=\(cursor)")
            let (lines, hasEnded) = try lines(client)
            let events = lines.filter { $0.hasPrefix("id ") }
            told += events
            guard !hasEnded else { return told }
            let last = try #require(events.last, "each stream tells something")
            cursor = String(last.dropFirst(3))
        }
    }

    private func events(_ ids: some Sequence<EventID>) -> [String] { ids.map { "id \($0)" } }

    @Test(arguments: [("earliest", 150), ("-100", 100), ("latest", 1)])
    func everythingIsTold(since: String, count: Int) throws {
        let client = try server.open("/topics/t?as=ndjson&wait=0&since=\(since)")
        let (told, hasEnded) = try lines(client)
        #expect(hasEnded)
        let before = ids.count == count ? ids[0].predecessor : ids[ids.count - count].predecessor
        #expect(told.first == "cursor \(before)")
        #expect(told.dropFirst().prefix { $0.hasPrefix("id") } == events(ids.suffix(count))[...])
    }

    @Test func manyReadersOfThePastGetItAllAtTheirOwnPace() throws {
        // Each thread has a client of its own, and changes nothing else.
        nonisolated(unsafe) let test = self
        try inParallel(5) { index in
            let wanted = test.events(test.ids[(index * 20 + 1)...])
            let told = try test.allEvents(of: "*", after: test.ids[index * 20])
            #expect(told == wanted)
        }
        #expect(server.memory.used(.encodings) < 256 << 10)
    }

    @Test func theHeadWaitsForTheStoreAndWakeUpsLeaveItAlone() throws {
        store.shut()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=ndjson&since=earliest&max=151")
        while store.waiting == 0 { poll(nil, 0, 3) }
        let live = try server.publish("live", to: "t")
        #expect(client.isSilent(for: 0.05))
        store.open()
        #expect(try client.readHead().status == 200)
        let (told, hasEnded) = try lines(client)
        #expect(hasEnded)
        #expect(told.dropFirst() == events(ids + [live])[...])
    }

    @Test func theStoresThreadsTakeNoTurnsOfARead() throws {
        store.shut()
        let client = try server.connect()
        try client.send("GET", "/topics/*?as=json&since=earliest&max=1")
        while store.waiting == 0 { poll(nil, 0, 3) }
        let (held, gate) = (Gate(), Gate())
        server.service.backgroundReads.add(for: nil, unless: Cancellation()) {
            held.open()
            _ = try? gate.wait()
            return false
        }
        try held.wait()
        let turns = server.bus.tasks.reads.turns.value
        store.open()
        #expect(client.isSilent(for: 0.1))
        #expect(server.bus.tasks.reads.turns.value == turns)
        gate.open()
        #expect(try client.readAnswer().header("event-cursor") == "\(ids[0])")
    }

    @Test func aPollThatWaitsForTheStoreIsAnsweredInTime() throws {
        store.shut()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=json&since=\(ids[0])&wait=100ms")
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.header("event-cursor") == "\(ids[0])")
        store.open()
        let next = try client.exchange("GET", "/topics/t?since=\(ids[0])")
        #expect(next.header("event-id") == "\(ids[1])")
    }

    @Test func aPollThatComesAgainWhileTheStoreStillAnswersTheLastIsAnother() throws {
        let client = try server.connect()
        func poll(since id: EventID, _ wait: String = "10ms") throws -> RawClient.Answer {
            try client.exchange("GET", "/topics/t?since=\(id)&wait=\(wait)")
        }
        for _ in 0..<2 { #expect(try poll(since: ids[149]).status == 204) }
        let repeats = server.loops[0].repeats.value
        store.shut()
        for _ in 0..<2 { #expect(try poll(since: ids[0]).header("event-cursor") == "\(ids[0])") }
        try client.send("GET", "/topics/t?since=\(ids[1])&wait=10ms")
        while store.waiting < 3 { Glibc.poll(nil, 0, 3) }
        store.open()
        #expect(try client.readAnswer().header("event-id") == "\(ids[2])")
        for index in 2..<5 {
            #expect(try poll(since: ids[index]).header("event-id") == "\(ids[index + 1])")
        }
        #expect(server.loops[0].repeats.value == repeats + 6)
    }

    @Test func aDeletionMeanwhileIsTheAnswer() throws {
        store.shut()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=sse&since=earliest")
        while store.waiting == 0 { poll(nil, 0, 3) }
        try server.remove("t")
        let answer = try client.readAnswer()
        #expect(answer.status == 410 && answer.text.contains("TOPIC_DELETED"))
        #expect(answer.header("event-cursor") != nil)
        store.open()
        #expect(try client.exchange("GET", "/topics/t?wait=0").status == 204)
    }

    @Test func aDeletionWhileAStreamAsksTheStoreIsAGapAndThenTheEnd() throws {
        store.shut(after: 2)
        let client = try server.open("/topics/t?as=ndjson&since=earliest")
        while store.waiting == 0 { poll(nil, 0, 3) }
        try server.remove("t")
        store.open()
        let (told, hasEnded) = try lines(client)
        #expect(hasEnded)
        let delivered = told.filter { $0.hasPrefix("id") }
        #expect(delivered == events(ids.prefix(delivered.count)) && delivered.count < 150)
        let last = ids[delivered.count - 1]
        #expect(told[delivered.count + 1] == "gap \(last)")
        #expect(told.last?.hasPrefix("cursor ") == true && told.count == delivered.count + 3)
    }

    @Test func aStoreThatFailsRefusesWhatBeginsAndEndsWhatRuns() throws {
        store.shut(after: 2)
        let running = try server.open("/topics/t?as=ndjson&since=earliest")
        while store.waiting == 0 { poll(nil, 0, 3) }
        let beginning = try server.connect()
        try beginning.send("GET", "/topics/t?as=sse&since=earliest")
        while store.waiting == 1 { poll(nil, 0, 3) }
        store.open(failing: .storeFailed("the disk is gone"))
        let answer = try beginning.readAnswer()
        #expect(answer.status == 507 && answer.text.contains("the disk is gone"))
        let (told, hasEnded) = try lines(running)
        #expect(hasEnded)
        store.open()
        let cursor = try #require(told.last { $0.hasPrefix("id") }?.dropFirst(3))
        let resumed = try server.open("/topics/t?as=ndjson&wait=0&since=\(cursor)")
        let had = told.filter { $0.hasPrefix("id") }
        #expect(try had + lines(resumed).lines.filter { $0.hasPrefix("id") } == events(ids))
    }

    @Test func aStopRefusesWhatWaitsForTheStore() throws {
        store.shut()
        let client = try server.connect()
        try client.send("GET", "/topics/t?as=sse&since=earliest")
        while store.waiting == 0 { poll(nil, 0, 3) }
        server.drain()
        let answer = try client.readAnswer()
        // Any other status would end an `EventSource` for good.
        #expect(answer.status == 200 && answer.text.hasPrefix(": DRAINING "))
        store.open()
    }
}
