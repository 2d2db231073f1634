import Foundation
import Testing

@testable import Topics

/// Topics whose events are values of one type.
@Suite struct TypedTopicTests {
    private struct Deploy: Codable, Hashable, Sendable {
        var version: String
        var seconds = 0.0
    }

    private static func topic() throws -> Topic<Deploy> {
        try Topic(
            "deploys", encode: { try JSONEncoder().encode($0) },
            decode: { try JSONDecoder().decode(Deploy.self, from: $0) })
    }

    /// What a delivery is, in a word or two.
    private func words(_ delivery: TypedDelivery<Deploy>?) -> String {
        switch delivery {
        case .value(let deploy, let event): "\(deploy.version) \(event.metadata.key ?? "-")"
        case .unreadable(let event, _): "unreadable \(event.payload.text)"
        case .gap: "gap"
        case nil: "end"
        }
    }

    @Test func valuesComeAsTheyWerePublished() async throws {
        let bus = try EventBus()
        let topic = try Self.topic()
        let values = try bus.subscribe(to: topic)
        try await bus.publish(Deploy(version: "v1"), to: topic)
        let receipt = try await bus.publish(Deploy(version: "v2"), to: topic, key: "web")
        guard case .found(let event) = bus.event(receipt.first, in: topic.name) else {
            Issue.record("the value is not there")
            return
        }
        #expect(event.metadata.contentType == "application/json")
        #expect(try topic.value(of: event) == Deploy(version: "v2"))
        var reader = values.makeAsyncIterator()
        #expect(words(try await reader.next()) == "v1 -")
        #expect(words(try await reader.next()) == "v2 web")
        #expect(values.source.cursor == receipt.first)
        bus.drain()
        #expect(words(try await reader.next()) == "end")
    }

    @Test func whatIsNoValueIsAnElementAndNotTheEnd() async throws {
        let bus = try EventBus(keeping: Retention(keep: 2, bytes: nil, age: nil))
        let topic = try Self.topic()
        let start = bus.newest
        for text in ["lost", "lost", "{}"] { try await bus.publish(text, to: "deploys") }
        try await bus.publish(Deploy(version: "v1"), to: topic)
        var reader = try bus.subscribe(to: topic, since: .after(start)).makeAsyncIterator()
        var told: [String] = []
        for _ in 0..<3 { told.append(words(try await reader.next())) }
        #expect(told == ["gap", "unreadable {}", "v1 -"])
    }

    @Test func whatCannotBeEncodedIsNotPublished() async throws {
        let bus = try EventBus()
        let topic = try Self.topic()
        await #expect(throws: EncodingError.self) {
            try await bus.publish(Deploy(version: "v1", seconds: .infinity), to: topic)
        }
        await #expect(throws: MetadataError.self) {
            try await bus.publish(Deploy(version: "v1"), to: topic, key: "a\nb")
        }
        #expect(bus.statistics.published == 0)
        #expect(throws: NameError.self) {
            try Topic<[UInt8]>("a b", encode: { $0 }, decode: { $0 })
        }
        #expect(throws: MetadataError.self) {
            try Topic<[UInt8]>("a", contentType: "a\nb", encode: { $0 }, decode: { $0 })
        }
    }

    @Test func bytesOfAnyCollectionAreAValue() throws {
        let topic = try Topic<String>(
            "texts", contentType: nil, encode: { Array($0.utf8) },
            decode: { String(decoding: $0, as: UTF8.self) })
        let batch = try topic.batch(of: ["a", "ä"])
        #expect(batch.payloads.map(\.text) == ["a", "ä"] && batch.metadata == .none)
    }
}
