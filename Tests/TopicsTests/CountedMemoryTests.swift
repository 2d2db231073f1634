import Foundation
import Protection
import TestSupport
import Testing

@testable import Topics

/// A bus keeps to its bound of memory by what it counts, so that nothing may take more than it
/// counts for it. Each in a process of its own, whose memory nobody else changes.
@Suite(.withoutSanitizer) struct CountedMemoryTests {
    /// What the process has in memory, in bytes.
    private static func resident() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Ends the process unless all that `body` adds, called with each number, is counted and still
    /// there. What the first ones bring into memory besides, such as code, is no part of it.
    private static func hold(
        count: Int, _ bench: Bench, _ body: (Int) throws -> Void
    ) throws {
        for index in 0..<1_000 { try body(index) }
        let (before, counted) = (try resident(), bench.memory.used)
        for index in 1_000..<(1_000 + count) { try body(index) }
        let (taken, bytes) = (try resident() - before, bench.memory.used - counted)
        guard bench.bus.statistics.evicted == 0, bytes > 0, taken <= bytes else {
            FileHandle.standardError.write(
                Data("\(taken) bytes taken by \(count), \(bytes) counted\n".utf8))
            exit(1)
        }
    }

    @Test func eventsTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            let bytes = Array(repeating: UInt8(0x41), count: 100)
            try Self.hold(count: 40_000, bench) { _ in
                try bench.publish("a", [Payload(bytes)])
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func keysTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            let topic = try TopicName("a")
            var table = KeyTable(in: bench.memory)
            try Self.hold(count: 150_000, bench) { index in
                let known = KeyTable.Known(
                    first: EventID(rawValue: UInt64(index + 1)), count: 1,
                    time: Timestamp(microseconds: Int64(index)), topic: topic, user: 1, print: 1,
                    number: nil, windowSeconds: 900)
                let identity = IdempotencyKey.Identity(high: UInt64(index), low: 1)
                _ = table.note(identity, known)
                table.committed()
            }
            withExtendedLifetime((bench, table)) {}
        }
    }

    @Test func heldEventsTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            try Self.hold(count: 40_000, bench) { index in
                let batch = PublishBatch(
                    topic: try TopicName("t\(index % 1_000)"), metadata: try Self.metadata(index),
                    payloads: [.empty])
                let held = HeldBatch(batch, ttl: nil, at: .after(microseconds: 1_000_000_000))
                _ = try bench.answer { bench.bus.hold(held, then: $0) }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func attributesTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            let topic = try TopicName("a")
            try Self.hold(count: 40_000, bench) { index in
                let batch = PublishBatch(
                    topic: topic, metadata: try Self.metadata(index), payloads: [.empty])
                _ = try bench.answer { bench.bus.publish(batch, then: $0) }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func attributesAndExpiriesTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            let topic = try TopicName("a")
            func batch(_ index: Int) throws -> PublishBatch {
                let attributes = try EventAttributes([
                    "source": "/a/longer/source/\(1_000_000 + index)", "id": "\(index)",
                ])
                return PublishBatch(
                    topic: topic,
                    metadata: EventMetadata.none.with(
                        attributes, expires: Timestamp(microseconds: Int64(index))),
                    payloads: [.empty])
            }
            try Self.hold(count: 20_000, bench) { index in
                let batch = try batch(index)
                _ = try bench.answer { bench.bus.publish(batch, then: $0) }
            }
            withExtendedLifetime(bench) {}
        }
    }

    private static func metadata(_ index: Int) throws -> EventMetadata {
        var texts = MetadataTexts()
        for field in MetadataField.allCases {
            texts[field] = "\(field)/\(1_000_000 + index)/positions"
        }
        texts[.type] = "created"
        return try EventMetadata(texts)
    }

    @Test func topicsTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            try Self.hold(count: 8_000, bench) { index in
                try bench.publish("topic.number-\(index)", [.empty])
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func aSubscriptionThatWaitsTakesLessThanTwoKilobytes() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let bench = try Bench()
            let subscriptions = Protected<[EventSubscription]>([])
            func subscribe(_ indices: Range<Int>) throws {
                for index in indices {
                    let selector = index % 2 == 0 ? "topic.number-\(index)" : "topic.*.\(index)"
                    subscriptions.append(try bench.subscribe(selector))
                }
            }
            try subscribe(0..<1_000)
            let before = try Self.resident()
            try subscribe(1_000..<11_000)
            guard try Self.resident() - before < 10_000 * 2_048 else { exit(1) }
            withExtendedLifetime((bench, subscriptions)) {}
        }
    }
}
