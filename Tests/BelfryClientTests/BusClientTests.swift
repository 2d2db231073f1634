import Foundation
import Glibc
import TestSupport
import Testing
import Topics

@testable import BelfryClient

@Suite(.blocking) struct BusClientTests {
    private func client(_ url: String, token: String? = nil) throws -> BusClient {
        try BusClient(
            ClientConfiguration(address: #require(BusAddress(url)), patience: .zero) { token })
    }

    private func client(of daemon: RunningDaemon) throws -> BusClient { try client(daemon.url("")) }

    private func failure(_ body: () async throws -> Void) async -> ClientError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ClientError
        }
    }

    private static var created: String {
        let body =
            #"{"id":"7","topic":"a","time":"2026-01-02T03:04:05.000000Z","x":[{}],"more":-1e3}"#
        return "HTTP/1.1 201 Created\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(arguments: ["a payload", ""])
    func aPublishWithoutPatienceIsNeverRepeated(payload: String) async throws {
        // On the connection that the first one left open libcurl would.
        let server = try ScriptedServer([Self.created, "", Self.created])
        let client = try client("http://127.0.0.1:\(server.port)")
        #expect(try await client.publish("first", to: "a") == EventID(rawValue: 7))
        let error = await failure { try await client.publish(payload, to: "a") }
        guard case .outcomeUnknown = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requests.count == 2)
    }

    @Test func aBusThatIsNotThereIsUnreachable() async throws {
        let client = try client("unix:/nonexistent/belfry.sock")
        for error in [
            await failure { try await client.publish("x", to: "a") },
            await failure { _ = try await client.subscribe(Selector("a")) },
            await failure { _ = try await client.topics() },
        ] {
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhm",
        "HTTP/1.1 201 Created\r\nContent-Length: 12\r\n\r\n{\"id\":\"-1\"}\n",
        "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\n{}\n",
    ])
    func whatNoBusAnswersIsMalformed(answer: String) async throws {
        let server = try ScriptedServer([answer])
        let client = try client("http://127.0.0.1:\(server.port)")
        let error = await failure { try await client.publish("x", to: "a") }
        guard case .malformedAnswer = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aFailureOfSomethingInBetweenLeavesTheOutcomeOpen() async throws {
        let server = try ScriptedServer(["HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"])
        let client = try client("http://127.0.0.1:\(server.port)")
        let error = await failure { try await client.publish("x", to: "a") }
        guard case .outcomeUnknown = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aRefusalHasItsCode() async throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        let client = try client(of: daemon)
        for (status, code, error) in [
            (404, "TOPIC_UNKNOWN", await failure { try await client.publish("x", to: "a") }),
            (404, "TOPIC_UNKNOWN", await failure { _ = try await client.subscribe(Selector("a")) }),
            (404, "TOPIC_UNKNOWN", await failure { try await client.remove(TopicName("a")) }),
            (403, "TOPIC_RESERVED", await failure { try await client.publish("x", to: "$SYS.a") }),
        ] {
            guard case .refused(let refusal) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(refusal.status == status && refusal.code == code && !refusal.detail.isEmpty)
        }
    }

    @Test func aTokenThatIsUnknownIsRefused() async throws {
        let daemon = try RunningDaemon()
        let client = try client(daemon.url(""), token: "no-such-token")
        let error = await failure { try await client.publish("x", to: "a") }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.status == 401 && refusal.code == "TOKEN_INVALID")
    }

    private struct Deploy: Codable, Hashable, Sendable { var version: String }

    @Test func aTopicOfValuesIsThatOfTheBusInOnesOwnProcess() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try Topic<Deploy>(
            "deploys", encode: { try JSONEncoder().encode($0) },
            decode: { try JSONDecoder().decode(Deploy.self, from: $0) })
        try await client.publish(Deploy(version: "v1"), to: topic)
        try await client.publish("no value", to: "deploys")
        let receipt = try await client.publish(Deploy(version: "v\n2"), to: topic, key: "web")
        let values = try await client.subscribe(to: topic, since: .earliest, until: .now)
        var told: [String] = []
        for try await delivery in values {
            switch delivery {
            case .value(let deploy, let event):
                told.append("\(deploy.version) \(event.metadata.key ?? "-")")
            case .unreadable(let event, _): told.append("unreadable \(event.payload.text)")
            case .gap: told.append("gap")
            }
        }
        #expect(told == ["v1 -", "unreadable no value", "v\n2 web"])
        #expect(values.source.cursor == receipt.last)
    }

    @Test func aTokenThatIsNoneIsNotSent() async throws {
        let client = try client("http://127.0.0.1:1", token: "a\r\nHost: b")
        let error = await failure { try await client.publish("x", to: "a") }
        guard case .unsendable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func attributesGoToTheBusAndComeBackInEveryAnswer() async throws {
        let daemon = try RunningDaemon()
        let client = try client(daemon.url(""))
        let attributes = try EventAttributes(["host": "größe 50%", "a": " x "])
        let topic = try TopicName("jobs")
        let batch = PublishBatch(
            topic: topic, metadata: try EventMetadata(type: "t", attributes: attributes),
            payloads: [Payload([0x61]), Payload([0x62])])
        let receipt = try await client.publish(batch)
        try await client.publish("other", to: "jobs")
        let filter = EventFilter(
            type: nil, key: nil, attributes: try EventAttributes(["host": "größe 50%"]))
        let subscription = try await client.subscribe(
            Selector(topic), since: .earliest, filter: filter, until: .now)
        var found: [Event] = []
        for try await delivery in subscription {
            if case .event(let event) = delivery { found.append(event) }
        }
        #expect(found.map(\.id) == [receipt.first, receipt.last])
        #expect(found.allSatisfy { $0.metadata == batch.metadata })
        let one = try await client.event(receipt.first, in: topic)
        guard case .found(let event) = one else {
            Issue.record("\(one)")
            return
        }
        #expect(event.metadata == batch.metadata)
        let job = try await client.group("g").next(of: Selector(topic), wait: 0).job
        #expect(job?.event.metadata == batch.metadata)
    }

    @Test func attributesThatOnlyTheBusGivesAreNotSent() async throws {
        let client = try client("http://127.0.0.1:1")
        let letter = EventMetadata.none.with(try EventAttributes(text: "deadid=1"), expires: nil)
        let batch = PublishBatch(
            topic: try TopicName("a"), metadata: letter, payloads: [.empty])
        let error = await failure { _ = try await client.publish(batch) }
        guard case .unsendable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aBatchIsLines() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("log")
        let texts = ["one", " two ", "t\rhree"]
        let receipt = try await client.publish(
            PublishBatch(topic: topic, payloads: texts.map { Payload(Array($0.utf8)) }))
        #expect(receipt.count == 3 && receipt.first < receipt.last)
        let subscription = try await client.subscribe(
            Selector(topic), since: .earliest, until: .now)
        var received: [String] = []
        for try await case .event(let event) in subscription { received.append(event.payload.text) }
        #expect(received == texts)
    }

    @Test(arguments: ["", "a\nb", "a\r"])
    func aBatchOfSomethingElseThanLinesIsNotSent(text: String) async throws {
        let client = try client("http://127.0.0.1:1")
        let batch = PublishBatch(
            topic: try TopicName("log"), payloads: [Payload([0x61]), Payload(Array(text.utf8))])
        let error = await failure { _ = try await client.publish(batch) }
        guard case .unsendable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func topicsAreRegisteredListedDescribedAndRemoved() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("builds.web")
        #expect(try await client.description(of: topic) == nil)
        let settings = TopicSettings(
            retention: Retention(keep: 10, bytes: nil, age: 86_400_000_000), persists: false)
        let made = try await client.register(topic, settings: settings)
        #expect(made.isNew)
        let described = try #require(try await client.description(of: topic))
        #expect(described == made.topic)
        #expect(described.retention == settings.retention && !described.persists)
        #expect(described.isRegistered)
        let id = try await client.publish("four", to: "builds.web")
        let list = try await client.topics(matching: TopicPattern("builds.*"))
        #expect(list.topics.map(\.events) == [1] && list.topics[0].bytes == 4)
        #expect(list.topics[0].newest == id && list.cursor == id)
        #expect(try await client.register(topic).isNew == false)
        try await client.remove(topic)
        #expect(try await client.topics().topics == [])
    }

    @Test func anExpectationIsOneOfTheSettingsThatAreReplaced() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("backup")
        var settings = TopicSettings(
            retention: Retention(keep: 5, bytes: nil, age: nil), persists: true)
        settings.expect = 26 * 3_600_000_000
        #expect(settings.parameters.contains { $0 == ("expect", "26h") })
        let made = try await client.register(topic, settings: settings).topic
        #expect(made.expect == settings.expect && made.silentSince == nil)
        #expect(try await client.description(of: topic) == made)
        // The defaults of the bus do not name it.
        #expect(try await client.register(topic).topic.expect == settings.expect)
        let alone = [(name: "expect", text: "1s")]
        let changed = try await client.register(topic, parameters: alone).topic
        #expect(changed.expect == 1_000_000)
        let silences = try await client.subscribe(
            Selector(topic), since: .earliest, filter: EventFilter(type: "$silent", key: nil))
        for try await case .event(let event) in silences {
            let silent = try #require(try await client.description(of: topic)?.silentSince)
            #expect(event.metadata.attributes["since"] == silent.rfc3339)
            break
        }
        settings.expect = nil
        #expect(settings.parameters.contains { $0 == ("expect", "none") })
        let ended = try await client.register(topic, settings: settings).topic
        #expect(ended.expect == nil && ended.silentSince == nil)
    }

    @Test func oneEventIsFoundRemovedOrUnknown() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("a")
        let metadata = try EventMetadata(
            type: "t", key: "k", contentType: "application/json")
        let payload = Payload(Array("{ \"a\" : 1 }".utf8))
        let receipt = try await client.publish(
            PublishBatch(topic: topic, metadata: metadata, payloads: [payload]))
        guard case .found(let event) = try await client.event(receipt.first, in: topic) else {
            Issue.record("not found")
            return
        }
        #expect(event.payload.text == "{ \"a\" : 1 }" && event.metadata == metadata)
        #expect(event.time == receipt.time)
        guard case .unknown = try await client.event(.max, in: topic) else {
            Issue.record("an event with the highest id")
            return
        }
        try await client.remove(topic)
        try await client.publish("next", to: "a")
        guard case .removed = try await client.event(receipt.first, in: topic) else {
            Issue.record("a removed event")
            return
        }
    }

    @Test func aCancelledRequestEndsAtOnce() async throws {
        // More of an answer than this never comes.
        let server = try ScriptedServer(["HTTP/1.1 100 Continue\r\n\r\n"])
        let client = try client("http://127.0.0.1:\(server.port)")
        let task = Task { try await client.topics() }
        task.cancel()
        let error = await failure { _ = try await task.value }
        #expect(error == .cancelled)
    }
}
