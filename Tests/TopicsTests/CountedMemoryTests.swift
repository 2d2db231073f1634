import Foundation
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

    /// Ends the process unless all that `body` added is counted, and is still there.
    private static func hold(count: Int, _ bench: Bench, _ body: () throws -> Void) throws {
        let (before, counted) = (try resident(), bench.memory.used)
        try body()
        let (taken, bytes) = (try resident() - before, bench.memory.used - counted)
        guard bench.bus.statistics.evicted == 0, bytes > 0, taken <= bytes else {
            FileHandle.standardError.write(
                Data("\(taken) bytes taken by \(count), \(bytes) counted\n".utf8))
            exit(1)
        }
    }

    @Test func eventsTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let bytes = Array(repeating: UInt8(0x41), count: 100)
            try bench.publish("a", [Payload(bytes)])
            let count = 40_000
            try Self.hold(count: count, bench) {
                for _ in 0..<count { try bench.publish("a", [Payload(bytes)]) }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func attributesTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let topic = try TopicName("a")
            let count = 40_000
            try Self.hold(count: count, bench) {
                for index in 0..<count {
                    let batch = PublishBatch(
                        topic: topic, attributes: try Self.attributes(index), payloads: [.empty])
                    _ = try bench.answer { bench.bus.publish(batch, then: $0) }
                }
            }
            withExtendedLifetime(bench) {}
        }
    }

    @Test func labelsAndExpiriesTakeNoMoreThanIsCounted() async {
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
            try Self.hold(count: count, bench) {
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

    @Test func topicsTakeNoMoreThanIsCounted() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let count = 8_000
            try Self.hold(count: count, bench) {
                for index in 0..<count { try bench.publish("topic.number-\(index)", [.empty]) }
            }
            withExtendedLifetime(bench) {}
        }
    }
}
