import Protection
import TestSupport
import Testing
import Topics

@testable import Work

/// Requests: events whose publishers wait for a reply.
@Suite(.blocking) struct RequestTests {
    private func ask(
        _ bench: WorkBench, _ text: String = "q", within seconds: Int64 = 10
    ) throws -> (answer: Answer<Reply, WorkError>, asking: Asking) {
        let batch = PublishBatch(
            topic: try TopicName("jobs"), payloads: [Payload(Array(text.utf8))])
        let answer = Answer<Reply, WorkError>()
        let asking = bench.work.ask(batch, within: seconds * 1_000_000) { answer.give($0) }
        return (answer, asking)
    }

    private func reply(_ text: String) -> Settlement.Verb {
        .done(.reply(Reply(Payload(Array(text.utf8)), contentType: "text/plain")))
    }

    @Test func aWorkerReplies() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        let (waiting, _) = try bench.ask(NextRequest())
        let (answer, _) = try ask(bench)
        let delivery = try #require(try waiting.get().delivery)
        #expect(delivery.text == "q" && delivery.jobs[0].isReplyWanted)
        #expect(!answer.isGiven)
        let receipt = try bench.settle(Settlement(reply("5"), lease: delivery.lease))
        #expect(!receipt.isLate)
        let reply = try answer.get()
        #expect(reply.payload.text == "5" && reply.contentType == "text/plain")
        #expect(reply.request == delivery.ids[0])
    }

    @Test func aReplyIsDeliveredOnlyOnceItIsCommitted() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, _) = try ask(bench)
        let delivery = try bench.take()
        bench.store.refuse(.storeFull("full"))
        let settlement = Settlement(reply("5"), lease: delivery.lease)
        #expect(refusal { try bench.settle(settlement) } == "bus")
        #expect(!answer.isGiven)
        bench.store.refuse(nil)
        try bench.settle(settlement)
        #expect(try answer.get().payload.text == "5")
    }

    @Test func aRequestEndsWithTheGroups() throws {
        var bench: WorkBench? = try WorkBench()
        try bench?.set { $0.replies = true }
        _ = try bench?.next()
        let asked = try bench.map { try ask($0).answer }
        #expect(asked?.isGiven == false)
        bench = nil
        #expect(refusal { _ = try asked?.get() } == "bus")
    }

    @Test func withoutAWorkerNothingIsPublished() throws {
        let bench = try WorkBench()
        try bench.set("quiet")
        try bench.set { $0.replies = true }
        _ = try bench.next("quiet")
        #expect(refusal { _ = try ask(bench).answer.get() } == "noResponder")
        #expect(try bench.bus.description(of: TopicName("jobs")) == nil)
        _ = try bench.next()
        bench.advance(seconds: 6)
        #expect(refusal { _ = try ask(bench).answer.get() } == "noResponder")
    }

    @Test func aRequestThatIsOverIsHandedToNobody() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (first, asking) = try ask(bench, "hung up")
        asking.cancel()
        #expect(refusal { _ = try first.get() } == "replyTimeout")
        let (second, _) = try ask(bench, "late", within: 2)
        bench.advance(seconds: 3)
        #expect(refusal { _ = try second.get() } == "replyTimeout")
        #expect(try bench.next().delivery == nil)
        #expect(try bench.group()?.expired == 2)
    }

    @Test func aRequestThatIsOverStaysSoWhenTheClockIsSetBack() throws {
        let passed = Protected<Int64>(0)
        let bench = try WorkBench(boot: BootClock(boot: "b") { passed.value })
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, asking) = try ask(bench)
        bench.clock.advance(seconds: -3_600)
        passed.write { $0 += 60_000_000 }
        for _ in 0..<2 { bench.work.sweep() }
        #expect(refusal { _ = try answer.get() } == "replyTimeout")
        #expect(try bench.next().delivery == nil)
        withExtendedLifetime(asking) {}
    }

    @Test func howeverManyOneUserHangsUpThoseOfOthersAreHandedToNobody() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (first, early) = try ask(bench, "before")
        early.cancel()
        #expect(refusal { _ = try first.get() } == "replyTimeout")
        let replies = bench.work.parts.replies
        for number in 0..<UInt64(Limits.endedRequestsMax) {
            replies.end(
                EventID(rawValue: number), until: Timestamp(microseconds: .max), of: 1_002)
        }
        let (second, late) = try ask(bench, "behind")
        late.cancel()
        #expect(refusal { _ = try second.get() } == "replyTimeout")
        #expect(try bench.next().delivery == nil)
        #expect(try bench.group()?.expired == 2)
    }

    @Test func aLateReplyIsSaidToBeLate() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, asking) = try ask(bench)
        let delivery = try bench.take()
        asking.cancel()
        #expect(refusal { _ = try answer.get() } == "replyTimeout")
        #expect(try bench.settle(Settlement(reply("5"), lease: delivery.lease)).isLate)
        #expect(bench.work.figures.late == 1)
    }

    @Test func aReplyDoesNotWaitForTheNextJobOfItsWorker() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, _) = try ask(bench)
        let lease = try bench.take().lease
        let (next, _) = try bench.ask(NextRequest(settlement: Settlement(reply("5"), lease: lease)))
        #expect(try answer.get().payload.text == "5")
        #expect(!next.isGiven)
    }

    @Test func aRequestCanBeRefused() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, _) = try ask(bench)
        let delivery = try bench.take()
        let why = Reply(Payload(Array("no".utf8)), contentType: nil)
        try bench.settle(Settlement(.dead(refusal: why), lease: delivery.lease))
        #expect(refusal { _ = try answer.get() } == "replyRefused")
    }

    @Test func aRequestThatIsDoneWithoutABodyIsAnsweredEmpty() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        let (waiting, _) = try bench.ask(NextRequest())
        let (answer, _) = try ask(bench)
        let delivery = try #require(try waiting.get().delivery)
        let receipt = try bench.settle(Settlement(.done(nil), lease: delivery.lease))
        #expect(!receipt.isLate)
        let reply = try answer.get()
        #expect(reply.payload.count == 0 && reply.request == delivery.ids[0])
    }

    @Test func ofABatchOnlyRequestsAreRefusedWithoutADeadTopic() throws {
        let bench = try WorkBench()
        try bench.set { $0.replies = true }
        _ = try bench.next()
        let (answer, _) = try ask(bench)
        try bench.publish("nobody waits for it")
        let delivery = try bench.take(max: 2)
        #expect(delivery.jobs.count == 2)
        let dead = Settlement(.dead(refusal: nil), lease: delivery.lease)
        #expect(refusal { try bench.settle(dead) } == "deadMissing")
        let only = Settlement(
            .dead(refusal: nil), lease: delivery.lease, only: [delivery.ids[0]])
        try bench.settle(only)
        #expect(refusal { _ = try answer.get() } == "replyRefused")
        #expect(try bench.group()?.open == 1)
    }

    @Test func onlyGroupsThatReplyTakeReplies() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("a")
        let delivery = try bench.take()
        #expect(
            refusal { try bench.settle(Settlement(reply("5"), lease: delivery.lease)) }
                == "repliesNot")
    }

    @Test func theFirstOfSeveralRepliesCounts() throws {
        let bench = try WorkBench()
        try bench.set("a") { $0.replies = true }
        try bench.set("b") { $0.replies = true }
        _ = try bench.next("a")
        let (answer, _) = try ask(bench)
        let (one, two) = (try bench.take("a"), try bench.take("b"))
        try bench.settle(Settlement(reply("two"), lease: two.lease), of: "b")
        #expect(try answer.get().payload.text == "two")
        #expect(try bench.settle(Settlement(reply("one"), lease: one.lease), of: "a").isLate)
    }
}
