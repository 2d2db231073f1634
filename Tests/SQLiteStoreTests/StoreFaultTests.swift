import CSQLite
import DiskSupport
import Glibc
import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct StoreFaultTests {
    private static func bench(
        on disk: Disk, _ sync: SQLiteStoreConfiguration.Sync = .full, memoryBytesMax: Int = 1 << 30
    ) throws -> StoreBench {
        try StoreBench(
            StoreBench.Settings(sync: sync, memoryBytesMax: memoryBytesMax, disk: disk))
    }

    private static func outcome(_ body: () throws -> [EventID]) throws -> Result<
        [EventID], BusError
    > {
        do {
            return .success(try body())
        } catch let error as BusError {
            return .failure(error)
        }
    }

    /// What an event is refused with that is published now; nil if it is taken.
    private static func refusal(of bench: StoreBench) throws -> BusError? {
        guard case .failure(let error) = try outcome({ try bench.publish("a", "x") }) else {
            return nil
        }
        return error
    }

    @Test func aFullDiskIsToldReadingGoesOnAndPublishingResumesByItself() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk, .normal, memoryBytesMax: 24_000)
        var ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        #expect(bench.bus.statistics.evicted > 100)
        disk.fail(.write, SQLITE_FULL, partial: true)
        for _ in 0..<3 {
            guard case .storeFull(let detail) = try Self.refusal(of: bench) else {
                Issue.record("a full disk took an event")
                return
            }
            #expect(detail.contains("make room"))
        }
        guard case .refusing = bench.bus.readiness else {
            Issue.record("a full disk is ready")
            return
        }
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        disk.heal()
        ids += try bench.publish("a", "again")
        #expect(bench.bus.readiness == .ready)
        let again = try bench.killed { $0.disk = nil }
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    @Test func aDiskThatBecomesReadOnlyIsToldReadingGoesOnAndPublishingResumesByItself() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk, memoryBytesMax: 24_000)
        var ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        #expect(bench.bus.statistics.evicted > 100)
        disk.becomeReadOnly()
        // Nobody is told of the first one before it is certain.
        let first = Gate()
        bench.bus.publish(PublishBatch(topic: try TopicName("a"), payloads: [.empty])) { outcome in
            if case .failure(.storeFailed) = outcome { first.open() }
        }
        try waits { bench.bus.readiness != .ready }
        for _ in 0..<3 {
            guard case .storeFailed(let detail) = try Self.refusal(of: bench) else {
                Issue.record("a disk that can only be read took an event")
                return
            }
            #expect(detail.contains("Read-only file system"))
            #expect(detail.contains("whether its disk was mounted read-only after an error"))
        }
        #expect(!first.isOpen)
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        disk.heal()
        ids += try bench.publish("a", "again")
        try first.wait()
        #expect(bench.bus.readiness == .ready)
        let again = try bench.killed { $0.disk = nil }
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    /// A start writes before it gives the first id: where it cannot, it gives none.
    @Test(arguments: [false, true])
    func aStartOnAFullDiskServesReadersAndPublishesOnceThereIsRoom(endsInOrder: Bool) throws {
        let whole = try StoreBench()
        try whole.register("live", persists: false)
        let ids = try whole.publish("a", "x", "y")
        let lost = try whole.publish("live", "x")
        let disk = Disk()
        disk.fail(.write, SQLITE_FULL)
        whole.clock.advance(seconds: 10_000)
        let bench =
            endsInOrder
            ? try whole.reopened { $0.disk = disk } : try whole.killed { $0.disk = disk }
        // No cursor of this life may be above an id of a later one.
        bench.clock.advance(seconds: -1_000_000)
        #expect(try bench.follow("a", from: .after(ids[0].before)).ids == ids)
        #expect(try bench.follow("a", from: .after(ids[0])).gaps.isEmpty)
        let received = try bench.follow("live", from: .after(lost[0].before))
        #expect(received.ids.isEmpty && received.gaps.count == 1)
        guard case .storeFull(let detail) = try Self.refusal(of: bench) else {
            Issue.record("a full disk took an event")
            return
        }
        #expect(detail.contains("make room"))
        #expect(throws: BusError.self) { try bench.publish("live", "x") }
        #expect(throws: BusError.self) { try bench.register("b") }
        guard case .refusing = bench.bus.readiness else {
            Issue.record("a full disk is ready")
            return
        }
        // Nothing of that life is on the disk, and the next one tells no other gap.
        let next = try bench.killed { $0.disk = nil }
        #expect(try next.follow("a", from: .after(ids[1])).gaps.isEmpty)
        #expect(try next.publish("a", "next")[0] > received.position.after)
        disk.heal()
        try waits { bench.bus.readiness == .ready }
        let new = try bench.publish("a", "again") + (try bench.publish("live", "again"))
        #expect(new[0] > received.position.after && new[1] > new[0])
        let again = try bench.reopened { $0.disk = nil }
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids + new.prefix(1))
        #expect(try again.follow("a", from: .after(ids[0].before)).gaps.isEmpty)
        again.close()
        #expect(try SQLiteStore.check(again.path) == [])
    }

    @Test func aStartOnAFullDiskThatEndsBeforeThereIsRoomLeavesTheStoreAsItWas() throws {
        let whole = try StoreBench()
        let ids = try whole.publish("a", "x")
        let disk = Disk()
        let bench = try whole.killed { $0.disk = disk }
        bench.close()
        disk.fail(.write, SQLITE_FULL)
        let full = try bench.reopened()
        #expect(try full.follow("a", from: .earliest).ids == ids)
        full.close()
        disk.heal()
        let again = try full.reopened()
        #expect(try again.follow("a", from: .after(ids[0])).gaps.isEmpty)
        #expect(try again.publish("a", "y")[0] > ids[0])
    }

    @Test func aNewStoreOnAFullDiskIsRefused() throws {
        let disk = Disk()
        disk.fail(.write, SQLITE_FULL)
        let error = #expect(throws: StoreError.self) { try Self.bench(on: disk) }
        #expect(error?.detail.contains("make room on its disk") == true)
    }

    @Test func aWriterThatHangsIsNotIdleAndSettlesNothingUntilItMoves() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        try bench.publish("a", "first")
        try waits { bench.store.progress.isIdle }
        let before = bench.store.progress
        let slow = Gate()
        disk.holdSyncs(at: slow)
        let told = Gate()
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        bench.bus.publish(batch) { _ in told.open() }
        let hanging = StoreProgress(settled: before.settled, isIdle: false)
        try waits { bench.store.progress == hanging }
        #expect(bench.store.progress == hanging)
        slow.open()
        try told.wait()
        try waits { bench.store.progress.isIdle }
        #expect(bench.store.progress.settled > before.settled)
    }

    @Test func aDiskThatRefusesIsReadyAgainWithoutAnybodyPublishing() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        disk.fail(.write, Disk.writeError, count: 2)
        #expect(throws: BusError.self) { try bench.publish("a", "x") }
        try waits { bench.bus.readiness == .ready }
    }

    /// What fails at any call of the disk, once, whether the call did its work or not: exactly what
    /// was answered is there for a process that is started after this one was killed.
    @Test(arguments: Disk.Call.allCases.dropLast(), [false, true])
    func whatWasRefusedIsNotThereAndWhatWasAnsweredIs(call: Disk.Call, doesItsWork: Bool) throws {
        let code = call == .write ? Disk.writeError : Disk.syncError
        var failures = 0
        for skip in 0..<9 {
            let disk = Disk()
            let bench = try Self.bench(on: disk)
            var answered = try bench.publish("a", "first")
            func check(_ answered: [EventID], _ index: Int) throws {
                let copy = try bench.killed { $0.disk = nil }
                let found = try copy.follow("a", from: .earliest).ids
                #expect(found == answered, "call \(skip), batch \(index)")
                copy.close()
                #expect(try SQLiteStore.check(copy.path) == [], "call \(skip), batch \(index)")
            }
            if doesItsWork {
                disk.failAfter(call, code, skip: skip, count: 1)
            } else {
                disk.fail(call, code, skip: skip, count: 1, partial: skip.isMultiple(of: 2))
            }
            for index in 0..<4 {
                switch try Self.outcome({ try bench.publish("a", "\(index)", "more") }) {
                case .success(let ids): answered += ids
                case .failure:
                    failures += 1
                    try check(answered, index)
                }
            }
            try check(answered, 4)
            disk.heal()
        }
        #expect(failures > 0)
    }

    @Test func nobodyIsToldWhileItIsUncertainWhatAStartWouldFind() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        var answered = try bench.publish("a", "first")
        disk.failAfter(.sync, Disk.syncError)
        let told = Protected<Result<PublishReceipt, BusError>?>(nil)
        let gate = Gate()
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        bench.bus.publish(batch) { outcome in
            told.value = outcome
            gate.open()
        }
        try waits { bench.bus.readiness != .ready }
        // The next one is known not to be there: nothing of it was written.
        #expect(throws: BusError.self) { try bench.publish("a", "second") }
        #expect(told.value == nil)
        disk.heal()
        answered += try bench.publish("a", "third")
        try gate.wait()
        guard case .failure(.storeFailed) = told.value else {
            Issue.record("told \(String(describing: told.value))")
            return
        }
        let copy = try bench.killed { $0.disk = nil }
        #expect(try copy.follow("a", from: .earliest).ids == answered)
    }

    @Test func aSlowSyncHoldsUpItsPublisherAndNoReader() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk, memoryBytesMax: 24_000)
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        let slow = Gate()
        disk.holdSyncs(at: slow)
        let told = Gate()
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        bench.bus.publish(batch) { _ in told.open() }
        let limit = ReadLimit(events: 10, bytes: 1 << 20)
        let position = bench.bus.position(.latest, matching: try Selector("a"), filter: .all)
        let read = bench.bus.read(position, matching: try Selector("a"), filter: .all, limit: limit)
        guard case .events(let events, _, _) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(events.map(\.id) == ids.suffix(1))
        #expect(!told.isOpen)
        slow.open()
        try told.wait()
        #expect(try bench.follow("a", from: .earliest).ids.dropLast() == ids[...])
    }

    @Test func eventsThatDoNotPersistNeedNoDisk() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        try bench.register("live", persists: false)
        disk.fail(.write, SQLITE_FULL)
        #expect(throws: BusError.self) { try bench.publish("a", "x") }
        let ids = try bench.publish("live", "y") + (try bench.publish("live", "z"))
        #expect(try bench.follow("live", from: .earliest).ids == ids)
        disk.heal()
    }

    /// More topics than one attempt of a disk that refuses is made with, each asked to lose many
    /// events one by one.
    @Test func removalsThatTheDiskRefusesWaitAsOneForEachTopic() throws {
        let topics = Limits.retriedTrimsMax + 36
        let disk = Disk()
        var settings = StoreBench.Settings(disk: disk)
        settings.defaults = Retention(keep: nil, bytes: nil, age: 10_000_000)
        let bench = try StoreBench(settings)
        for _ in 0..<8 {
            for topic in 0..<topics { try bench.publish("t\(topic)", "x") }
            bench.clock.advance(seconds: 1)
        }
        let meters = try #require(bench.store.meters)
        disk.fail(.write, SQLITE_FULL)
        for _ in 0..<20 {
            bench.clock.advance(seconds: 1)
            bench.bus.sweep()
            // Behind the removals that were asked for by now.
            #expect(throws: BusError.self) { try bench.publish("a", "x") }
        }
        try waits { meters.waitingTrims.value == topics }
        disk.heal()
        try bench.publish("a", "again")
        try waits { meters.waitingTrims.value == 0 }
        #expect(bench.bus.readiness == .ready)
        let again = try bench.killed { $0.disk = nil }
        #expect(again.bus.statistics.topics == 1)
    }

    @Test func aFileThatIsRemovedTakesNothingMoreUntilItIsBack() throws {
        let bench = try StoreBench()
        var ids = try bench.publish("a", "first")
        rename(bench.path, "\(bench.path).away")
        guard case .storeFailed(let detail) = try Self.refusal(of: bench) else {
            Issue.record("a file that is gone took an event")
            return
        }
        #expect(detail.contains("was removed while it was in use"))
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        Files.write([], to: bench.path)
        guard case .storeFailed(let other) = try Self.refusal(of: bench) else {
            Issue.record("a file that was replaced took an event")
            return
        }
        #expect(other.contains("was replaced"))
        rename("\(bench.path).away", bench.path)
        ids += try bench.publish("a", "again")
        let again = try bench.reopened()
        #expect(try again.follow("a", from: .earliest).ids == ids)
    }

    /// A publish that is committed to a file which is moved away in the middle of it.
    private struct Undecided {
        let disk: Disk
        let bench: StoreBench
        let first: [EventID]
        let told = Protected<Result<PublishReceipt, BusError>?>(nil)
        let isTold = Gate()

        /// The disk outlives the store.
        func end() {
            bench.close()
            disk.heal()
        }
    }

    private func undecided() throws -> Undecided {
        for _ in 0..<5 {
            let tried = try tryUndecided()
            if !tried.isTold.isOpen { return tried }
            tried.end()
        }
        throw Unlucky()
    }

    /// Each attempt met the store while it moved its journal, which writes and syncs as well.
    private struct Unlucky: Error {}

    private func tryUndecided() throws -> Undecided {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        try bench.register("live", persists: false)
        try bench.publish("live", "x")
        let undecided = Undecided(
            disk: disk, bench: bench, first: try bench.publish("a", "first"))
        let slow = Gate()
        disk.holdSyncs(at: slow)
        let writes = disk.calls(.write)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        bench.bus.publish(batch) { [told = undecided.told, gate = undecided.isTold] outcome in
            told.value = outcome
            gate.open()
        }
        // Once it writes, it has seen that the file is there; then it waits for its sync.
        try waits { disk.calls(.write) > writes }
        rename(bench.path, "\(bench.path).away")
        slow.open()
        try waits { bench.bus.readiness != .ready }
        return undecided
    }

    @Test func whatWasCommittedToAFileThatWentIsToldOnceItIsBack() throws {
        let undecided = try undecided()
        let bench = undecided.bench
        defer { undecided.end() }
        // Nothing takes an id meanwhile: ids are told in their order.
        #expect(throws: BusError.self) { try bench.publish("a", "x") }
        #expect(throws: BusError.self) { try bench.publish("live", "x") }
        #expect(undecided.told.value == nil && bench.bus.statistics.pendingBytes > 0)
        rename("\(bench.path).away", bench.path)
        let last = try bench.publish("a", "last") + (try bench.publish("live", "last"))
        try undecided.isTold.wait()
        let receipt = try #require(try undecided.told.value?.get())
        #expect(bench.bus.statistics.pendingBytes == 0)
        let ids = undecided.first + [receipt.first] + last.prefix(1)
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        let again = try bench.killed { $0.disk = nil }
        #expect(try again.follow("a", from: .earliest).ids == ids)
    }

    @Test func whoeverCannotBeToldWhatBecameOfItIsToldThatAtTheEnd() throws {
        let undecided = try undecided()
        undecided.end()
        try undecided.isTold.wait()
        guard case .failure(.storeFailed(let detail)) = undecided.told.value else {
            Issue.record("told \(String(describing: undecided.told.value))")
            return
        }
        #expect(detail.contains("before the outcome was known"))
        #expect(undecided.bench.bus.statistics.pendingBytes == 0)
    }

    private func waits(_ condition: () -> Bool) throws {
        let deadline = Deadline(seconds: 60)
        while !condition() {
            try #require(!deadline.isOver)
            poll(nil, 0, 1)
        }
    }
}

/// A moment that a test does not wait beyond.
struct Deadline {
    private let end: Int

    init(seconds: Int) {
        end = Self.now + seconds
    }

    var isOver: Bool { Self.now >= end }

    private static var now: Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec
    }
}
