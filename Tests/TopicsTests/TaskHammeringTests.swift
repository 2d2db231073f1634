import Protection
import TestSupport
import Testing
import Topics

/// Tasks that publish and subscribe on one bus, and change their thread with almost every `await`.
/// Means most in an optimised build, as the suite of the same name for protected values.
@Suite(.timeLimit(.minutes(20))) struct TaskHammeringTests {
    private static let publishers = 12
    private static let rounds = Sanitizer.isOn ? 30 : 100

    @Test func everyEventThatTasksPublishIsReadByTheTasksThatSubscribed() async throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: nil))
        let bus = bench.bus
        let subscriptions = try (0..<Self.publishers).map { reader in
            try bus.subscribe(Selector(reader.isMultiple(of: 2) ? ">" : "t.*"))
        }
        let publishing = Protected(Self.publishers)
        let read = Protected([Int](repeating: 0, count: Self.publishers))
        try await inTasks(2 * Self.publishers) { task in
            guard task < Self.publishers else {
                for try await delivery in subscriptions[task - Self.publishers] {
                    guard case .event = delivery else { continue }
                    read.write { $0[task - Self.publishers] += 1 }
                }
                return
            }
            let topic = try TopicName("t.\(task)")
            for _ in 0..<Self.rounds {
                _ = try await bus.publish(PublishBatch(topic: topic, payloads: [.empty]))
                await Task.yield()
            }
            let left = publishing.write { publishing in
                publishing -= 1
                return publishing
            }
            if left == 0 { bus.drain() }
        }
        let published = Self.publishers * Self.rounds
        #expect(read.value == [Int](repeating: published, count: Self.publishers))
        #expect(bus.statistics.published == published)
        #expect(bus.statistics.subscribers == 0)
    }

    @Test func tasksThatSubscribeTurnByTurnLeaveNothingBehind() async throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: nil))
        let bus = bench.bus
        let topic = try TopicName("t")
        let selector = try Selector("t")
        try await inTasks(2 * Self.publishers) { _ in
            for _ in 0..<Self.rounds {
                let subscription = try bus.subscribe(selector)
                let receipt = try await bus.publish(
                    PublishBatch(topic: topic, payloads: [.empty]))
                await Task.yield()
                for try await delivery in subscription {
                    if case .event(let event) = delivery, event.id == receipt.first { break }
                }
                subscription.cancel()
                await Task.yield()
            }
        }
        #expect(bus.statistics.published == 2 * Self.publishers * Self.rounds)
        #expect(bus.statistics.subscribers == 0)
    }
}
