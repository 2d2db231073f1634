import Protection
import TestSupport
import Testing
import Topics

@testable import BelfryClient

/// Publishes that are sent again, on links that lose answers.
@Suite(.blocking) struct RepeatedPublishTests {
    private static func client(
        _ server: ScriptedServer, patience: Duration = .seconds(3_600)
    ) throws -> BusClient {
        let address = try #require(BusAddress("http://127.0.0.1:\(server.port)"))
        return try BusClient(ClientConfiguration(address: address, patience: patience))
    }

    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let created = answer(
        "201 Created", #"{"id":"7","topic":"a","time":"2026-01-02T03:04:05.000000Z"}"#)

    private static func refused(_ status: Int, _ code: String) -> String {
        answer("\(status) X", #"{"status":\#(status),"title":"X","code":"\#(code)","detail":"no"}"#)
    }

    /// The keys of the requests of a publish that gets these answers, and how it ends.
    private static func keys(
        of answers: [String], patience: Duration = .seconds(3_600)
    ) async throws -> (keys: [String?], outcome: Result<ClientReceipt, ClientError>) {
        let (left, keys) = (Protected(answers), Protected([String?]()))
        let server = try ScriptedServer { request in
            let line = request.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("idempotency-key: ")
            }
            keys.write { $0.append(line.map { String($0.dropFirst("idempotency-key: ".count)) }) }
            return left.write { $0.isEmpty ? "" : $0.removeFirst() }
        }
        let client = try client(server, patience: patience)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [Payload([1])])
        let outcome: Result<ClientReceipt, ClientError>
        do throws(ClientError) {
            outcome = .success(try await client.publish(batch))
        } catch {
            outcome = .failure(error)
        }
        return (keys.value, outcome)
    }

    private static func texts(of daemon: RunningDaemon) async throws -> [String] {
        let address = try #require(BusAddress(daemon.url("")))
        let client = try BusClient(ClientConfiguration(address: address))
        let events = try await client.subscribe(Selector("a"), since: .earliest, until: .now)
        var texts: [String] = []
        for try await case .event(let event) in events { texts.append(event.payload.text) }
        return texts
    }

    @Test func aPublishWithoutAnAnswerIsSentAgainAndMakesNoSecondEvent() async throws {
        let daemon = try RunningDaemon()
        let server = try ScriptedServer(before: daemon, losing: 2)
        let id = try await Self.client(server).publish("once", to: "a")
        #expect(try await Self.texts(of: daemon) == ["once"])
        #expect(id.rawValue > 0 && server.requests.count == 3)
    }

    @Test func publishesAtOnceAreAllThereOnceEach() async throws {
        let daemon = try RunningDaemon()
        let server = try ScriptedServer(before: daemon, losing: 40)
        let client = try Self.client(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<40 { try await client.publish("\(task).\(step)", to: "a") }
                }
            }
            try await group.waitForAll()
        }
        let texts = try await Self.texts(of: daemon)
        let all = (0..<8).flatMap { task in (0..<40).map { "\(task).\($0)" } }
        #expect(texts.sorted() == all.sorted())
        #expect(server.requests.count == 360)
    }

    @Test func aBatchIsThereOnce() async throws {
        let daemon = try RunningDaemon()
        let server = try ScriptedServer(before: daemon, losing: 1)
        let lines = ["one", "two"].map { Payload(Array($0.utf8)) }
        let receipt = try await Self.client(server).publish(
            PublishBatch(topic: TopicName("a"), payloads: lines))
        #expect(receipt.count == 2 && receipt.standing == .repeated)
        #expect(try await Self.texts(of: daemon) == ["one", "two"])
    }

    @Test func aGivenKeyIsPublishedOnceByAllThatGiveIt() async throws {
        let daemon = try RunningDaemon()
        let server = try ScriptedServer(before: daemon, losing: 0)
        let key = try PublishKey("night-21")
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [Payload([65])])
        let first = try await Self.client(server).publish(batch, key: key)
        let second = try await Self.client(server).publish(batch, key: key)
        #expect(first.standing == .new && second.standing == .repeated)
        #expect(first.first == second.first && first.time == second.time)
        let other = PublishBatch(topic: try TopicName("a"), payloads: [Payload([66])])
        let error = await #expect(throws: ClientError.self) {
            _ = try await Self.client(server).publish(other, key: key)
        }
        guard case .refused(let refusal) = error, refusal.code == "IDEMPOTENCY_MISMATCH" else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await Self.texts(of: daemon) == ["A"])
    }

    @Test func aNumberThatASeriesHasPassedIsToldSo() async throws {
        let daemon = try RunningDaemon()
        let server = try ScriptedServer(before: daemon, losing: 0)
        let client = try Self.client(server)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [Payload([65])])
        _ = try await client.publish(batch, key: PublishKey("feed;1"))
        let second = try await client.publish(batch, key: PublishKey("feed;2"))
        let late = try await client.publish(batch, key: PublishKey("feed;1"))
        #expect(late.standing == .passed && late.count == 0 && late.last == second.last)
        #expect(try await Self.texts(of: daemon) == ["A", "A"])
    }

    @Test func withoutPatienceAPublishIsSentOnceAndHasNoKey() async throws {
        let sent = try await Self.keys(of: ["", Self.created], patience: .zero)
        #expect(sent.keys == [nil])
        guard case .failure(.outcomeUnknown) = sent.outcome else {
            Issue.record("\(sent.outcome)")
            return
        }
    }

    @Test func eachRepeatHasTheKeyOfTheFirst() async throws {
        let sent = try await Self.keys(of: ["", "", Self.created])
        #expect(sent.keys.count == 3 && Set(sent.keys).count == 1 && sent.keys[0] != nil)
    }

    @Test func whereNoMoreKeysAreRememberedItGoesWithoutOne() async throws {
        let sent = try await Self.keys(of: [Self.refused(429, "KEYS_FULL"), Self.created])
        #expect(sent.keys.count == 2 && sent.keys[0] != nil && sent.keys[1] == nil)
        #expect(throws: Never.self) { try sent.outcome.get() }
    }

    /// A refusal tells that the event is not in the log where the bus has looked for its key.
    @Test(arguments: [
        (507, "STORE_FULL", true), (422, "IDEMPOTENCY_MISMATCH", true),
        (403, "ACCESS_DENIED", false), (404, "TOPIC_UNKNOWN", false),
    ])
    func aRefusalBehindALostAnswerIsNoAnswerToIt(
        status: Int, code: String, isCertain: Bool
    ) async throws {
        let sent = try await Self.keys(of: ["", Self.refused(status, code)])
        #expect(sent.keys.count == 2)
        switch sent.outcome {
        case .failure(.refused(let refusal)): #expect(isCertain && refusal.code == code)
        case .failure(.outcomeUnknown(let detail)): #expect(!isCertain && detail.contains(code))
        default: Issue.record("\(sent.outcome)")
        }
    }

    @Test func limitsThatPassBehindALostAnswerAreWaitedFor() async throws {
        let sent = try await Self.keys(
            of: [
                "", Self.refused(503, "DRAINING"), Self.refused(429, "LIMIT_CALLER"), Self.created,
            ])
        #expect(sent.keys.count == 4)
        #expect(throws: Never.self) { try sent.outcome.get() }
    }

    @Test func onlyAPublisherOfManyEventsLeavesASeries() {
        var series = KeySeries()
        let keys = (0..<40).map { _ in series.next() }
        #expect(Set(keys).count == 40)
        let alone = keys.prefix { $0.number == nil }
        #expect(alone.count == 16)
        #expect(keys.dropFirst(16).map(\.number) == (17...40).map { UInt64($0) })
        #expect(Set(keys.dropFirst(16).map(\.name)).count == 1)
    }

    @Test func publishesAtOnceNeverShareASeries() throws {
        let pool = SeriesPool()
        let topic = try TopicName("a")
        var (first, second) = (pool.take(for: topic), pool.take(for: topic))
        #expect(first.next() != second.next())
        pool.give(back: first, for: topic)
        var third = pool.take(for: topic)
        let own = third.next()
        #expect(own == first.next() && own != second.next())
    }
}
