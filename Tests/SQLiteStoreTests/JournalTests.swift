import DiskSupport
import Glibc
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// The journal of a store while it is written: who waits for its syncs, what outlasts the power,
/// how long it gets.
@Suite(.blocking) struct JournalTests {
    private static let megabyte = Payload([UInt8](repeating: 0x78, count: 1 << 20))

    private static func bench(on disk: Disk) throws -> StoreBench {
        try StoreBench(StoreBench.Settings(sync: .normal, disk: disk))
    }

    private static func journalBytes(_ bench: StoreBench) -> Int {
        Files.size("\(bench.path)-wal")
    }

    private func waits(_ condition: () throws -> Bool) throws {
        let deadline = Deadline(seconds: 60)
        while try !condition() {
            try #require(!deadline.isOver)
            poll(nil, 0, 1)
        }
    }

    @Test func aPublishDoesNotWaitForASlowSyncOfTheJournal() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        let (slow, arrival) = (Gate(), Gate())
        disk.holdSyncs(at: slow, arrival: arrival)
        var ids = try bench.publish("a", "first")
        try arrival.wait()
        for index in 0..<100 { ids += try bench.publish("a", "\(index)") }
        #expect(!slow.isOpen)
        slow.open()
        let again = try bench.reopened()
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    @Test func aPublishDoesNotWaitForASlowCheckpoint() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        let (slow, arrival) = (Gate(), Gate())
        disk.holdSyncs(of: .database, at: slow, arrival: arrival)
        var ids: [EventID] = []
        for _ in 0..<9 { ids += try bench.publish("a", [Self.megabyte]) }
        try arrival.wait()
        for _ in 0..<9 { ids += try bench.publish("a", [Self.megabyte]) }
        #expect(!slow.isOpen)
        slow.open()
        let again = try bench.killed { $0.disk = nil }
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    @Test func theEndWaitsForACheckpointThatIsUnderWay() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        let (slow, arrival) = (Gate(), Gate())
        disk.holdSyncs(of: .database, at: slow, arrival: arrival)
        var ids: [EventID] = []
        for _ in 0..<9 { ids += try bench.publish("a", [Self.megabyte]) }
        try arrival.wait()
        try inParallel(2) { thread in
            if thread == 0 { bench.close() } else { slow.open() }
        }
        #expect(Self.journalBytes(bench) == 0)
        let again = try bench.reopened { $0.disk = nil }
        #expect(try again.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    /// Much sooner than a journal that is so short is moved.
    @Test func everyPublishIsSyncedSoonHoweverFewThereAre() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        let deadline = Deadline(seconds: 30)
        for index in 0..<6 {
            let syncs = disk.calls(.sync)
            try bench.publish("a", "\(index)")
            try waits { disk.calls(.sync) > syncs }
        }
        #expect(!deadline.isOver)
    }

    /// Six lives, since what the power leaves of unsynced writes is up to the seed.
    @Test func whatWasCommittedASecondAgoSurvivesThePower() throws {
        try inParallel(6) { thread in
            let disk = Disk(rememberingPower: true)
            let bench = try Self.bench(on: disk)
            let ids = try (0..<20).flatMap { try bench.publish("a", "\($0)") }
            // The second sync that ends from now on began behind the last of them.
            let syncs = disk.calls(.sync)
            try waits {
                try bench.publish("b", "later")
                return disk.calls(.sync) >= syncs + 3
            }
            disk.powerOff(seed: UInt64(thread))
            bench.close()
            let again = try bench.reopened { $0.disk = nil }
            let found = try again.follow("a", from: .earliest).ids
            #expect(found == ids, "seed \(thread)")
            again.close()
            #expect(try SQLiteStore.check(again.path) == [])
        }
    }

    /// All that the keeper does is held, so that it never makes an end.
    @Test func aJournalStaysBoundedThoughItsKeeperIsSlow() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        let (slow, arrival) = (Gate(), Gate())
        disk.holdSyncs(at: slow, arrival: arrival)
        let count = 120
        let told = Gate(openings: count)
        try bench.publish("a", "first")
        try arrival.wait()
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [Self.megabyte])
        for _ in 0..<count {
            try waits {
                // The writer waits as well: only then so much waits for it.
                if Self.journalBytes(bench) > Limits.journalPagesMax * 5_120 { slow.open() }
                return bench.bus.statistics.pendingBytes < 16 << 20
            }
            bench.bus.publish(batch) { outcome in
                if case .success = outcome { told.open() }
            }
        }
        try told.wait()
        // The bound, what the keeper may take beyond it, and two groups.
        #expect(Self.journalBytes(bench) < (32 + 8 + 2 * 9) << 20)
    }

    @Test func aJournalBeginsAnewUnderAWriterThatNeverRests() throws {
        let bench = try StoreBench()
        let batch = [Payload([UInt8](repeating: 0x78, count: 60_000))]
        func begin() -> [UInt8]? {
            Files.read("\(bench.path)-wal", upTo: 32)
        }
        var (begins, last) = (0, begin())
        try waits {
            for _ in 0..<20 { try bench.publish("a", batch) }
            let begin = begin()
            if begin != last { begins += 1 }
            last = begin
            return begins == 3
        }
        #expect(Self.journalBytes(bench) < (32 + 8 + 9) << 20)
    }

    /// As a shell of SQLite has it that somebody left in a transaction.
    @Test func theFigureOfTheJournalGrowsBehindAReaderThatHoldsItAndGoesBack() throws {
        let bench = try StoreBench()
        func figure() throws -> Int {
            var page = PrometheusText()
            bench.store.write(to: &page)
            let lines = String(decoding: page.bytes, as: UTF8.self).split(separator: "\n")
            let name = "belfry_store_journal_bytes "
            let line = try #require(lines.first { $0.hasPrefix(name) })
            return try #require(Int(line.dropFirst(name.count)))
        }
        try bench.publish("a", "first")
        // The writer notes what a commit came to behind its answers.
        try waits { try figure() == Self.journalBytes(bench) }
        var reader: Database? = try Database(path: bench.path, mode: .reading)
        try reader?.execute("BEGIN")
        _ = try reader?.integer("SELECT count(*) FROM events")
        for _ in 0..<50 { try bench.publish("a", [Self.megabyte]) }
        try waits { try figure() == Self.journalBytes(bench) }
        #expect(try figure() > 50 << 20)
        reader = nil
        try waits {
            try bench.publish("a", "another")
            return Self.journalBytes(bench) <= Limits.journalBytesMax
        }
        try waits { try figure() == Self.journalBytes(bench) }
        let path = bench.path
        bench.close()
        #expect(Files.size("\(path)-wal") == 0)
    }

    @Test func whatASyncMissedIsInTheFileOnceTheDiskWorks() throws {
        let disk = Disk()
        let bench = try Self.bench(on: disk)
        disk.fail(.sync, Disk.syncError)
        let syncs = disk.calls(.sync)
        let text = "an event that no sync has reached"
        var ids = try bench.publish("a", text)
        try waits { disk.calls(.sync) >= syncs + 2 }
        ids += try bench.publish("a", "another")
        #expect(bench.bus.readiness == .ready)
        disk.heal()
        // A minute before a journal that is so short would be moved.
        try waits { Files.read(bench.path)?.contains(text) == true }
        #expect(try bench.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    @Test func aWriterThatIsRousedGoesRoundOnce() throws {
        let queue = CommitQueue()
        queue.open(bytesMax: 1 << 20)
        queue.rouse()
        #expect(queue.take(milliseconds: -1, GroupCommitDelay()).isEmpty)
        try inParallel(2) { thread in
            if thread == 0 {
                #expect(queue.take(milliseconds: -1, GroupCommitDelay()).isEmpty)
            } else {
                queue.rouse()
            }
        }
        let entry = StoreEntry.events(
            PublishBatch(topic: try TopicName("a"), payloads: [.empty]), persists: true)
        _ = queue.add(CommitQueue.EntryJob(entry: entry, queuedBytes: 1) { _ in })
        #expect(queue.take(milliseconds: -1, GroupCommitDelay()).count == 1)
    }
}

extension Files {
    /// The first bytes of a file.
    fileprivate static func read(_ path: String, upTo count: Int) -> [UInt8]? {
        guard let stream = fopen(path, "r") else { return nil }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: count)
        let found = fread(&bytes, 1, count, stream)
        return Array(bytes.prefix(found))
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool {
        let sought = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: sought) }
    }
}
