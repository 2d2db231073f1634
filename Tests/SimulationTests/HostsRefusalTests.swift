import DiskSupport
import TestSupport
import Testing
import Topics
import Work

@testable import Simulation

/// Work groups of a bus of several hosts, where something is in the way.
@Suite(.blocking) struct HostsRefusalTests {
    /// A take of one worker tells nobody of the jobs that it leaves.
    @Test func jobsThatAreDueAtOnceReachTheWorkersOfAllHosts() throws {
        let bench = try HostsBench()
        for text in ["1", "2"] { try bench.publish(text) }
        for host in 0...1 {
            let job = try #require(try bench.take(on: host))
            _ = try bench.settle(job, .retry(delay: 5_000_000), on: host).get()
        }
        let waiting = try (0...1).map { try bench.next(on: $0) }
        bench.settle()
        #expect(waiting.allSatisfy { !$0.isThere })
        bench.pass(seconds: 7)
        let texts = try waiting.map { try #require(try $0.get().delivery).texts }
        #expect(Set(texts) == [["1"], ["2"]])
    }

    @Test func aJobBehindALetterOfItsKeyIsGivenAtOnce() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench {
            $0.isOrderedByKey = true
            $0.attempts = 1
            $0.dead = .topic(dead)
        }
        for text in ["1", "2"] { try bench.publish(text, key: "k") }
        let first = try #require(try bench.take(on: 0))
        let waiting = try bench.next(on: 1)
        bench.settle()
        _ = try bench.settle(first, .retry(delay: 0), on: 0).get()
        #expect(try waiting.get().delivery?.texts == ["2"])
    }

    @Test func aWorkerWhoseGroupIsRemovedMeanwhileIsTold() throws {
        let bench = try HostsBench()
        let name = try GroupName("g")
        let removed = HostsBench.Answer<Void>()
        try bench.groups(1).remove(name, isForced: false, by: HostsBench.caller) {
            removed.give($0)
        }
        let waiting = try bench.next(on: 0)
        bench.settle()
        try removed.get()
        #expect(refusal { _ = try waiting.get() } == WorkError.groupDeleted(name).description)
    }

    /// The order has decided, and this host could not write what.
    @Test func requestsThatAHostCannotTellEndWithIt() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        let life = try bench.life(0)
        life.disk.fail(.write, Disk.full)
        let asked = try bench.next(on: 0, waits: false)
        let settled = HostsBench.Answer<SettleReceipt>()
        life.groups.settle(
            try GroupName("g"), Settlement(.done(nil), lease: job.lease), by: HostsBench.caller
        ) { settled.give($0) }
        // It tries to write again and again.
        var random = SeededRandom(seed: 1)
        for _ in 0..<300 {
            life.scheduler.step(using: &random)
            bench.order.step(using: &random)
            bench.hosts[1].life?.scheduler.step(using: &random)
        }
        #expect(!asked.isThere && !settled.isThere)
        #expect(try bench.group(on: 1).done == 1)
        bench.hosts[0].end(.kill)
        #expect(asked.isThere && settled.isThere)
    }

    @Test func outputThatNoTopicTakesIsRefusedAndTheJobStays() throws {
        let bench = try HostsBench()
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        let output = PublishBatch(
            topic: try TopicName("done"),
            payloads: [Payload([UInt8](repeating: 0x78, count: 2 << 20))])
        let verb = Settlement.Verb.done(.publish(output))
        let why = try bench.life(0).bus.refusal(of: [output])
        #expect(
            try refusal { _ = try bench.settle(job, verb, on: 0).get() }
                == WorkError.bus(#require(why)).description)
        #expect(try bench.group(on: 1).leased == 1)
        #expect(try bench.settle(job, on: 1).get().count == 1)
    }

    @Test func aRuleAboutLettersHoldsWhereAWorkerAsks() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench { $0.dead = .topic(dead) }
        try bench.publish("1")
        let job = try #require(try bench.take(on: 0))
        try bench.groups(0).judgeLetters { _ in .refused("not here") }
        #expect(
            refusal { _ = try bench.settle(job, .dead(refusal: nil), on: 0).get() }
                == WorkError.lettersRefused("not here").description)
        #expect(try bench.settle(job, .dead(refusal: nil), on: 1).get().count == 1)
        for host in 0...1 { #expect(try bench.group(on: host).failed == 1) }
    }

    @Test func aLetterThatItsTopicDoesNotTakeStaysALetter() throws {
        let dead = try TopicName("dead")
        let bench = try HostsBench { $0.dead = .topic(dead) }
        try bench.publish("a long one")
        let job = try #require(try bench.take(on: 0))
        _ = try bench.settle(job, .dead(refusal: nil), on: 0).get()
        let letter = try #require(try bench.events(of: "dead", on: 0).first).id
        var limits = BusLimits()
        limits.eventBytesMax = 4
        let none = Retention(keep: nil, bytes: nil, age: nil)
        try bench.life(0).bus.reconfigure(limits: limits, defaults: none, autocreate: true)
        let refused = try bench.revive(letter, on: 0)
        bench.settle()
        #expect(refusal { _ = try refused.get() } != nil)
        #expect(try bench.events(of: "jobs", on: 1).count == 1)
        let revived = try bench.revive(letter, on: 1)
        bench.settle()
        _ = try revived.get()
        for host in 0...1 { #expect(try bench.events(of: "jobs", on: host).count == 2) }
    }

    @Test func workersThatWaitAreCountedOnTheirHost() throws {
        let bench = try HostsBench()
        _ = try bench.next(on: 1)
        bench.settle()
        #expect(try bench.groups(0).figures.workers == 0)
        #expect(try bench.groups(1).figures.workers == 1)
        #expect(try bench.group(on: 1).workers == 1)
    }

    /// What hosts decide follows from the limits, and a reload does not reach all of them at one moment.
    @Test func aReloadOfOneHostDoesNotChangeWhatItDecides() throws {
        let bench = try HostsBench()
        var limits = WorkLimits()
        limits.openPerGroupMax = 1
        try bench.groups(0).reconfigure(limits: limits)
        for text in ["1", "2", "3"] { try bench.publish(text) }
        #expect(try bench.take(on: 0, count: 2)?.texts == ["1", "2"])
        #expect(try bench.take(on: 0)?.texts == ["3"])
    }
}
