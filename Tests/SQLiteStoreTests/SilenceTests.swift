import CSQLite
import DiskSupport
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Topics that are expected to have events, on a bus with a file.
@Suite(.blocking) struct SilenceTests {
    private static let second: Int64 = 1_000_000

    private static func bench() throws -> StoreBench {
        let clock = ManualClock()
        var settings = StoreBench.Settings()
        settings.boot = BootClock(boot: "b") { clock.now().microseconds }
        return try StoreBench(clock: clock, settings)
    }

    private static func expect(
        _ seconds: Int64?, keep: Int? = nil, persists: Bool = true, on bench: StoreBench
    ) throws {
        let topic = try TopicName("a")
        var settings = TopicSettings(
            retention: Retention(keep: keep, bytes: nil, age: nil), persists: persists)
        settings.expect = seconds.map { $0 * second }
        _ = try bench.answer {
            bench.bus.register(topic, settings: settings, by: .unknown, then: $0)
        }
    }

    private static func pass(_ seconds: Double, on bench: StoreBench) throws {
        bench.clock.advance(seconds: seconds)
        bench.bus.sweep()
        // Everything that a sweep asked for is answered before it.
        try bench.publish("other", "x")
    }

    private static func types(_ bench: StoreBench) throws -> [String] {
        try bench.follow("a", from: .earliest).events.map { $0.metadata.type ?? "-" }
    }

    private static func isSilent(_ bench: StoreBench) throws -> Bool {
        bench.bus.description(of: try TopicName("a"))?.silentSince != nil
    }

    @Test func aSilenceOutlivesStopsAndKillsAndIsToldOnce() throws {
        var bench = try Self.bench()
        try Self.expect(600, on: bench)
        try bench.publish("a", "x")
        bench = try bench.killed()
        try Self.pass(599, on: bench)
        #expect(try Self.types(bench) == ["-"])
        try Self.pass(1, on: bench)
        #expect(try Self.types(bench) == ["-", "$silent"] && Self.isSilent(bench))
        bench = try bench.killed()
        try Self.pass(10_000, on: bench)
        #expect(try Self.types(bench) == ["-", "$silent"] && Self.isSilent(bench))
        #expect(bench.bus.statistics.silent == 1)
        // A life that ends between the event and the announcement leaves that to the next one.
        try bench.publish("a", "y")
        bench = try bench.killed()
        try Self.pass(0, on: bench)
        #expect(try Self.types(bench) == ["-", "$silent", "-", "$back"])
        #expect(try !Self.isSilent(bench))
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func announcementsTakeNoPlaceOfTheEventsThatAStoredTopicKeeps() throws {
        var bench = try Self.bench()
        try Self.expect(600, keep: 1, on: bench)
        try bench.publish("a", "x")
        try Self.pass(600, on: bench)
        bench = try bench.killed()
        #expect(try Self.types(bench) == ["-", "$silent"])
        // All of them are older than what memory has.
        try bench.publish("a", "y")
        try Self.pass(0, on: bench)
        #expect(try Self.types(bench) == ["$silent", "-", "$back"])
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
        // A file of a version that counted all alike.
        try Database(path: bench.path, mode: .writing).execute(
            "ALTER TABLE topics DROP COLUMN of_bus; PRAGMA user_version = 19")
        bench = try bench.reopened()
        #expect(try Self.types(bench) == ["$silent", "-", "$back"])
        try bench.publish("a", "z")
        try Self.pass(0, on: bench)
        #expect(try Self.types(bench) == ["$back", "-"])
    }

    @Test func rowsTellEventsOfTheBusAsMemoryDoes() throws {
        let database = try Database(path: ":memory:", mode: .writing)
        let row = try database.prepare(
            "SELECT \(EventColumns.isOfBus) FROM (SELECT ?1 AS type, ?2 AS attributes)")
        let given = [
            EventAttributes.none, try EventAttributes(text: "a=dead\n"),
            try EventAttributes(text: "deadreason=x\n"),
            try EventAttributes(text: "a=1\noriginid=7\n"),
        ]
        for type in [nil, "$silent", "$x", "x", "x$", ""] {
            for attributes in given {
                let metadata = (try? EventMetadata(type: type))?.with(attributes, expires: nil)
                guard let metadata else { continue }
                row.bind(type, at: 1)
                row.bind(attributes.isEmpty ? nil : attributes.text, at: 2)
                try #require(try row.step())
                let found = row.integer(0) != 0
                row.reset()
                #expect(found == metadata.isOfBus, "\(type ?? "none"), \(attributes.text)")
            }
        }
    }

    /// They lie behind the payload: for a large one SQLite reads all of its pages to get there.
    @Test func attributesOfPublishersAreNotReadToTellTheirEvents() throws {
        let database = try Database(path: ":memory:", mode: .writing)
        // SQLite fails when it computes these attributes.
        try database.execute(
            """
            CREATE TABLE rows (type TEXT, number INTEGER);
            INSERT INTO rows VALUES (NULL, -9223372036854775808), ('x', -9223372036854775808)
            """)
        let found = try database.integer(
            """
            SELECT sum(\(EventColumns.isOfBus))
            FROM (SELECT type, abs(number) AS attributes FROM rows)
            """)
        #expect(found == 0)
    }

    @Test func aBusThatWasOffGivesPublishersTheChanceToBeHeard() throws {
        var bench = try Self.bench()
        try Self.expect(3_600, on: bench)
        bench.close()
        bench.clock.advance(seconds: 100_000)
        bench = try bench.reopened()
        try Self.pass(299, on: bench)
        #expect(try Self.types(bench).isEmpty)
        try Self.pass(1, on: bench)
        #expect(try Self.types(bench) == ["$silent"])
    }

    @Test func aClockThatIsSetMakesNoSilence() throws {
        var settings = StoreBench.Settings()
        settings.boot = BootClock(boot: "b") { 7 }
        let bench = try StoreBench(settings)
        try Self.expect(60, on: bench)
        try Self.pass(1_000_000, on: bench)
        #expect(try Self.types(bench).isEmpty)
        try Self.pass(-2_000_000, on: bench)
        #expect(try Self.types(bench).isEmpty)
    }

    /// Its events are lost with the process, so the next life does not know when the last one was.
    @Test func aTopicThatDoesNotPersistHasItsFullTimeAfterAStart() throws {
        var bench = try Self.bench()
        try Self.expect(600, persists: false, on: bench)
        for _ in 0..<3 {
            try Self.pass(500, on: bench)
            try bench.publish("a", "x")
        }
        #expect(try Self.types(bench) == ["-", "-", "-"])
        bench = try bench.killed()
        try Self.pass(599, on: bench)
        #expect(try !Self.isSilent(bench))
        try Self.pass(1, on: bench)
        #expect(try Self.isSilent(bench))
        try bench.publish("a", "y")
        try Self.pass(0, on: bench)
        #expect(try Self.types(bench) == ["$silent", "-", "$back"])
    }

    /// A full disk takes no announcement. Once there is room it comes once.
    @Test func anAnnouncementThatFailsComesLater() throws {
        let (clock, disk) = (ManualClock(), Disk())
        var settings = StoreBench.Settings(sync: .full, disk: disk)
        settings.boot = BootClock(boot: "b") { clock.now().microseconds }
        let bench = try StoreBench(clock: clock, settings)
        try Self.expect(60, on: bench)
        disk.fail(.write, SQLITE_FULL, partial: true)
        for _ in 0..<3 {
            clock.advance(seconds: 60)
            bench.bus.sweep()
            #expect(throws: BusError.self) { try bench.publish("other", "x") }
        }
        #expect(try Self.types(bench).isEmpty && !Self.isSilent(bench))
        disk.heal()
        while try Self.types(bench).isEmpty { try Self.pass(1, on: bench) }
        try Self.pass(60, on: bench)
        #expect(try Self.types(bench) == ["$silent"])
    }
}
