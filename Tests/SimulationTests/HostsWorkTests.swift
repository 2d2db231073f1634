import TestSupport
import Testing
import Topics
import Work

@testable import Simulation

/// Work groups of a bus of several hosts.
@Suite(.blocking) struct HostsWorkTests {
    @Test func aJobGoesToOneWorkerOverAllHosts() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let asked = try [0, 1, 1].map { try bench.next(on: $0, waits: false) }
        bench.settle()
        let jobs = try asked.compactMap { try $0.get().delivery }
        #expect(jobs.map(\.texts) == [["1"]])
        // It may be settled at any host.
        #expect(try bench.settle(jobs[0], on: 1).get().count == 1)
        for host in 0...1 { #expect(try bench.group(on: host).done == 1) }
    }

    @Test func aWorkerThatWaitsGetsAJobOfAnotherHost() throws {
        let bench = try HostsBench()
        let waiting = try bench.next(on: 1)
        bench.settle()
        #expect(try !waiting.isThere && bench.group(on: 1).workers == 1)
        try bench.publish("1", on: 0)
        #expect(try waiting.get().delivery?.texts == ["1"])
    }

    @Test func manyWorkersThatWaitShareWhatComes() throws {
        let bench = try HostsBench()
        let waiting = try (0..<40).map { try bench.next(on: $0 % 2) }
        bench.settle()
        for text in 0..<40 { try bench.publish("\(text)") }
        let texts = try waiting.map { try #require(try $0.get().delivery).texts[0] }
        #expect(Set(texts).count == 40)
    }

    @Test func aLeaseThatPassesComesAgainAtAnyHost() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let first = try #require(try bench.take(on: 0))
        bench.pass(seconds: 9)
        #expect(try bench.take(on: 1) == nil)
        bench.pass(seconds: 2)
        let second = try #require(try bench.take(on: 1))
        #expect(second.attempts == [2])
        #expect(
            refusal { _ = try bench.settle(first, on: 0).get() } == WorkError.leaseLost.description)
    }

    @Test func aLeaseOfAHostThatIsGonePassesAtTheOthers() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        #expect(try bench.take(on: 0) != nil)
        bench.hosts[0].end(.kill)
        bench.pass(seconds: 11)
        #expect(try bench.take(on: 1) == nil)
        bench.pass(seconds: 2)
        #expect(try bench.take(on: 1)?.attempts == [2])
    }

    @Test func anExtendedLeaseDoesNotPassByItsOldEnd() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        bench.pass(seconds: 8)
        try bench.extend(job, seconds: 20, on: 1)
        bench.pass(seconds: 18)
        #expect(try bench.take(on: 0) == nil)
        bench.pass(seconds: 5)
        #expect(try bench.take(on: 0)?.attempts == [2])
    }

    /// The time of an order may stand still, so that a lease ends at the same moment as before.
    @Test func aLeaseThatEndsWhenItDidBeforeIsAnother() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        bench.hosts[1].sleeps = true
        // Only the hosts' time passes.
        for host in bench.hosts { host.time.advance(microseconds: 9_000_000) }
        for host in bench.hosts { host.time.set(by: -9_000_000) }
        try bench.extend(job, seconds: 10, on: 0)
        bench.hosts[1].sleeps = false
        bench.pass(seconds: 5)
        #expect(try bench.take(on: 1) == nil)
    }

    @Test func aHostThatStartsAnewGoesOnWithTheLeasesOfAll() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        try bench.publish("2")
        let first = try #require(try bench.take(on: 0))
        #expect(try bench.take(on: 1) != nil)
        for host in bench.hosts { host.end(.kill) }
        for host in bench.hosts { try host.begin() }
        bench.settle()
        #expect(try bench.group(on: 1).leased == 2)
        #expect(try bench.settle(first, on: 1).get().count == 1)
        bench.pass(seconds: 13)
        #expect(try bench.take(on: 0)?.texts == ["2"])
    }

    @Test func aWorkerWhoseAnswerComesLateGetsAWholeLease() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let asked = try bench.next(on: 0, waits: false)
        // The host asks, and sleeps for most of the lease.
        #expect(bench.hosts[0].life?.scheduler.settle() == true)
        for host in bench.hosts { host.time.advance(microseconds: 9_000_000) }
        bench.settle()
        #expect(bench.order.met.contains(.lateLease))
        let job = try #require(try asked.get().delivery)
        // The first hand-out did not count.
        #expect(job.attempts == [1])
        let left = job.deadline.microseconds - bench.hosts[0].time.clock.now().microseconds
        #expect(left > 9_000_000)
        bench.pass(seconds: 9)
        #expect(try bench.take(on: 1) == nil)
    }

    @Test func aWorkerOfANameGetsItsJobAgainAtAnotherHost() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        for (host, attempt) in [(0, 1), (1, 2)] {
            let asked = try bench.next(on: host, worker: "w")
            bench.settle()
            #expect(try asked.get().delivery?.attempts == [attempt])
        }
    }

    @Test func aWorkerOfANameThatAsksAtAnotherHostEndsTheOneThatWaits() throws {
        let bench = try HostsBench()
        let first = try bench.next(on: 0, worker: "w")
        bench.settle()
        let second = try bench.next(on: 1, worker: "w")
        bench.settle()
        let name = try WorkerName("w")
        #expect(refusal { _ = try first.get() } == WorkError.workerReplaced(name.text).description)
        try bench.publish("1")
        #expect(try second.get().delivery?.attempts == [1])
    }

    /// The order has the one of the other host first, and this host is told of it only now.
    @Test func aWorkerOfANameThatAsksLastIsNotEndedByItsEarlierRequest() throws {
        let bench = try HostsBench()
        let first = try bench.next(on: 1, worker: "w")
        #expect(try bench.life(1).scheduler.settle())
        while bench.order.settle() { #expect(try bench.life(1).scheduler.settle()) }
        let second = try bench.next(on: 0, worker: "w")
        bench.settle()
        let name = try WorkerName("w")
        #expect(refusal { _ = try first.get() } == WorkError.workerReplaced(name.text).description)
        #expect(!second.isThere)
        try bench.publish("1")
        #expect(try second.get().delivery?.attempts == [1])
    }

    @Test func jobsOfAKeyKeepTheirOrderOverHosts() throws {
        let bench = try HostsBench { $0.isOrderedByKey = true }
        for text in ["1", "2", "3"] { try bench.publish(text, key: "k") }
        let first = try #require(try bench.take(on: 0))
        #expect(first.texts == ["1"])
        #expect(try bench.take(on: 1) == nil)
        #expect(try bench.group(on: 1).parked == 2)
        _ = try bench.settle(first, on: 1).get()
        #expect(try bench.take(on: 0)?.texts == ["2"])
    }

    @Test func aJobThatFailsTooOftenIsOneLetterOnAllHosts() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench {
            $0.attempts = 2
            $0.dead = .topic(dead)
        }
        try bench.publish("1")
        for host in 0...1 {
            let job = try #require(try bench.take(on: host))
            _ = try bench.settle(job, .retry(delay: 0), reason: "no \(host)", on: host).get()
        }
        for host in 0...1 {
            let letters = try bench.events(of: "dead", on: host)
            #expect(letters.map(\.payload.text) == ["1"])
            #expect(letters.first?.metadata.attributes["deadreason"] == "no 1")
            #expect(try bench.group(on: host).failed == 1)
        }
    }

    @Test func aLetterComesToLifeOnceThoughTwoHostsAreAsked() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench { $0.dead = .topic(dead) }
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        _ = try bench.settle(job, .dead(refusal: nil), on: 0).get()
        let letter = try #require(try bench.events(of: "dead", on: 1).first).id
        let asked = try [0, 1].map { try bench.revive(letter, on: $0) }
        bench.settle()
        let refusals = asked.compactMap { answer in refusal { _ = try answer.get() } }
        #expect(refusals == [WorkError.letterRevived(letter).description])
        for host in 0...1 {
            #expect(try bench.events(of: "jobs", on: host).count == 2)
            #expect(try bench.events(of: "dead", on: host).first?.isRevived == true)
        }
    }

    /// Only the host that a worker asks looks for the letter that its job has become.
    @Test func hostsGiveJobsAlikeThoughOneHasNotReadOldLetters() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench { $0.dead = .topic(dead) }
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        _ = try bench.settle(job, .dead(refusal: nil), on: 0).get()
        bench.hosts[1].end(.kill)
        try bench.hosts[1].begin()
        try bench.publish("2")
        let again = Settlement(.dead(refusal: nil), lease: job.lease)
        let asked = try bench.next(on: 0, waits: false, settling: again)
        bench.settle()
        #expect(try asked.get().delivery?.texts == ["2"])
        for host in 0...1 { #expect(try bench.group(on: host).leased == 1) }
    }

    /// Letters that go in a circle stay open on all hosts, and are not lost.
    @Test func aJobThatWasALetterTooOftenStaysOpen() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench(of: "jobs.*") {
            $0.attempts = 1
            $0.dead = .topic(dead)
        }
        let attributes = try EventAttributes(text: "deadhops=1000")
        let batch = PublishBatch(
            topic: try TopicName("jobs.a"),
            metadata: EventMetadata.none.with(attributes, expires: nil),
            payloads: [Payload(Array("1".utf8))])
        try bench.life(0).bus.publish(batch) { _ in }
        bench.settle()
        let job = try #require(try bench.take(on: 0))
        _ = try bench.settle(job, .retry(delay: 0), on: 1).get()
        bench.hosts[1].end(.kill)
        try bench.hosts[1].begin()
        bench.pass(seconds: 70)
        for host in 0...1 {
            #expect(try bench.group(on: host).open == 1)
            #expect(try bench.events(of: "dead", on: host).isEmpty)
        }
        // With nowhere to go, workers get it again.
        var settings = GroupSettings()
        settings.dead = .nowhere
        _ = try bench.set(settings, on: 1)
        bench.settle()
        bench.pass(seconds: 61)
        #expect(try bench.take(on: 0)?.attempts == [2])
    }

    @Test func aGroupThatTwoHostsMakeAtOnceIsOne() throws {
        let bench = try HostsBench()
        let settings = GroupSettings(of: try Selector("mail"))
        let made = try [0, 1].map { try bench.set(settings, of: "h", on: $0) }
        bench.settle()
        let isNew = try made.map { try $0.get().isNew }
        #expect(isNew.count { $0 } == 1)
        let numbers = try [0, 1].map { host in
            try bench.groups(host).scope(of: try GroupName("h"))?.number
        }
        #expect(numbers[0] != nil && numbers[0] == numbers[1])
    }

    @Test func aGroupThatIsRemovedEndsTheWorkersOfOtherHosts() throws {
        let bench = try HostsBench()
        let waiting = try bench.next(on: 1)
        bench.settle()
        let removed = HostsBench.Answer<Void>()
        let name = try GroupName("g")
        try bench.groups(0).remove(name, isForced: false, by: HostsBench.caller) {
            removed.give($0)
        }
        bench.settle()
        try removed.get()
        #expect(refusal { _ = try waiting.get() } == WorkError.groupDeleted(name).description)
        for host in 0...1 { #expect(try bench.groups(host).description(of: name) == nil) }
        // Another one of the name may come.
        let made = try bench.set(GroupSettings(of: try Selector("mail")), on: 1)
        bench.settle()
        #expect(try made.get().isNew)
    }

    @Test func aSeekAtOneHostCountsOnAll() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let old = try #require(try bench.take(on: 0))
        let sought = HostsBench.Answer<GroupDescription>()
        try bench.groups(1).seek(try GroupName("g"), to: .earliest, by: HostsBench.caller) {
            sought.give($0)
        }
        bench.settle()
        #expect(try sought.get().open == 0)
        #expect(
            refusal { _ = try bench.settle(old, on: 0).get() } == WorkError.leaseLost.description)
        #expect(try bench.take(on: 0)?.attempts == [1])
    }

    @Test func outputAndSettlementAreOneOnAllHosts() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        let output = PublishBatch(
            topic: try TopicName("done"), payloads: [Payload(Array("out".utf8))])
        let receipt = try bench.settle(job, .done(.publish(output)), on: 1).get()
        for host in 0...1 {
            let events = try bench.events(of: "done", on: host)
            #expect(events.map(\.payload.text) == ["out"])
            #expect(receipt.published?.first == events.first?.id)
        }
    }

    @Test func aReplyReachesTheRequesterOfAnotherHost() throws {
        let bench = try HostsBench { $0.replies = true }
        let answer = HostsBench.Answer<Reply>()
        let request = PublishBatch(
            topic: try TopicName("jobs"), payloads: [Payload(Array("ask".utf8))])
        let asking = try bench.groups(0).ask(request, within: 30_000_000) { answer.give($0) }
        bench.settle()
        let job = try #require(try bench.take(on: 1))
        let reply = Reply("re ask")
        _ = try bench.settle(job, .done(.reply(reply)), on: 1).get()
        #expect(try answer.get().payload.text == "re ask")
        withExtendedLifetime(asking) {}
    }

    @Test func workersWaitOnWhereTheOrderIsAway() throws {
        let bench = try HostsBench()
        let waiting = try bench.next(on: 0)
        bench.settle()
        bench.hosts[0].life?.connection.hangs = true
        try bench.publish("1", on: 1)
        bench.pass(seconds: 30)
        #expect(!waiting.isThere)
        bench.hosts[0].life?.connection.hangs = false
        bench.hosts[0].life?.connection.findLeader()
        bench.pass(seconds: 5)
        #expect(try waiting.get().delivery?.texts == ["1"])
    }

    @Test func aBusThatDrainsLetsItsWorkersGo() throws {
        let bench = try HostsBench()
        let waiting = try bench.next(on: 0)
        bench.settle()
        try bench.groups(0).drain()
        #expect(try waiting.get().delivery == nil)
        let asked = try bench.next(on: 0)
        bench.settle()
        #expect(try asked.get().delivery == nil)
    }
}
