import TestSupport
import Testing
import Topics

@testable import Work

/// Events of the bus, of types such as `$silent`: no jobs, unless a group names their type.
@Suite(.blocking) struct BusEventTests {
    /// Has the topic `jobs` be told silent where it has no event for ten seconds.
    private static func expect(
        keep: Int? = nil, heldFor group: TopicHolder? = nil, on bench: WorkBench
    ) throws {
        var settings = TopicSettings(
            retention: Retention(keep: keep, bytes: nil, age: nil), persists: true)
        settings.expect = 10_000_000
        settings.hold = group
        let (topic, wanted) = (try TopicName("jobs"), settings)
        _ = try WorkBench.answer {
            bench.bus.register(topic, settings: wanted, by: .unknown, then: $0)
        }
    }

    private static func types(of topic: String = "jobs", _ bench: WorkBench) throws -> [String] {
        let read = bench.bus.read(
            from: .earliest, matching: try Selector(topic), filter: .all,
            limit: ReadLimit(events: 100, bytes: 1 << 20))
        guard case .events(let events, _, _) = read else { return [] }
        return events.map { $0.metadata.type ?? "-" }
    }

    @Test(arguments: [false, true])
    func aGroupHandsOutNoEventOfTheBus(isStored: Bool) throws {
        let folder = TemporaryFolder(inMemory: true)
        let file = isStored ? "\(folder.path)/store" : nil
        var bench = try WorkBench(file: file)
        try bench.set()
        try Self.expect(on: bench)
        try bench.publish("one")
        bench.advance(seconds: 10)
        try bench.publish("two")
        bench.advance(seconds: 0)
        // A store on a file commits on its own thread, in order.
        try bench.publish("x", to: "other")
        #expect(try Self.types(bench) == ["-", "$silent", "-", "$back"])
        #expect(try bench.group()?.behind == 2)
        let delivery = try bench.take(max: 9)
        #expect(delivery.jobs.map(\.event.payload.text) == ["one", "two"])
        try bench.settle(Settlement(.done(nil), lease: delivery.lease))
        bench.advance(seconds: 10)
        try bench.publish("x", to: "other")
        #expect(try Self.types(bench).last == "$silent")
        #expect(try bench.next().delivery == nil)
        #expect(try bench.group()?.behind == 0)
        guard isStored else { return }
        bench.bus.close()
        bench = try WorkBench(file: file, clock: bench.clock)
        #expect(try bench.next().delivery == nil)
        try bench.set("anew")
        #expect(
            try bench.take("anew", max: 9).jobs.map(\.event.payload.text) == ["one", "two"])
        bench.bus.close()
    }

    @Test func aWorkerThatWaitsGetsTheNextEventOfAPublisher() throws {
        let bench = try WorkBench()
        try bench.set()
        try Self.expect(on: bench)
        let (answer, waiting) = try bench.ask(NextRequest())
        defer { withExtendedLifetime(waiting) {} }
        bench.advance(seconds: 10)
        #expect(try Self.types(bench) == ["$silent"] && !answer.isGiven)
        try bench.publish("one")
        #expect(try answer.get().delivery?.text == "one")
    }

    /// The group settles nothing of them, and the next event finds room all the same.
    @Test func aTopicHoldsNoEventOfTheBusOnceItsGroupHasGonePast() throws {
        let bench = try WorkBench()
        try bench.set()
        let group = try #require(bench.work.scope(of: GroupName("g"))?.number)
        try Self.expect(keep: 1, heldFor: TopicHolder(group: group, name: "g"), on: bench)
        try bench.publish("one")
        try bench.settle(Settlement(.done(nil), lease: try bench.take().lease))
        bench.advance(seconds: 10)
        #expect(try Self.types(bench) == ["-", "$silent"])
        #expect(try bench.next().delivery == nil)
        try bench.publish("two")
        #expect(try Self.types(bench) == ["$silent", "-"])
        #expect(try bench.take().text == "two")
    }

    @Test func aGroupThatNamesTheTypeTakesItAndItsLettersAreJobsOfAnyGroup() throws {
        let bench = try WorkBench()
        try bench.set { $0.type = "$silent" }
        try bench.set("others")
        try bench.set(of: nil) { $0.dead = .topic(try TopicName("failed")) }
        try Self.expect(on: bench)
        bench.advance(seconds: 10)
        let delivery = try bench.take()
        #expect(delivery.text.hasPrefix("No event since "))
        try bench.settle(Settlement(.dead(refusal: nil), lease: delivery.lease))
        #expect(try Self.types(of: "failed", bench) == ["$silent"])
        try bench.set("letters", of: "failed")
        let letter = try bench.take("letters").ids[0]
        let name = try GroupName("g")
        let _: PublishReceipt = try WorkBench.answer {
            bench.work.revive(name, id: letter, by: WorkBench.caller, then: $0)
        }
        #expect(try bench.take().text == delivery.text)
        #expect(try bench.next("others").delivery == nil)
    }

    @Test func aWorkerPublishesNoTypeOfTheBus() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("one")
        let output = PublishBatch(
            topic: try TopicName("out"), metadata: try EventMetadata(type: "$silent"),
            payloads: [.empty])
        let lease = try bench.take().lease
        let done = Settlement(.done(.publish(output)), lease: lease)
        #expect(refusal { try bench.settle(done) } == "bus")
        #expect(bench.bus.description(of: try TopicName("out")) == nil)
    }
}
