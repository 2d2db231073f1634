import CSQLite
import Glibc
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// One bus at a time has a file, whatever name it has and whatever becomes of what lies beside it.
@Suite(.blocking) struct StoreLockTests {
    /// What opening a file says that another bus has.
    private static func refusal(_ folder: TemporaryFolder) throws -> String {
        let error = #expect(throws: StoreError.self) { _ = try StoreBench(in: folder) }
        return try #require(error).detail
    }

    private static func link(_ bench: StoreBench) -> TemporaryFolder {
        let folder = TemporaryFolder(inMemory: true)
        #expect(Glibc.link(bench.path, "\(folder.path)/belfry.db") == 0)
        return folder
    }

    private static func publishIsRefused(by bench: StoreBench) throws -> String {
        let error = #expect(throws: BusError.self) { try bench.publish("a", "x") }
        guard case .storeFailed(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return detail
    }

    @Test func aFileWithTwoNamesIsServedUnderOneOfThem() throws {
        let bench = try StoreBench()
        let linked = Self.link(bench)
        #expect(try Self.refusal(linked).contains("is in use by another bus"))
        #expect(access("\(linked.path)/belfry.db-life", F_OK) != 0)
        #expect(throws: StoreError.self) { try SQLiteStore.check("\(linked.path)/belfry.db") }
        let ids = try bench.publish("a", "x")
        bench.close()
        #expect(try StoreBench(in: linked).follow("a", from: .earliest).ids == ids)
    }

    @Test func withoutItsLockFileAStoreStillHasOneBus() throws {
        let bench = try StoreBench()
        unlink("\(bench.path)-life")
        #expect(try Self.refusal(bench.folder).contains("is in use by another bus"))
        let moved = try StoreBench()
        rename("\(moved.path)-life", "\(moved.path)-moved")
        #expect(try Self.refusal(moved.folder).contains("is in use by another bus"))
        withExtendedLifetime((bench, moved)) {}
    }

    @Test func aLockFileThatGoesStopsPublishingUntilItIsBackOrTheBusBeginsAnew() throws {
        let bench = try StoreBench()
        var ids = try bench.publish("a", "first")
        let life = "\(bench.path)-life"
        rename(life, "\(life).away")
        #expect(try Self.publishIsRefused(by: bench).contains("was removed while it was in use"))
        guard case .refusing = bench.bus.readiness else {
            Issue.record("a bus without its lock is ready")
            return
        }
        #expect(try bench.follow("a", from: .earliest).ids == ids)
        Files.write([], to: life)
        #expect(try Self.publishIsRefused(by: bench).contains("was replaced while it was in use"))
        rename("\(life).away", life)
        ids += try bench.publish("a", "second")
        #expect(bench.bus.readiness == .ready)
        unlink(life)
        #expect(throws: BusError.self) { try bench.publish("a", "lost") }
        let again = try bench.reopened()
        ids += try again.publish("a", "third")
        #expect(try again.follow("a", from: .earliest).ids == ids)
    }

    /// A part of it is memory of the process, which must not be written where no file is behind it.
    @Test func aLockFileThatIsEmptiedStopsPublishingToo() throws {
        let bench = try StoreBench()
        var ids = try bench.publish("a", "first")
        truncate("\(bench.path)-life", 0)
        #expect(try Self.publishIsRefused(by: bench).contains("was replaced while it was in use"))
        let again = try bench.reopened()
        ids += try again.publish("a", "second")
        #expect(try again.follow("a", from: .earliest).ids == ids)
    }

    /// A process that closes any descriptor of a file loses all of its POSIX locks on it, and with
    /// them SQLite's.
    @Test func whatIsRefusedTakesNoLockFromTheConnectionsOfTheFirst() throws {
        let bench = try StoreBench()
        let probe = LockProbe(bench.path)
        #expect(probe.isShared)
        let linked = Self.link(bench)
        for folder in [bench.folder, linked] { _ = try Self.refusal(folder) }
        unlink("\(bench.path)-life")
        _ = try Self.refusal(bench.folder)
        #expect(probe.isShared)
        bench.close()
        #expect(!probe.isShared)
    }

    @Test func aFileIsLockedAsLongAsAConnectionToItIsOpen() throws {
        let folder = TemporaryFolder(inMemory: true)
        let path = "\(folder.path)/belfry.db"
        var database: Database? = try Database(StoreFile(path: path), mode: .creating)
        try database?.execute("PRAGMA journal_mode = WAL; CREATE TABLE one (a)")
        let probe = LockProbe(path)
        #expect(probe.isShared)
        #expect(throws: StoreError.self) { try StoreFile(path: path) }
        #expect(probe.isShared)
        withExtendedLifetime(database) {}
        database = nil
        #expect(!probe.isShared)
        _ = try StoreFile(path: path)
    }
}

/// Looks at the lock that every connection of SQLite has on a file in the journal's mode WAL.
///
/// It keeps its descriptor open: closing it would take the locks away that it looks at.
struct LockProbe {
    private let descriptor: Int32
    // F_OFD_GETLK, a macro behind _GNU_SOURCE.
    private static let ask: Int32 = 36
    // PENDING_BYTE of SQLite, its byte of reservations and its 510 bytes of readers.
    private static let begin: off_t = 0x4000_0000
    private static let count: off_t = 512

    init(_ path: String) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        precondition(descriptor >= 0, "\(path) cannot be opened: errno \(errno)")
    }

    /// Whether a process reads, and none writes.
    var isShared: Bool {
        var lock = Glibc.flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.begin
        lock.l_len = Self.count
        let asked = fcntl(descriptor, Self.ask, &lock)
        precondition(asked == 0, "locks cannot be asked for: errno \(errno)")
        return lock.l_type == Int16(F_RDLCK)
    }
}
