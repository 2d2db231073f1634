import Protection
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Rows whose values SQLite finds nothing wrong with, and that make no sense: no start and no reader
/// computes with one of them, and `--check-store` says each.
@Suite(.blocking) struct DamagedRowsTests {
    /// A store with a row in every table, closed; its tables take values of every kind.
    private static func store() throws -> StoreBench {
        let bench = try StoreBench()
        try bench.register("a", keep: 100, bytes: 1_000, age: 1_000_000_000_000)
        let ids = try bench.publish("a", "x", "y", "z")
        var record = WorkSamples.record("g", reach: ids[2].rawValue)
        record.gap = Gap(after: ids[0], through: ids[1])
        record.owner = 7
        let jobs = [
            try WorkSamples.leased(ids[0], "a", token: 1), try WorkSamples.waiting(ids[1], "a"),
        ]
        let change = WorkSamples.change(1, record: record, open: jobs)
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        bench.close()
        try loosen(bench.path)
        return bench
    }

    /// Takes the words from the tables that keep other values out.
    private static func loosen(_ path: String) throws {
        let database = try Database(path: path, mode: .writing)
        let words = [") STRICT", " NOT NULL", " CHECK (only_row = 1)"]
        let loose = words.reduce("sql") {
            "replace(\($0), '\($1)', '\($1.hasPrefix(")") ? ")" : "")')"
        }
        try database.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(\(loose), '), WITHOUT', ') WITHOUT')
                WHERE type = 'table' AND name IN ('bus', 'topics', 'events', 'groups', 'jobs');
            PRAGMA writable_schema = RESET
            """)
    }

    @Test func aStoreThatIsWholeHasNothingOutOfRange() throws {
        let bench = try Self.store()
        #expect(try SQLiteStore.check(bench.path) == [])
        #expect(try bench.reopened().follow("a", from: .earliest).ids.count == 3)
    }

    @Test(arguments: [String(repeating: "x", count: 300), "", "two words", "é"])
    func anIdentityThatIsNoWordIsRefused(identity: String) throws {
        let bench = try Self.store()
        try Database(path: bench.path, mode: .writing).execute(
            "UPDATE bus SET identity = '\(identity)'")
        #expect(try SQLiteStore.check(bench.path).contains { $0.contains("identity") })
        let error = #expect(throws: StoreError.self) { try bench.reopened() }
        #expect(error?.detail.contains("is damaged (the store's identity is") == true)
    }

    @Test func aCountThatTheFileHasNoRoomForIsRefused() throws {
        for sql in ["events = 1000000000", "bytes = 1000000000000"] {
            let bench = try Self.store()
            try Database(path: bench.path, mode: .writing).execute("UPDATE topics SET \(sql)")
            let error = #expect(throws: StoreError.self) { try bench.reopened() }
            #expect(error?.detail.contains("for which the file is too small") == true)
        }
    }

    @Test func aTopicThatCountsTooFewIsTrimmedAndNeverCountsLessThanNothing() throws {
        let bench = try Self.store()
        try Database(path: bench.path, mode: .writing).execute(
            "UPDATE topics SET events = 1, bytes = 0")
        let again = try bench.reopened()
        try again.register("a", keep: 0)
        #expect(try again.settles("a") { $0?.events ?? 0 <= 0 })
        again.close()
        let database = try Database(path: bench.path, mode: .reading)
        let least = try database.integer("SELECT min(min(events), min(bytes)) FROM topics")
        #expect(least >= 0)
    }

    // MARK: Events

    /// What may be wrong with one event.
    static let damages = [
        "type = printf('%.300c', 'x')", "key = ' x'", "content_type = char(7)",
        "attributes = 'no label'", "time = 9223372036854775807", "uid = -1", "pid = 4294967296",
        "expires = -9223372036854775808",
    ]

    /// One event that makes no sense is no reason to keep the others from their readers.
    @Test(arguments: damages)
    func aDamagedEventIsAGapAndALineAndTheOthersAreThere(damage: String) throws {
        let bench = try StoreBench()
        let ids = try bench.publish("a", "0", "1", "2", "3")
        bench.close()
        try Database(path: bench.path, mode: .writing).execute(
            "UPDATE events SET \(damage) WHERE id = \(ids[1])")
        #expect(try SQLiteStore.check(bench.path).contains { $0.hasPrefix("event \(ids[1])") })
        let lines = Protected<[String]>([])
        let store = SQLiteStore(
            StoreBench.configuration(bench.folder, StoreBench.Settings()),
            log: Log(level: .error) { _, line in lines.write { $0.append("\(line)") } })
        let again = try StoreBench(on: store, in: bench.folder, clock: bench.clock)
        for selector in ["a", ">"] {
            let received = try again.follow(selector, from: .earliest)
            #expect(received.ids == [ids[0], ids[2], ids[3]])
            #expect(received.gaps == [Gap(after: ids[0], through: ids[1])])
        }
        #expect(lines.value.count == 1 && lines.value[0].contains("event \(ids[1])"))
        #expect(lines.value[0].contains("is damaged"))
        let first = try again.follow("a", from: .after(ids[0]))
        #expect(first.ids == [ids[2], ids[3]] && first.gaps.count == 1)
        #expect(try again.follow("a", from: .after(ids[1])).gaps.isEmpty)
    }

    @Test func allEventsAreDamagedAndAreOneGapEach() throws {
        let bench = try StoreBench()
        let ids = try bench.publish("a", "0", "1", "2")
        bench.close()
        try Database(path: bench.path, mode: .writing).execute("UPDATE events SET key = ' '")
        let again = try bench.reopened()
        let received = try again.follow("a", from: .earliest)
        #expect(received.ids.isEmpty && received.gaps.map(\.through) == ids)
        let more = try again.publish("a", "3")
        #expect(try again.follow("a", from: .after(ids[2])).ids == more)
    }
}
