import Protection
import Testing
import Topics

/// A change of a work group that brings events.
@Suite struct BusWorkTests {
    private static let change = WorkChange(of: GroupNumber(rawValue: 1), persists: true)

    @Test func eventsOfAChangeAreVisibleAndToldWhenItIsAnswered() throws {
        let bench = try Bench()
        try bench.publish("a", "before")
        let batches = try ["dead", "done", "dead"].map {
            PublishBatch(topic: try TopicName($0), payloads: [Payload(Array("x".utf8))])
        }
        let receipts = try bench.answer {
            bench.bus.commit(Self.change, publishing: batches, then: $0)
        }
        #expect(receipts.map(\.count) == [1, 1, 1])
        #expect(receipts[0].last < receipts[1].first && receipts[1].last < receipts[2].first)
        let read = try bench.read(bench.start(.earliest, "dead,done"), "dead,done")
        #expect(read.events.map(\.id) == receipts.map(\.first))
        #expect(bench.bus.statistics.pendingBytes == 0)
        #expect(try bench.answer { bench.bus.commit(Self.change, then: $0) }.isEmpty)
    }

    @Test func aBatchThatIsRefusedFailsTheChangeAndLeavesNothingBehind() throws {
        var limits = BusLimits()
        limits.eventBytesMax = 10
        let bench = try Bench(limits: limits)
        let small = PublishBatch(topic: try TopicName("new"), payloads: [.empty])
        let large = PublishBatch(
            topic: try TopicName("a"), payloads: [Payload([UInt8](repeating: 0, count: 11))])
        #expect(throws: BusError.eventTooLarge(bytesMax: 10, index: 0)) {
            try bench.answer {
                bench.bus.commit(Self.change, publishing: [small, large], then: $0)
            }
        }
        #expect(bench.bus.statistics.pendingBytes == 0 && bench.bus.statistics.topics == 0)
        #expect(bench.memory.used(.events) == 0 && bench.memory.used(.topics) == 0)
    }

    @Test func withoutAStoreThatKeepsThemThereAreNoGroups() throws {
        #expect(try Bench().bus.takeStoredGroups()?.isEmpty == true)
    }
}
