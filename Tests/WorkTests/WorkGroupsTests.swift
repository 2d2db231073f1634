import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// Groups on a real bus, in memory.
@Suite(.blocking) struct WorkGroupsTests {
    @Test func jobsAreHandedOutOnceAndSettled() throws {
        let bench = try WorkBench()
        try bench.set()
        let (one, two) = (try bench.publish("one"), try bench.publish("two"))
        #expect(try bench.group()?.behind == 2)
        let first = try bench.take()
        #expect(try bench.group()?.behind == 1)
        #expect(first.ids == [one] && first.jobs[0].attempt == 1 && first.gap == nil)
        let second = try bench.take(settling: Settlement(.done(nil), lease: first.lease))
        #expect(second.ids == [two])
        #expect(try bench.settle(Settlement(.done(nil), lease: second.lease)).count == 1)
        #expect(try bench.next().delivery == nil)
        let group = try bench.group()
        #expect(group?.done == 2 && group?.open == 0 && group?.reach == two)
    }

    @Test func aWaitingWorkerGetsWhatIsPublished() throws {
        let bench = try WorkBench()
        try bench.set(of: "jobs.*,other")
        let (first, _) = try bench.ask(NextRequest())
        let (second, waiting) = try bench.ask(NextRequest())
        #expect(try bench.group()?.workers == 2)
        let id = try bench.publish("a", to: "jobs.x")
        #expect(try first.get().delivery?.ids == [id])
        #expect(!second.isGiven)
        waiting.cancel()
        #expect(try second.get().delivery == nil)
        try bench.publish("b", to: "other")
        #expect(try bench.group()?.workers == 0 && bench.take().text == "b")
    }

    @Test func aRepeatOfASettlementIsToldFromALoss() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("a")
        let lost = try bench.take()
        bench.advance(seconds: 61)
        let held = try bench.take()
        #expect(held.jobs[0].attempt == 2)
        let done = Settlement(.done(nil), lease: lost.lease)
        #expect(refusal { try bench.settle(done) } == "leaseLost")
        #expect(refusal { _ = try bench.next(settling: done) } == "leaseLost")
        try bench.settle(Settlement(.done(nil), lease: held.lease))
        #expect(refusal { try bench.settle(done) } == "jobSettled")
        let answer = try bench.next(settling: Settlement(.done(nil), lease: held.lease))
        #expect(answer.delivery == nil && answer.settled?.isRepeated == true)
        #expect(refusal { try bench.settle(Settlement(.done(nil), lease: "x")) } == "leaseLost")
        #expect(bench.work.figures.leasesLost == 3)
    }

    @Test func aLatestDoneCountsWhileNobodyElseHasTheJob() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("a")
        let late = try bench.take()
        bench.advance(seconds: 600)
        #expect(try bench.settle(Settlement(.done(nil), lease: late.lease)).count == 1)
    }

    @Test func aNamedWorkerGetsItsJobAgainAtOnce() throws {
        let bench = try WorkBench()
        try bench.set()
        let id = try bench.publish("a")
        let first = try bench.take(worker: "w")
        let again = try bench.take(worker: "w")
        #expect(again.ids == [id] && again.jobs[0].attempt == 2 && again.lease != first.lease)
        let other = try bench.next(worker: "w", by: WorkCaller(uid: 1_001))
        #expect(other.delivery == nil)
        let lost = Settlement(.done(nil), lease: first.lease)
        let held = try bench.take(worker: "w", settling: lost)
        #expect(held.ids == [id] && held.jobs[0].attempt == 3)
    }

    @Test func aSecondLoopOfAWorkerEndsTheFirst() throws {
        let bench = try WorkBench()
        try bench.set()
        let worker = try WorkerName("w")
        let (first, _) = try bench.ask(NextRequest(worker: worker))
        let (second, _) = try bench.ask(NextRequest(worker: worker))
        #expect(refusal { _ = try first.get() } == "workerReplaced")
        try bench.publish("a")
        #expect(try second.get().delivery?.text == "a")
    }

    @Test func aBatchIsUnderOneLeaseAndSettledInParts() throws {
        let bench = try WorkBench()
        try bench.set()
        let ids = try (0..<5).map { try bench.publish("\($0)") }
        let batch = try bench.take(worker: "w", max: 4)
        #expect(batch.ids == Array(ids[..<4]))
        try bench.settle(Settlement(.done(nil), lease: batch.lease, only: [ids[1]]))
        #expect(
            refusal {
                try bench.settle(Settlement(.done(nil), lease: batch.lease, only: [ids[1]]))
            } == "jobSettled")
        #expect(
            refusal {
                try bench.settle(Settlement(.done(nil), lease: batch.lease, only: [ids[4]]))
            } == "leaseLost")
        let again = try bench.take(worker: "w")
        #expect(again.ids == [ids[0]] && again.jobs[0].attempt == 2)
        #expect(try bench.take(max: 4).ids == [ids[4]])
        let done = Settlement(.done(nil), lease: again.lease)
        #expect(try bench.take(worker: "w", settling: done).ids == [ids[2]])
        #expect(try bench.next().delivery == nil)
        bench.advance(seconds: 61)
        #expect(try bench.take().ids == [ids[2]] && bench.take().ids == [ids[3]])
    }

    @Test func whatIsGivenBackDoesNotCount() throws {
        let bench = try WorkBench(keeping: Retention(keep: 1, bytes: nil, age: nil))
        try bench.set()
        let old = try bench.publish("a")
        try bench.publish("b")
        bench.advance(seconds: 5)
        let delivery = try bench.take()
        #expect(delivery.gap?.through == old)
        bench.work.giveBack(delivery.ticket)
        let again = try bench.take()
        #expect(again.jobs[0].attempt == 1 && again.gap == delivery.gap)
        #expect(try bench.group()?.gap == delivery.gap)
    }

    @Test func aFailedCommitHandsNothingOutAndLosesNothing() throws {
        let bench = try WorkBench()
        try bench.set()
        let id = try bench.publish("a")
        bench.store.refuse(.storeFull("full"))
        #expect(refusal { _ = try bench.next() } == "bus")
        #expect(try bench.group()?.open == 0)
        bench.store.refuse(nil)
        let delivery = try bench.take()
        #expect(delivery.ids == [id] && delivery.jobs[0].attempt == 1)
        bench.store.refuse(.storeFull("full"))
        let done = Settlement(.done(nil), lease: delivery.lease)
        #expect(refusal { try bench.settle(done) } == "bus")
        bench.advance(seconds: 300)
        #expect(refusal { _ = try bench.next() } == "bus")
        bench.store.refuse(nil)
        #expect(try bench.next().delivery == nil)
        #expect(try bench.settle(done).count == 1)
    }

    @Test func whoLeavesDoesNotWaitForAStoreThatFails() throws {
        let bench = try WorkBench()
        try bench.set()
        let (answer, waiting) = try bench.ask(NextRequest())
        bench.store.refuse(.storeFull("full"))
        try bench.publish("a")
        #expect(!answer.isGiven)
        waiting.cancel()
        #expect(answer.isGiven)
        bench.store.refuse(nil)
        #expect(try bench.take().jobs[0].attempt == 1)
    }

    @Test func aDeadlineIsToldByTheTimeOfTheLeaseHoweverLongItsCommitTakes() throws {
        let bench = try WorkBench()
        try bench.set { $0.lease = .seconds(10) }
        try bench.publish("a")
        let leased = bench.bus.now
        bench.store.hold()
        let waiting = try bench.ask(NextRequest()).answer
        bench.clock.advance(seconds: 4)
        bench.store.release()
        let delivery = try #require(try waiting.get().delivery)
        #expect(delivery.deadline == leased.advanced(microseconds: 10_000_000))
    }

    @Test func requestsOfOneMomentAreOneCommit() throws {
        let bench = try WorkBench()
        try bench.set()
        for text in 0..<10 { try bench.publish("\(text)") }
        let before = bench.store.changes
        bench.store.hold()
        let answers = try (0..<10).map { _ in try bench.ask(NextRequest(waits: false)).answer }
        #expect(bench.store.changes == before + 1)
        bench.store.release()
        let ids = try answers.map { try $0.get().delivery?.ids }
        #expect(Set(ids).count == 10 && !ids.contains(nil))
        #expect(bench.store.changes == before + 2)
    }

    @Test func jobsThatFailBecomeDeadLettersInTheSameCommit() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.attempts = 2
            $0.dead = .topic(try TopicName("failed"))
        }
        let id = try bench.publish("a", key: "k")
        let first = try bench.take()
        try bench.settle(Settlement(.retry(delay: 0), lease: first.lease))
        let second = try bench.take()
        try bench.settle(Settlement(.retry(delay: nil), lease: second.lease))
        #expect(try bench.group()?.failed == 1 && bench.group()?.open == 0)
        try bench.set("letters", of: "failed")
        let letter = try bench.take("letters").jobs[0].event
        #expect(letter.payload.text == "a" && letter.metadata.key == "k")
        let attributes = letter.metadata.attributes
        #expect(attributes["deadgroup"] == "g" && attributes["deadtopic"] == "jobs")
        #expect(attributes["deadid"] == id.description && attributes["deadattempts"] == "2")
        #expect(attributes["deadreason"] == "attempts")
        try bench.publish("b")
        let third = try bench.take()
        try bench.settle(Settlement(.dead(refusal: nil), lease: third.lease))
        #expect(try bench.group()?.failed == 2)
    }

    @Test func aDeadLetterIsRevivedOnce() throws {
        let bench = try WorkBench()
        try bench.set { $0.dead = .topic(try TopicName("failed")) }
        try bench.publish("a", key: "k")
        let delivery = try bench.take()
        try bench.settle(Settlement(.dead(refusal: nil), lease: delivery.lease))
        let dead = try TopicName("failed")
        let letter = try #require(bench.bus.description(of: dead)?.newest)
        let name = try GroupName("g")
        let revive = { id in
            try WorkBench.answer {
                bench.work.revive(name, id: id, by: WorkBench.caller, then: $0)
            }
        }
        bench.store.refuse(.storeFull("full"))
        #expect(refusal { _ = try revive(letter) } == "bus")
        bench.store.refuse(nil)
        let receipt = try revive(letter)
        let again = try bench.take()
        #expect(again.ids == [receipt.first] && again.jobs[0].attempt == 1)
        #expect(again.text == "a" && again.jobs[0].event.metadata.key == "k")
        #expect(again.jobs[0].event.metadata.attributes.isEmpty)
        #expect(refusal { _ = try revive(letter) } == "letterRevived")
        #expect(refusal { _ = try revive(receipt.first) } == "letterUnknown")
    }

    @Test func aLetterThatIsRefusedStaysOpenUntilItIsTaken() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("failed"))
        }
        let id = try bench.publish("a")
        try bench.publish("b")
        let delivery = try bench.take()
        bench.store.refuse(.storeFull("no room for letters"), onlyWithEvents: true)
        let dead = Settlement(.dead(refusal: nil), lease: delivery.lease)
        #expect(refusal { try bench.settle(dead) } == "bus")
        bench.advance(seconds: 61)
        let jobs = try bench.work.jobs(of: try GroupName("g"), countMax: 10)
        #expect(jobs.map(\.id) == [id] && jobs[0].reason?.contains("no room") == true)
        #expect(try bench.take().text == "b")
        bench.store.refuse(nil)
        bench.advance(seconds: 2)
        #expect(try bench.group()?.failed == 1)
    }

    @Test func aJobWhoseLetterWasRefusedIsAWorkersOnceThereIsNoDeadTopic() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.attempts = 1
            $0.dead = .topic(try TopicName("failed"))
        }
        let id = try bench.publish("a")
        _ = try bench.take()
        bench.store.refuse(.storeFull("no room for letters"), onlyWithEvents: true)
        bench.advance(seconds: 61)
        let group = try GroupName("g")
        func reason() throws -> String? {
            try bench.work.jobs(of: group, countMax: 1).first?.reason
        }
        #expect(try reason() != nil)
        try bench.set(of: nil) { $0.dead = .nowhere }
        #expect(try reason() == nil)
        #expect(try bench.take().ids == [id])
    }

    @Test func aLetterThatIsRefusedKeepsNoOtherJobFromItsWorker() throws {
        let bench = try WorkBench()
        try bench.set {
            $0.attempts = 2
            $0.dead = .topic(try TopicName("failed"))
        }
        try bench.publish("dying")
        let first = try bench.take()
        try bench.settle(Settlement(.retry(delay: 0), lease: first.lease))
        _ = try bench.take()
        try bench.publish("living")
        _ = try bench.take()
        bench.store.refuse(.eventTooLarge(bytesMax: 1, index: 0), onlyWithEvents: true)
        let (waiting, _) = try bench.ask(NextRequest())
        bench.advance(seconds: 61)
        #expect(try waiting.get().delivery?.text == "living")
    }

    @Test func aLetterOfAnotherGroupOfTheNameIsNotRevived() throws {
        let bench = try WorkBench()
        try bench.set(of: "secret") { $0.dead = .topic(try TopicName("failed")) }
        try bench.publish("a", to: "secret")
        let delivery = try bench.take()
        try bench.settle(Settlement(.dead(refusal: nil), lease: delivery.lease))
        let letter = try #require(try bench.bus.description(of: TopicName("failed"))?.newest)
        let name = try GroupName("g")
        let _: Void = try WorkBench.answer {
            bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
        }
        try bench.set(of: "own") { $0.dead = .topic(try TopicName("failed")) }
        let outcome = refusal {
            let _: PublishReceipt = try WorkBench.answer {
                bench.work.revive(name, id: letter, by: WorkBench.caller, then: $0)
            }
        }
        #expect(outcome == "letterUnknown")
    }

    @Test func aGroupWithoutADeadTopicTriesForEver() throws {
        let bench = try WorkBench()
        try bench.set { $0.attempts = 1 }
        try bench.publish("a")
        for attempt in 1...4 {
            let delivery = try bench.take()
            #expect(delivery.jobs[0].attempt == attempt)
            #expect(
                refusal {
                    try bench.settle(Settlement(.dead(refusal: nil), lease: delivery.lease))
                } == "deadMissing")
            try bench.settle(Settlement(.retry(delay: 0), lease: delivery.lease))
        }
    }

    @Test func outputIsThereIfAndOnlyIfTheInputIsSettled() throws {
        let bench = try WorkBench()
        try bench.set()
        try bench.publish("in")
        let delivery = try bench.take()
        let output = PublishBatch(
            topic: try TopicName("out"), payloads: [Payload(Array("out".utf8))])
        let done = Settlement(.done(.publish(output)), lease: delivery.lease)
        bench.store.refuse(.storeFull("full"))
        #expect(refusal { try bench.settle(done) } == "bus")
        #expect(bench.bus.description(of: output.topic) == nil)
        bench.store.refuse(nil)
        #expect(try bench.settle(done).published?.count == 1)
        #expect(refusal { try bench.settle(done) } == "jobSettled")
        #expect(bench.bus.description(of: output.topic)?.events == 1)
    }

    @Test func aSeekForgetsJobsAndEndsLeases() throws {
        let bench = try WorkBench()
        try bench.set()
        let ids = try (0..<3).map { try bench.publish("\($0)") }
        let delivery = try bench.take()
        _ = try WorkBench.answer {
            bench.work.seek(try! GroupName("g"), to: .after(ids[1]), by: WorkBench.caller, then: $0)
        }
        let done = Settlement(.done(nil), lease: delivery.lease)
        #expect(refusal { try bench.settle(done) } == "leaseLost")
        #expect(try bench.take().ids == [ids[2]])
    }

    @Test func aGroupOfManyTopicsDoesNotLookAtAllOfThemForEachJob() throws {
        let bench = try WorkBench()
        // More than one turn looks at.
        for number in 0..<5_000 { try bench.publish("\(number)", to: "jobs.t\(number)") }
        try bench.set(of: "jobs.*")
        let turns = bench.bus.tasks.reads.turns
        let before = turns.value
        var settling: Settlement?
        for number in 0..<50 {
            let delivery = try bench.take(settling: settling)
            #expect(delivery.text == "\(number)")
            settling = Settlement(.done(nil), lease: delivery.lease)
        }
        #expect(turns.value - before < 60)
    }

    @Test func aFirstLookAtManyTopicsIsNotTheCallersAndTheNextOnesGoOnFromThere() throws {
        let bench = try WorkBench()
        for number in 0..<1_000 { try bench.publish("\(number)", to: "jobs.t\(number)") }
        try bench.set(of: "jobs.*")
        let first = try bench.withoutWorkThread {
            let (answer, _) = try bench.ask(NextRequest())
            #expect(!answer.isGiven)
            return answer
        }
        #expect(try first.get().delivery?.text == "0")
        try bench.withoutWorkThread {
            let (answer, _) = try bench.ask(NextRequest())
            #expect(answer.isGiven)
        }
    }

    @Test func aPublishIntoATopicOfManyGroupsWakesNoneOfThemOnItsOwn() throws {
        let bench = try WorkBench()
        let names = (0..<40).map { "g\($0)" }
        for name in names { try bench.set(name) }
        let waiting = try names.map { try bench.ask(NextRequest(), of: $0).answer }
        let first = try bench.withoutWorkThread {
            let first = try bench.publish("0")
            for number in 1..<10 { try bench.publish("\(number)") }
            #expect(!waiting.contains { $0.isGiven })
            #expect(bench.work.parts.hub.crowdedCount == 1)
            return first
        }
        for answer in waiting { #expect(try answer.get().delivery?.ids == [first]) }
    }

    @Test func whatIsRemovedAheadOfAGroupOfManyTopicsIsToldAndNotHandedOut() throws {
        let bench = try WorkBench()
        for number in 0..<300 { try bench.publish("\(number)", to: "jobs.t\(number)") }
        try bench.set(of: "jobs.*")
        var texts = [try bench.take().text]
        let gone = try TopicName("jobs.t1")
        _ = try WorkBench.answer { bench.bus.remove(gone, then: $0) }
        let next = try bench.take()
        texts.append(next.text)
        #expect(texts == ["0", "2"] && next.gap != nil)
        try bench.publish("late", to: "jobs.t1")
        for number in 3..<300 { #expect(try bench.take().text == "\(number)") }
        #expect(try bench.take().text == "late")
    }

    /// Those who asked whether letters may go, and what they are told.
    private final class Judge: Sendable {
        let verdict = Protected(LetterVerdict.refused("not by these rules"))
        let asked = Protected<[LetterQuestion]>([])

        func judge(_ question: LetterQuestion) -> LetterVerdict {
            asked.write { $0.append(question) }
            return verdict.value
        }
    }

    @Test func lettersThatMayNotGoLeaveTheirJobsOpenAndOthersGoOn() throws {
        let (bench, judge) = (try WorkBench(), Judge())
        bench.work.judgeLetters(by: judge.judge)
        try bench.set {
            $0.dead = .topic(try TopicName("failed"))
            $0.attempts = 1
        }
        let failed = try (0..<100).map { try bench.publish("\($0)") }
        try bench.settle(
            Settlement(.retry(delay: 0), lease: try bench.take(max: 100).lease))
        #expect(try bench.next().delivery == nil)
        #expect(judge.asked.value.count == 1, "one answer is enough for all of a second")
        #expect(judge.asked.value[0].chooser == StoredCaller(uid: 1_000, token: nil))
        let jobs = try bench.work.jobs(of: GroupName("g"), countMax: 1_000)
        #expect(jobs.map(\.id) == failed)
        #expect(jobs.allSatisfy { $0.reason == "not by these rules" })
        // A worker is told, and has its job still.
        try bench.publish("other")
        let other = try bench.take()
        let dead = Settlement(.dead(refusal: nil), lease: other.lease)
        #expect(refusal { try bench.settle(dead) } == "lettersRefused")
        #expect(refusal { _ = try bench.next(settling: dead) } == "lettersRefused")
        judge.verdict.value = .unsure("nobody knows")
        #expect(refusal { try bench.settle(dead) } == "lettersUnjudged")
        try bench.settle(Settlement(.done(nil), lease: other.lease))
        #expect(try bench.bus.description(of: TopicName("failed")) == nil)
        // They go as soon as they may.
        judge.verdict.value = .allowed
        bench.advance(seconds: 1.1)
        #expect(try bench.group()?.open == 0)
        #expect(try bench.group()?.failed == 100)
    }

    @Test func lettersGoInTheNameOfWhoeverChoseTheirTopicLast() throws {
        let (bench, judge) = (try WorkBench(), Judge())
        bench.work.judgeLetters(by: judge.judge)
        let failed = GroupSettings.DeadLetters.topic(try TopicName("failed"))
        try bench.set { $0.dead = failed }
        try bench.publish("x")
        let dead = Settlement(.dead(refusal: nil), lease: try bench.take().lease)
        func chooser() throws -> StoredCaller? {
            #expect(refusal { try bench.settle(dead) } == "lettersRefused")
            return judge.asked.value.last?.chooser
        }
        let other = WorkCaller(uid: 7, token: "ci")
        try bench.set(of: nil, by: other) { $0.attempts = 2 }
        #expect(try chooser() == StoredCaller(uid: 1_000, token: nil))
        try bench.set(of: nil, by: other) { $0.dead = failed }
        #expect(try chooser() == StoredCaller(uid: 7, token: "ci"))
    }

    @Test func aGroupThatGoesTellsWhoWaits() throws {
        let bench = try WorkBench()
        try bench.set()
        let (answer, _) = try bench.ask(NextRequest())
        try WorkBench.answer {
            bench.work.remove(
                try! GroupName("g"), isForced: false, by: WorkBench.caller, then: $0)
        }
        #expect(refusal { _ = try answer.get() } == "groupDeleted")
        #expect(refusal { _ = try bench.next() } == "groupUnknown")
        #expect(try bench.group() == nil)
        try bench.set()
        #expect(try bench.group()?.workers == 0)
    }

    @Test func settingsThatNeverChangeAreCompared() throws {
        let bench = try WorkBench()
        try bench.set(of: "b,a")
        #expect(try bench.set(of: "a,b") { $0.lease = .seconds(5) }.settings.lease == .seconds(5))
        #expect(refusal { try bench.set(of: "a") } == "groupDiffers")
        #expect(refusal { try bench.set(of: nil) { $0.isOrderedByKey = true } } == "groupDiffers")
        #expect(refusal { try bench.set(of: nil) { $0.attempts = 0 } } == "valueInvalid")
        #expect(
            refusal { try bench.set(of: nil) { $0.dead = .topic(try TopicName("a")) } }
                == "deadInside")
        #expect(refusal { try bench.set("new", of: nil) } == "selectorMissing")
    }

    @Test func oneUserHasThreeQuartersOfTheGroups() throws {
        var limits = WorkLimits()
        limits.groupsMax = 4
        let bench = try WorkBench(limits: limits)
        for index in 0..<3 { try bench.set("g\(index)") }
        #expect(refusal { try bench.set("g3") } == "limit")
        try bench.set("g3", by: WorkCaller(uid: 2))
        #expect(refusal { try bench.set("g4", by: WorkCaller(uid: 3)) } == "limit")
    }

    @Test func groupsOfManyTopicsTakeAQuarterOfTheMemoryAndThoseOfOneUserThreeQuartersOfThat()
        throws
    {
        func patterns(_ index: Int) -> String {
            (0..<100).map { "a\(index).b\($0).c.*" }.joined(separator: ",")
        }
        let bytes = JobQuota.bytes(of: try Selector(patterns(1)), .all, replies: false)
        #expect(bytes > 100 * 900)
        let bench = try WorkBench(memoryBytes: 4 * (4 * bytes + Limits.groupBytes))
        for index in 1...3 { try bench.set("g\(index)", of: patterns(index)) }
        let counted = bench.bus.memory.used(.work)
        #expect(counted == 3 * bytes)
        #expect(refusal { try bench.set("g4", of: patterns(4)) } == "limit")
        #expect(bench.bus.memory.used(.work) == counted)
        // Whoever waits has had its room; another user has its own.
        let waiting = try bench.ask(NextRequest(waits: true), of: "g1")
        #expect(bench.bus.memory.used(.work) == counted + Limits.waiterBytes)
        try bench.set("g4", of: patterns(4), by: WorkCaller(uid: 2))
        #expect(
            refusal { try bench.set("g5", of: patterns(5), by: WorkCaller(uid: 3)) } == "limit")
        waiting.waiting.cancel()
        _ = try waiting.answer.get()
        let name = try GroupName("g1")
        try WorkBench.answer {
            bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
        }
        #expect(bench.bus.memory.used(.work) == 3 * bytes)
        try bench.set("g5", of: patterns(5))
    }

    @Test func openJobsOfOneUserAreBounded() throws {
        var limits = WorkLimits()
        limits.openMax = 4
        let bench = try WorkBench(limits: limits)
        try bench.set()
        for index in 0..<5 { try bench.publish("\(index)") }
        let held = try (0..<3).map { _ in try bench.take() }
        #expect(try bench.next().delivery == nil)
        try bench.settle(Settlement(.done(nil), lease: held[0].lease))
        #expect(try bench.take().text == "3")
    }

    @Test func whatGroupsTakeIsCounted() throws {
        let bench = try WorkBench()
        #expect(bench.bus.memory.used(.work) == 0)
        try bench.set()
        let empty = bench.bus.memory.used(.work)
        try bench.publish("a")
        let delivery = try bench.take()
        #expect(bench.bus.memory.used(.work) > empty && empty > 0)
        try bench.settle(Settlement(.done(nil), lease: delivery.lease))
        #expect(bench.bus.memory.used(.work) == empty)
        _ = try bench.next()
        try bench.publish("b")
        _ = try bench.take()
        let name = try GroupName("g")
        try WorkBench.answer {
            bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
        }
        #expect(bench.bus.memory.used(.work) == 0)
    }

    @Test func aHeldTopicKeepsWhatIsNotSettled() throws {
        let bench = try WorkBench()
        try bench.set()
        var settings = TopicSettings(
            retention: Retention(keep: 1, bytes: nil, age: nil), persists: true)
        let group = try #require(bench.work.scope(of: GroupName("g"))?.number)
        settings.hold = TopicHolder(group: group, name: "g")
        let (topic, held) = (try TopicName("jobs"), settings)
        _ = try WorkBench.answer {
            bench.bus.register(topic, settings: held, by: .unknown, then: $0)
        }
        let id = try bench.publish("a")
        #expect(throws: BusError.self) { try bench.publish("b") }
        let delivery = try bench.take()
        #expect(delivery.ids == [id])
        #expect(throws: BusError.self) { try bench.publish("b") }
        let name = try GroupName("g")
        let remove = { isForced in
            try WorkBench.answer {
                bench.work.remove(name, isForced: isForced, by: WorkBench.caller, then: $0)
            } as Void
        }
        #expect(refusal { try remove(false) } == "groupHeld")
        try bench.settle(Settlement(.done(nil), lease: delivery.lease))
        try bench.publish("b")
        try remove(true)
        try bench.publish("c")
        #expect(bench.bus.description(of: topic)?.events == 1)
    }

    @Test func drainingLetsNobodyWait() throws {
        let bench = try WorkBench()
        try bench.set()
        let (answer, _) = try bench.ask(NextRequest())
        bench.work.drain()
        #expect(try answer.get().delivery == nil)
        #expect(try bench.ask(NextRequest()).answer.get().delivery == nil)
    }

    @Test func whatIsOverIsNotHandedOut() throws {
        let bench = try WorkBench()
        try bench.set()
        let expires = bench.clock.now().advanced(microseconds: 1_000_000)
        let batch = PublishBatch(
            topic: try TopicName("jobs"),
            metadata: EventMetadata.none.with(.none, expires: expires),
            payloads: [.empty])
        _ = try WorkBench.answer { bench.bus.publish(batch, then: $0) }
        try bench.publish("b")
        bench.advance(seconds: 2)
        #expect(try bench.take().text == "b")
        #expect(try bench.group()?.expired == 1)
    }
}
