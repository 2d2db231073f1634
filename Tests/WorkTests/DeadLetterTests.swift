import Protection
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics

@testable import Work

/// What is said of jobs that became dead letters, and how far letters go.
@Suite(.blocking) struct DeadLetterTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock()

    /// A bus on a file, until its next life.
    private func life(_ body: (WorkBench) throws -> Void) throws {
        let bench = try WorkBench(file: folder.path + "/bus.db", clock: clock)
        defer { bench.bus.close() }
        try body(bench)
    }

    /// Has the only worker of a job be late at its last attempt.
    private func buryLate(_ bench: WorkBench) throws -> (lease: String, letter: EventID) {
        try bench.set {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("failed"))
        }
        try bench.publish("a")
        let lease = try bench.take().lease
        bench.advance(seconds: 61)
        // Its answer comes behind the letter's commit.
        #expect(try bench.next().delivery == nil)
        #expect(try bench.group()?.failed == 1)
        return (lease, try newest("failed", bench))
    }

    private func newest(_ topic: String, _ bench: WorkBench) throws -> EventID {
        try #require(bench.bus.description(of: try TopicName(topic))?.newest)
    }

    /// The sentence of the error that `body` throws, behind its case.
    private func saying(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing"
        } catch {
            return (error as? WorkError).map { "\($0.kind): \($0)" } ?? "\(error)"
        }
    }

    private func expect(
        _ letter: EventID, toBeToldOf lease: String, _ bench: WorkBench
    ) throws {
        let verbs: [Settlement.Verb] = [.done(nil), .retry(delay: nil), .dead(refusal: nil)]
        for verb in verbs {
            let said = saying { try bench.settle(Settlement(verb, lease: lease)) }
            #expect(said.hasPrefix("jobDead") && said.contains("\(letter) of failed"), "\(said)")
        }
        let said = saying { try bench.extend(lease, seconds: 60) }
        #expect(said.hasPrefix("jobDead") && said.contains("\(letter) of failed"), "\(said)")
    }

    @Test func whileTheDeadTopicCannotBeReadNobodyIsToldHowAJobEnded() throws {
        var told: (lease: String, letter: EventID)?
        try life { told = try buryLate($0) }
        let (lease, letter) = try #require(told)
        try life { bench in
            bench.store.refuseReads(.storeFailed("it cannot be read"))
            let done = Settlement(.done(nil), lease: lease)
            #expect(saying { try bench.settle(done) }.hasPrefix("bus"))
            #expect(saying { _ = try bench.next(settling: done) }.hasPrefix("bus"))
            #expect(saying { try bench.extend(lease, seconds: 60) }.hasPrefix("bus"))
            bench.store.refuseReads(nil)
            try expect(letter, toBeToldOf: lease, bench)
        }
    }

    @Test func theWordsOfItsWorkerAreTheReasonOfALetter() throws {
        let bench = try WorkBench()
        try bench.set {
            ($0.attempts, $0.dead) = (2, .topic(try TopicName("failed")))
        }
        try bench.set("letters", of: "failed")
        func reason() throws -> String? {
            let letter = try bench.take("letters")
            try bench.settle(Settlement(.done(nil), lease: letter.lease), of: "letters")
            return letter.jobs[0].event.metadata.attributes["deadreason"]
        }
        func retry(_ words: String?) throws {
            let lease = try bench.take().lease
            try bench.settle(Settlement(.retry(delay: 0), lease: lease, reason: words))
        }
        // Those of the last attempt.
        try bench.publish("a")
        for words in ["exit 1", "exit 2"] { try retry(words) }
        #expect(try reason() == "exit 2")
        try bench.publish("b")
        for words in ["exit 1", nil] { try retry(words) }
        #expect(try reason() == "attempts")
        try bench.publish("c")
        try retry("exit 1")
        _ = try bench.take()
        bench.advance(seconds: 61)
        #expect(try reason() == "attempts")
        for (given, told) in [
            ("no\nroom\u{7F}", "no room "), (String(repeating: "é", count: 200), nil),
            (nil, "worker"), ("", "worker"),
        ] {
            try bench.publish("d")
            let lease = try bench.take().lease
            try bench.settle(Settlement(.dead(refusal: nil), lease: lease, reason: given))
            #expect(try reason() == told ?? String(repeating: "é", count: 127))
        }
    }

    @Test func wordsForAJobThatIsHandedOutOnceMoreAreForgotten() throws {
        let bench = try WorkBench()
        try bench.set {
            ($0.attempts, $0.dead) = (1, .topic(try TopicName("failed")))
        }
        try bench.publish("a")
        bench.store.refuse(.storeFull("no room for letters"), onlyWithEvents: true)
        let lease = try bench.take().lease
        try bench.settle(Settlement(.retry(delay: 0), lease: lease, reason: "exit 1"))
        try bench.set(of: nil) { $0.attempts = 2 }
        bench.advance(seconds: 2)
        #expect(try bench.take().text == "a")
        bench.store.refuse(nil)
        bench.advance(seconds: 61)
        #expect(try bench.next().delivery == nil)
        try bench.set("letters", of: "failed")
        let letter = try bench.take("letters").jobs[0].event
        #expect(letter.metadata.attributes["deadreason"] == "attempts")
    }

    @Test func aWorkerThatComesTooLateIsToldOfTheLetter() throws {
        let bench = try WorkBench()
        let (lease, letter) = try buryLate(bench)
        try expect(letter, toBeToldOf: lease, bench)
    }

    @Test func aLetterIsKnownAfterARestart() throws {
        var late = (lease: "", letter: EventID.zero)
        try life { late = try buryLate($0) }
        try life { try expect(late.letter, toBeToldOf: late.lease, $0) }
    }

    @Test func aBatchThatDiedInPartIsToldOfALetterWhereTheRestIsSettled() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("failed"))
        }
        try bench.publish("a")
        // This one was a letter so often that it stays.
        let attributes = try EventAttributes(text: "deadhops=16")
        let other = PublishBatch(
            topic: try TopicName("jobs"),
            metadata: try EventMetadata().with(attributes, expires: nil), payloads: [.empty])
        _ = try WorkBench.answer { bench.bus.publish(other, then: $0) }
        let lease = try bench.take(max: 2).lease
        bench.advance(seconds: 61)
        let letter = try newest("failed", bench)
        let settled = try bench.settle(Settlement(.done(nil), lease: lease))
        #expect(settled.count == 1 && settled.deadLetter == letter)
    }

    @Test func aJobThatIsDoneAfterASeekIsNoDeadLetterAnyMore() throws {
        let bench = try WorkBench()
        _ = try buryLate(bench)
        let name = try GroupName("g")
        _ = try WorkBench.answer {
            bench.work.seek(name, to: .earliest, by: WorkBench.caller, then: $0)
        }
        let done = Settlement(.done(nil), lease: try bench.take().lease)
        try bench.settle(done)
        #expect(saying { try bench.settle(done) }.hasPrefix("jobSettled"))
    }

    @Test func lettersOfTwoGroupsDoNotGoInACircleForEver() throws {
        let said = Protected<[String]>([])
        let bench = try WorkBench(
            log: Log(level: .warning) { _, text in said.write { $0.append(text) } })
        try bench.set("a", of: "qa") {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("qb"))
        }
        try bench.set("b", of: "qb") {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("qa"))
        }
        try bench.publish("x", to: "qa")
        for hop in 1...16 {
            let group = hop.isMultiple(of: 2) ? "b" : "a"
            _ = try bench.take(group)
            bench.advance(seconds: 61)
            #expect(try bench.group(group)?.failed == Int64((hop + 1) / 2), "hop \(hop)")
        }
        let last = try bench.take("a")
        #expect(last.jobs[0].event.metadata.attributes["deadhops"] == "16")
        let dead = Settlement(.dead(refusal: nil), lease: last.lease)
        #expect(saying { try bench.settle(dead, of: "a") }.hasPrefix("lettersCircle"))
        bench.advance(seconds: 61)
        bench.advance(seconds: 61)
        #expect(try bench.group("a")?.failed == 8 && bench.group("a")?.open == 1)
        let name = try GroupName("a")
        let reason = try bench.work.jobs(of: name, countMax: 1)[0].reason
        #expect(reason?.contains("circle") == true, "\(reason ?? "no reason")")
        #expect(said.value.count { $0.contains("circle") } == 1, "\(said.value)")
        // Others go on, and a topic that is chosen anew takes it.
        try bench.publish("y", to: "qa")
        #expect(try bench.take("a").text == "y")
        try bench.set("a", of: nil) { $0.dead = .topic(try TopicName("failed")) }
        bench.advance(seconds: 1)
        #expect(try bench.group("a")?.failed == 9)
        #expect(try newest("failed", bench) > last.ids[0])
    }

    @Test func aLetterThatWasRevivedBeginsAnew() throws {
        let bench = try WorkBench()
        let (_, letter) = try buryLate(bench)
        let name = try GroupName("g")
        _ = try WorkBench.answer {
            bench.work.revive(name, id: letter, by: WorkBench.caller, then: $0)
        }
        #expect(try bench.take().jobs[0].event.metadata.attributes.isEmpty)
    }
}
