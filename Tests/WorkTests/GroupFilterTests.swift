import TestSupport
import Testing
import Topics

@testable import Work

/// Groups that take events with some attributes alone.
@Suite(.blocking) struct GroupFilterTests {
    private static func attributes(_ values: [String: String]) throws -> EventAttributes {
        try EventAttributes(values)
    }

    private static func publish(
        _ text: String, _ values: [String: String], on bench: WorkBench
    ) throws {
        let batch = PublishBatch(
            topic: try TopicName("jobs"),
            metadata: try EventMetadata(attributes: attributes(values)),
            payloads: [Payload(Array(text.utf8))])
        _ = try WorkBench.answer { bench.bus.publish(batch, then: $0) }
    }

    @Test(arguments: [false, true])
    func aGroupTakesEventsWithAllOfItsAttributesInTheNextLifeToo(isStored: Bool) throws {
        let folder = TemporaryFolder(inMemory: true)
        let file = isStored ? "\(folder.path)/store" : nil
        var bench = try WorkBench(file: file)
        let wanted = try Self.attributes(["host": "web1", "level": "high"])
        let made = try bench.set { $0.attributes = wanted }
        #expect(made.settings.attributes == wanted)
        try Self.publish("one", ["host": "web1", "level": "high", "more": "x"], on: bench)
        try Self.publish("no", ["host": "web1"], on: bench)
        try Self.publish("no", ["host": "web2", "level": "high"], on: bench)
        try Self.publish("no", [:], on: bench)
        try Self.publish("two", ["host": "web1", "level": "high"], on: bench)
        #expect(try bench.take(max: 9).jobs.map(\.event.payload.text) == ["one", "two"])
        #expect(try bench.next().delivery == nil)
        guard isStored else { return }
        bench.bus.close()
        bench = try WorkBench(file: file)
        #expect(try bench.group()?.settings.attributes == wanted)
        try Self.publish("no", ["host": "web1"], on: bench)
        try Self.publish("three", ["host": "web1", "level": "high"], on: bench)
        #expect(try bench.take().jobs.map(\.event.payload.text) == ["three"])
    }

    @Test func theAttributesOfAGroupNeverChange() throws {
        let bench = try WorkBench()
        let wanted = try Self.attributes(["host": "web1"])
        try bench.set { $0.attributes = wanted }
        #expect(try bench.set { $0.attributes = wanted }.settings.attributes == wanted)
        #expect(try bench.set().settings.attributes == wanted)
        for other in [["host": "web2"], ["host": "web1", "a": "1"], [:]] {
            let error = #expect(throws: WorkError.self) {
                try bench.set { $0.attributes = try Self.attributes(other) }
            }
            #expect(error?.description.contains("attributes") == true)
        }
    }

    @Test func aRequestIsForAGroupThatTakesIt() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.replies = true
            $0.attributes = try Self.attributes(["host": "web1"])
        }
        let (_, waiting) = try bench.ask(NextRequest(waits: true))
        defer { withExtendedLifetime(waiting) {} }
        let answer = Answer<Reply, WorkError>()
        let batch = PublishBatch(
            topic: try TopicName("jobs"),
            metadata: try EventMetadata(attributes: Self.attributes(["host": "web2"])),
            payloads: [.empty])
        _ = bench.work.ask(batch, within: 1_000_000, then: { answer.give($0) })
        let error = #expect(throws: WorkError.self) { try answer.get() }
        guard case .noResponder? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
