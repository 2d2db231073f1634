import Foundation
import Protection
import TestSupport
import Testing

@testable import Topics

/// Each in a process of its own, whose memory nobody else changes.
@Suite(.withoutSanitizer) struct OverheadTests {
    /// What the process has in memory, in bytes.
    private static func resident() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Ends the process unless what `body` took is what the bound counts: never more, and at
    /// least half of it.
    private static func compare(counted bytes: Int, _ body: () throws -> Void) throws {
        let before = try resident()
        try body()
        let taken = try resident() - before
        guard taken <= bytes, taken >= bytes / 2 else {
            FileHandle.standardError.write(Data("\(taken) bytes taken, \(bytes) counted\n".utf8))
            exit(1)
        }
    }

    @Test func eventsTakeWhatIsCountedForThem() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let bytes = Array(repeating: UInt8(0x41), count: 100)
            try bench.publish("a", [Payload(bytes)])
            let count = 40_000
            try Self.compare(counted: count * (Overhead.eventBytes + 100)) {
                for _ in 0..<count { try bench.publish("a", [Payload(bytes)]) }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func attributesTakeWhatIsCountedForThem() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let topic = try TopicName("a")
            let count = 40_000
            let one = try Self.attributes(0).memoryBytes + Overhead.eventBytes
            try Self.compare(counted: count * one) {
                for index in 0..<count {
                    let batch = PublishBatch(
                        topic: topic, attributes: try Self.attributes(index), payloads: [.empty])
                    _ = try bench.answer { bench.bus.publish(batch, then: $0) }
                }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func labelsAndExpiriesTakeWhatIsCountedForThem() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let topic = try TopicName("a")
            let count = 20_000
            func batch(_ index: Int) throws -> PublishBatch {
                let labels = try EventLabels([
                    "source": "/a/longer/source/\(1_000_000 + index)", "id": "\(index)",
                ])
                return PublishBatch(
                    topic: topic,
                    attributes: EventAttributes.none.with(
                        labels, expires: Timestamp(microseconds: Int64(index))),
                    payloads: [.empty])
            }
            try Self.compare(counted: count * batch(0).memoryBytes) {
                for index in 0..<count {
                    let batch = try batch(index)
                    _ = try bench.answer { bench.bus.publish(batch, then: $0) }
                }
            }
            withExtendedLifetime(bench) {}
        }
    }

    private static func attributes(_ index: Int) throws -> EventAttributes {
        var texts = AttributeTexts()
        for attribute in EventAttribute.allCases {
            texts[attribute] = "\(attribute)/\(1_000_000 + index)/positions"
        }
        texts[.type] = "created"
        return try EventAttributes(texts)
    }

    @Test func aSubscriptionThatWaitsTakesLittle() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let count = 10_000
            let subscriptions = Protected<[EventSubscription]>([])
            try Self.compare(counted: count * 1_536) {
                for index in 0..<count {
                    let selector = index % 2 == 0 ? "topic.number-\(index)" : "topic.*.\(index)"
                    subscriptions.append(try bench.subscribe(selector))
                }
            }
            withExtendedLifetime((bench, subscriptions)) {}
        }
    }

    @Test func topicsTakeWhatIsCountedForThem() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let count = 8_000
            try Self.compare(counted: count * (Overhead.topicBytes + Overhead.eventBytes)) {
                for index in 0..<count { try bench.publish("topic.number-\(index)", [.empty]) }
            }
            withExtendedLifetime(bench) {}
        }
    }
}
