import Glibc
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// A copy in the place of a store, put there by the program or by hand.
@Suite(.blocking) struct StoreRestoreTests {
    /// A store that was killed behind a backup, in a folder of its own.
    private struct Killed {
        let folder = TemporaryFolder(inMemory: true)
        let backup: String
        let kept: [EventID]
        let lost: EventID
        let clock: ManualClock

        var path: String { "\(folder.path)/belfry.db" }

        init() throws {
            let bench = try StoreBench()
            clock = bench.clock
            kept = try (0..<20).flatMap { try bench.publish("t", "before \($0)") }
            backup = "\(folder.path)/backup.db"
            try SQLiteStore.backUp(bench.path, to: backup)
            lost = try (0..<20).flatMap { try bench.publish("t", "after \($0)") }.last!
            for suffix in ["", "-wal", "-life"] {
                Files.copy(bench.path + suffix, to: "\(folder.path)/belfry.db\(suffix)")
            }
        }

        func start() throws -> StoreBench { try StoreBench(in: folder, clock: clock) }
    }

    private func detail(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return (error as? StoreError)?.detail ?? "\(error)"
        }
    }

    @Test func aRestoredCopyTakesThePlaceOfTheStoreAndOfItsJournal() throws {
        let killed = try Killed()
        try SQLiteStore.restore(killed.backup, to: killed.path)
        #expect(access("\(killed.path)-wal", F_OK) != 0)
        #expect(try SQLiteStore.check(killed.path) == [])
        let bench = try killed.start()
        let received = try bench.follow(">", from: .after(killed.kept[0].before))
        #expect(received.ids == killed.kept)
        #expect(received.gaps.first.map { $0.through >= killed.lost } == true)
        #expect(try bench.publish("t", "new")[0] > killed.lost)
        #expect(try SQLiteStore.check(killed.backup) == [])
    }

    @Test func eachEventOfARestoredCopyIsFoundByItsID() throws {
        let killed = try Killed()
        try SQLiteStore.restore(killed.backup, to: killed.path)
        let bench = try killed.start()
        let topic = try TopicName("t")
        for id in killed.kept {
            guard case .older(let position) = bench.bus.event(id, in: topic) else {
                Issue.record("\(id) is not in the store")
                continue
            }
            let read = try bench.answer { then in
                bench.bus.readStore(
                    position, matching: Selector(topic), filter: .all,
                    limit: ReadLimit(events: 1, bytes: 1), then: then)
            }
            guard case .events(let events, _, _) = read else {
                Issue.record("\(id) is \(read)")
                continue
            }
            #expect(events.map(\.id) == [id])
        }
        guard case .removed = bench.bus.event(killed.lost, in: topic) else {
            Issue.record("\(killed.lost) came behind the backup")
            return
        }
    }

    @Test func theJournalOfAnotherLifeBesideACopyIsNamedAndTouchesNothing() throws {
        let killed = try Killed()
        Files.copy(killed.backup, to: killed.path)
        let before = Files.read(killed.path)
        for refused in [
            detail { _ = try killed.start() }, detail { _ = try SQLiteStore.check(killed.path) },
            detail { try SQLiteStore.backUp(killed.path, to: "\(killed.path).copy") },
        ] {
            #expect(refused.contains("\(killed.path)-wal"), "\(refused)")
        }
        #expect(Files.read(killed.path) == before)
        unlink("\(killed.path)-wal")
        #expect(try killed.start().follow(">", from: .earliest).ids == killed.kept)
    }

    /// It lies beside a file that a start has made one with a journal.
    @Test func theJournalThatACopyHasFromItsOwnLifeIsTaken() throws {
        let killed = try Killed()
        try SQLiteStore.restore(killed.backup, to: killed.path)
        let bench = try killed.start()
        let more = try bench.publish("t", "more")
        let again = TemporaryFolder(inMemory: true)
        for suffix in ["", "-wal", "-life"] {
            Files.copy(killed.path + suffix, to: "\(again.path)/belfry.db\(suffix)")
        }
        let other = try StoreBench(in: again, clock: killed.clock)
        #expect(try other.follow(">", from: .earliest).ids == killed.kept + more)
    }

    @Test func aRestoreThatIsRefusedLeavesTheStoreAsItWas() throws {
        let killed = try Killed()
        let folder = killed.folder.path
        Files.write(Array("no database".utf8), to: "\(folder)/text")
        Files.write([], to: "\(folder)/empty")
        var damaged = try #require(Files.read(killed.backup))
        for index in 4_096..<damaged.count { damaged[index] = 0x55 }
        Files.write(damaged, to: "\(folder)/damaged")
        let before = Files.read(killed.path)
        for copy in ["text", "empty", "damaged", "missing", "belfry.db"] {
            #expect(
                detail { try SQLiteStore.restore("\(folder)/\(copy)", to: killed.path) } != "",
                "\(copy)")
            #expect(Files.read(killed.path) == before, "\(copy)")
            #expect(access("\(killed.path)-wal", F_OK) == 0, "\(copy)")
        }
        let bench = try killed.start()
        let used = detail { try SQLiteStore.restore(killed.backup, to: killed.path) }
        #expect(used.contains("in use"), "\(used)")
        #expect(try bench.follow(">", from: .earliest).ids.count == 40)
    }

    @Test func whereThereIsNoStoreARestoreMakesOne() throws {
        let killed = try Killed()
        let folder = TemporaryFolder(inMemory: true)
        let path = "\(folder.path)/belfry.db"
        #expect(detail { try SQLiteStore.restore("\(folder.path)/missing", to: path) } != "")
        #expect(access(path, F_OK) != 0)
        try SQLiteStore.restore(killed.backup, to: path)
        let bench = try StoreBench(in: folder, clock: killed.clock)
        #expect(try bench.follow(">", from: .earliest).ids == killed.kept)
    }

    @Test(.byRoot, arguments: [false, true])
    func whatRootRestoresBelongsToWhoseStoreItWas(isThere: Bool) throws {
        let killed = try Killed()
        if isThere {
            for suffix in ["", "-life"] { chown(killed.path + suffix, 12_345, 12_346) }
        } else {
            for suffix in ["", "-wal", "-life"] { unlink(killed.path + suffix) }
            chown(killed.folder.path, 12_345, 12_346)
        }
        try SQLiteStore.restore(killed.backup, to: killed.path)
        // Where no life was before, the first start makes its file.
        for suffix in isThere ? ["", "-life"] : [""] {
            var status = stat()
            try #require(stat(killed.path + suffix, &status) == 0)
            #expect(status.st_uid == 12_345 && status.st_gid == 12_346, "\(suffix)")
        }
    }
}
