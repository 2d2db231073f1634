import Glibc
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// A file that is put back from a copy: ids go on rising, and whoever saw more is told.
@Suite(.blocking) struct StoreCopyTests {
    enum Making: CaseIterable {
        case whileItRan, afterItClosed, afterItWasKilled
    }

    @Test(arguments: Making.allCases, [true, false])
    func aCopyThatIsPutBackRepeatsNoIDAndTellsAGap(making: Making, endsInOrder: Bool) throws {
        var bench = try StoreBench()
        let kept = try bench.publish("a", "kept")
        let copy = TemporaryFolder(inMemory: true)
        let files = ["belfry.db", "belfry.db-wal"]
        if making == .afterItClosed { bench.close() }
        for name in files { Files.copy("\(bench.folder.path)/\(name)", to: "\(copy.path)/\(name)") }
        switch making {
        case .whileItRan: break
        case .afterItClosed: bench = try bench.reopened()
        case .afterItWasKilled: bench = try bench.killed()
        }
        // Days of it, with the clock standing still: ids run ahead of it.
        var lost: [EventID] = []
        for _ in 0..<5 {
            lost += try bench.publish("a", "lost")
            bench = making == .whileItRan ? bench : try bench.killed()
        }
        if endsInOrder { bench.close() }
        let folder = endsInOrder ? bench.folder : try Self.kill(bench)
        for name in files {
            unlink("\(folder.path)/\(name)")
            Files.copy("\(copy.path)/\(name)", to: "\(folder.path)/\(name)")
        }
        let restored = try StoreBench(in: folder, clock: bench.clock)
        let cursor = making == .whileItRan && !endsInOrder ? lost[4] : lost[2]
        let received = try restored.follow("a", from: .after(kept[0].before))
        #expect(received.ids == kept)
        if making != .whileItRan || endsInOrder {
            #expect(received.gaps.first.map { $0.through >= lost[4] } == true)
            #expect(try restored.follow("a", from: .after(cursor)).gaps.count == 1)
        }
        #expect(try restored.publish("a", "new")[0] > lost[4])
    }

    /// The folder that a process leaves that is killed now.
    private static func kill(_ bench: StoreBench) throws -> TemporaryFolder {
        let folder = TemporaryFolder(inMemory: true)
        Files.copy("\(bench.path)-life", to: "\(folder.path)/belfry.db-life")
        return folder
    }

    @Test func aBackupOfARunningStoreIsWholeAndKnownForOne() throws {
        let bench = try StoreBench()
        let kept = try (0..<500).flatMap { try bench.publish("t\($0 % 3)", "\($0)") }
        let file = "\(bench.folder.path)/backup.db"
        let link = "\(bench.folder.path)/link.db"
        symlink(bench.path, link)
        try SQLiteStore.backUp(link, to: file)
        let lost = try bench.publish("t0", "lost")
        bench.close()
        #expect(throws: StoreError.self) { try SQLiteStore.backUp(bench.path, to: file) }
        #expect(try SQLiteStore.check(file) == [])
        for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
        Files.copy(file, to: bench.path)
        let restored = try StoreBench(in: bench.folder, clock: bench.clock)
        let received = try restored.follow(">", from: .after(kept[0].before))
        #expect(received.ids == kept)
        #expect(received.gaps.first.map { $0.through >= lost[0] } == true)
        #expect(try restored.publish("t0", "new")[0] > lost[0])
        // Elsewhere, too, the first reader is told.
        let elsewhere = TemporaryFolder(inMemory: true)
        Files.copy(file, to: "\(elsewhere.path)/belfry.db")
        let other = try StoreBench(in: elsewhere, clock: bench.clock)
        #expect(try other.follow("t0", from: .after(kept[0])).gaps.count == 1)
    }

    @Test func whatWasOnlyLookedAtOrRefusedIsLeftAsItWas() throws {
        let bench = try StoreBench()
        try bench.publish("a", "x")
        let folder = TemporaryFolder(inMemory: true)
        let file = "\(folder.path)/belfry.db"
        try SQLiteStore.backUp(bench.path, to: file)
        let before = try #require(Files.read(file))
        #expect(try SQLiteStore.check(file) == [])
        #expect(Files.read(file) == before && Self.beside(file) == [])
        Files.write(Array("no database".utf8), to: file)
        #expect(throws: StoreError.self) { try SQLiteStore.check(file) }
        #expect(throws: StoreError.self) { try StoreBench(in: folder) }
        #expect(Self.beside(file) == [])
        // What a life wrote stays: the next one wants it.
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
        #expect(Self.beside(bench.path) == ["-life"])
    }

    private static func beside(_ file: String) -> [String] {
        ["-life", "-wal", "-shm", "-journal"].filter { access(file + $0, F_OK) == 0 }
    }

    @Test func whileOneLooksAtAStoreNobodyElseUsesIt() throws {
        let folder = TemporaryFolder(inMemory: true)
        let path = "\(folder.path)/belfry.db"
        let looking = try StoreFile(path: path)
        #expect(throws: StoreError.self) { try StoreFile(path: path) }
        withExtendedLifetime(looking) {}
    }

    @Test func aBackupIsTakenWhileOthersPublish() throws {
        let bench = try StoreBench()
        for index in 0..<100 { try bench.publish("a", "\(index)") }
        let bus = bench.bus
        let path = bench.path
        let folder = bench.folder.path
        try inParallel(2) { thread in
            guard thread == 0 else {
                for index in 0..<300 {
                    bus.publish(
                        PublishBatch(
                            topic: try TopicName("b"), payloads: [Payload([UInt8(index % 256)])])
                    ) { _ in }
                }
                return
            }
            for round in 0..<3 {
                let file = "\(folder)/\(round).db"
                try SQLiteStore.backUp(path, to: file)
                #expect(try SQLiteStore.check(file) == [])
            }
        }
    }
}
