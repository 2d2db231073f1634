import TestSupport
import Testing
import Topics

/// Events for later, as a process has them that has the bus itself.
@Suite struct LaterVerbsTests {
    private static func batch(_ text: String = "x") throws -> PublishBatch {
        PublishBatch(topic: try TopicName("a"), payloads: [Payload(Array(text.utf8))])
    }

    @Test func anEventIsHeldListedAndCancelled() async throws {
        let bus = try EventBus()
        defer { bus.close() }
        let topic = try TopicName("a")
        let held = try await bus.publish(
            try Self.batch(), later: .after(microseconds: 3_600_000_000))
        let heads = bus.held(for: topic)
        #expect(heads.map(\.ticket) == [held.ticket] && heads[0].due == held.due)
        #expect(heads[0].every == nil && heads[0].bytes == 1)
        #expect(bus.held(for: topic, after: held.ticket).isEmpty)
        #expect(try await bus.payloads(of: heads[0]).map(\.text) == ["x"])
        #expect(try await bus.cancel(held.ticket, of: topic) == .cancelled)
        #expect(try await bus.cancel(held.ticket, of: topic) == .cancelled)
        #expect(try await bus.cancel(EventID(rawValue: 1), of: topic) == .unknown)
        #expect(bus.held(for: topic).isEmpty)
        #expect(try await bus.payloads(of: heads[0]).isEmpty)
    }

    @Test func topicsThatHaveNothingButEventsForLaterAreRemovedSomeAtATime() async throws {
        let bus = try EventBus()
        defer { bus.close() }
        func hold(_ topic: String) async throws {
            let batch = PublishBatch(topic: try TopicName(topic), payloads: [.empty])
            _ = try await bus.publish(batch, later: .after(microseconds: 3_600_000_000))
        }
        for number in 0..<300 {
            try await hold("jobs.\(number)")
            try await hold("other.\(number)")
        }
        let selector = try Selector("jobs.*")
        var (seen, turns, place): (Int, Int, TopicPlace?) = (0, 0, .first)
        while let from = place {
            let (topics, next) = bus.someTopics(matching: selector, from: from)
            #expect(topics.count <= 128)
            (seen, turns, place) = (seen + topics.count, turns + 1, next)
        }
        #expect(seen == 300 && turns > 2)
        #expect(try await bus.remove(matching: selector) == 300)
        #expect(bus.laterCount == 300)
        // Their places are free for others.
        for number in 0..<300 { try await hold("more.\(number % 100)") }
        #expect(try await bus.remove(matching: Selector("more.7,other.8")) == 2)
        #expect(try await bus.remove(matching: Selector("more.9")) == 1)
        #expect(try await bus.remove(matching: Selector("*.*")) == 98 + 299)
        #expect(bus.laterCount == 0)
    }

    @Test func anEventIsVisibleOnceItIsDue() async throws {
        let bus = try EventBus()
        defer { bus.close() }
        let topic = try TopicName("a")
        let subscription = try bus.subscribe(try Selector("a"))
        let held = try await bus.publish(try Self.batch(), later: .after(microseconds: 1_000))
        for try await delivery in subscription {
            guard case .event(let event) = delivery else { continue }
            #expect(event.payload.text == "x" && event.time >= held.due)
            #expect(try await bus.cancel(held.ticket, of: topic) == .published(event.id))
            return
        }
    }

    @Test func aScheduleIsReplacedByItsName() async throws {
        let bus = try EventBus()
        defer { bus.close() }
        let topic = try TopicName("a")
        func put(_ text: String, ttl: Int64? = nil) async throws -> EventID {
            try await bus.publish(
                try Self.batch(text), every: 3_600_000_000, name: "tick", ttl: ttl
            ).ticket
        }
        let first = try await put("x")
        #expect(try await put("x") == first)
        let second = try await put("y")
        #expect(second != first)
        #expect(try await put("y", ttl: 1_000_000) != second)
        let heads = bus.held(for: topic)
        #expect(heads.count == 1 && heads[0].every == 3_600_000_000 && heads[0].name == "tick")
    }
}
