import Broadcasting
import Protection
import SQLiteStore
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics

@testable import Work

/// How long the groups of a bus in one's own process live, and what looks after them.
@Suite(.timeLimit(.minutes(20))) struct GroupLifeTests {
    @Test func itSweepsItself() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await bench.bus.publish("a", to: "jobs")
        _ = try #require(try await group.next())
        let waiting = Task { try await group.next() }
        while try group.describe().workers == 0 { await Task.yield() }
        bench.clock.advance(seconds: 61)
        bench.work.sweepItself(everyMilliseconds: 5)
        #expect(try await waiting.value?.attempt == 2)
    }

    @Test func theyGoWithTheirLastOwner() async throws {
        weak var groups: WorkGroups?
        weak var inside: WorkGroup?
        let bus = try EventBus()
        func use() async throws -> Group {
            let own = WorkGroups(on: bus)
            groups = own
            let group = try await own.group("g", of: "jobs")
            inside = try own.group(group.name)
            let waiting = Task { try await group.next() }
            while try group.describe().workers == 0 { await Task.yield() }
            waiting.cancel()
            _ = try await waiting.value
            return group
        }
        var group: Group? = try await use()
        #expect(groups != nil)
        try await bus.publish("a", to: "jobs")
        #expect(try await group?.next()?.attempt == 1)
        group = nil
        // A sweep may have it still, and a task that ends.
        while groups != nil || inside != nil { await Task.yield() }
        bus.close()
    }

    @Test func theyAreThereAgainWithTheFile() async throws {
        let folder = TemporaryFolder(inMemory: true)
        let path = folder.path + "/bus.db"
        func run(_ body: (Group) async throws -> Void) async throws {
            let bus = try EventBus(file: path)
            try await body(try await WorkGroups(on: bus).patientGroup(of: "jobs"))
            bus.close()
        }
        try await run { group in
            for text in ["a", "b"] { try await group.groups.parts.bus.publish(text, to: "jobs") }
            let job = try #require(try await group.next(worker: "w"))
            try await group.settle(job, .done)
            #expect(try await group.next(worker: "w")?.attempt == 1)
        }
        try await run { group in
            #expect(try await group.next(worker: "v", wait: .zero) == nil)
            let again = try #require(try await group.next(worker: "w"))
            #expect(again.event.payload.text == "b" && again.attempt == 2)
            #expect(try group.describe().done == 1)
        }
    }

    @Test func aBadNameOrSettingIsToldWithItsRange() async throws {
        let groups = WorkGroups(on: try EventBus())
        var settings = GroupSettings(of: try Selector("jobs"))
        settings.lease = .milliseconds(1)
        await #expect(throws: WorkError.self) { try await groups.set("g", settings) }
        settings.lease = nil
        settings.type = "a\nb"
        await #expect(throws: WorkError.self) { try await groups.set("g", settings) }
        for (name, selector) in [("", "a"), ("a b", "a"), ("g", "a b")] {
            await #expect {
                try await groups.group(name, of: selector)
            } throws: { error in
                guard case .valueInvalid = error as? WorkError else { return false }
                return true
            }
        }
        #expect(throws: WorkError.self) { try groups.group("g") }
        #expect(groups.descriptions().isEmpty)
    }

    @Test(arguments: [
        (Duration.seconds(2), Int64(2_000_000)), (.nanoseconds(1_999), 1),
        (.seconds(-1), -1_000_000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
    ])
    func aDurationIsWholeMicroseconds(duration: Duration, microseconds: Int64) {
        #expect(duration.wholeMicroseconds == microseconds)
    }

    // MARK: Misuse

    private func told(by result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func secondGroupsOfABusStopWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let bus = try EventBus()
            let groups = WorkGroups(on: bus)
            withExtendedLifetime(groups) { _ = WorkGroups(on: bus) }
        }
        #expect(told(by: result).contains("a bus has one WorkGroups"))
    }

    @Test func settlingJobsOfTwoBatchesTogetherStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let bus = try EventBus()
            let group = try await WorkGroups(on: bus).patientGroup(of: "jobs")
            for text in ["a", "b"] { try await bus.publish(text, to: "jobs") }
            let jobs = [try await group.next(), try await group.next()].compactMap { $0 }
            try await group.settle(jobs, .done)
        }
        #expect(told(by: result).contains("of one batch"))
    }
}
