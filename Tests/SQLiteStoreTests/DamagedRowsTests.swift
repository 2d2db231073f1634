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
    /// Values at the ends of what SQLite can hold, and of another kind.
    static let extremes = [
        "-9223372036854775808", "9223372036854775807", "-1", "9007199254740992", "'text'", "NULL",
    ]

    /// A store with a row in every table, closed; its tables take values of every kind.
    private static func store() throws -> StoreBench {
        let bench = try StoreBench()
        try bench.register("a", keep: 100, bytes: 1_000, age: 1_000_000_000_000)
        let ids = try bench.publish("a", "x", "y", "z")
        let keyed = PublishBatch(
            topic: try TopicName("b"), metadata: .none, sender: Sender(uid: 7, pid: nil),
            payloads: [.empty],
            idempotencyKey: IdempotencyKey(
                IdempotencyKey.Identity(high: 1, low: 2), print: 3, number: 4, windowSeconds: 900))
        _ = try bench.answer { bench.bus.publish(keyed, then: $0) }
        var record = WorkSamples.record("g", reach: ids[2].rawValue)
        record.gap = Gap(after: ids[0], through: ids[1])
        record.owner = 7
        let jobs = [
            try WorkSamples.leased(ids[0], "a", token: 1), try WorkSamples.waiting(ids[1], "a"),
        ]
        let change = WorkSamples.change(1, record: record, open: jobs)
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        let later = PublishBatch(
            topic: try TopicName("b"), sender: Sender(uid: 7, pid: 8), payloads: [.empty])
        let second = bench.clock.now().advanced(microseconds: 1_000_000)
        for moment in [DueTime.at(second), .after(microseconds: 1_000_000_000)] {
            let held = HeldBatch(later, ttl: 5, at: moment)
            _ = try bench.answer { bench.bus.hold(held, then: $0) }
        }
        let daily = Schedule(every: 86_400_000_000, name: "daily", print: 1)
        let scheduled = HeldBatch(later, ttl: 5, at: .at(second), schedule: daily)
        _ = try bench.answer { bench.bus.hold(scheduled, then: $0) }
        bench.close()
        try loosen(bench.path)
        // A life that goes on would remove it soon.
        try Database(path: bench.path, mode: .writing).execute(
            "INSERT INTO later_removed (topic, through) VALUES ('c', 5)")
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
                WHERE type = 'table' AND name IN ('bus', 'topics', 'events', 'groups', 'jobs', 'keys', 'later', 'held',
                    'later_removed');
            PRAGMA writable_schema = RESET
            """)
    }

    /// Whether a column can hold a value at all: a key is a number, whatever its table says.
    private static func set(
        _ column: NumberColumn, to value: String, in path: String
    ) throws -> Bool {
        let database = try Database(path: path, mode: .writing)
        // The other rows stay as they are; the one that has no number of its own is a lease.
        let row =
            column.table.description == "jobs"
            ? "token_low IS NOT NULL" : "rowid = (SELECT max(rowid) FROM \(column.table))"
        try database.execute(
            "UPDATE \(column.table) SET \(column.name) = \(value) WHERE \(row)")
        return database.changes > 0
    }

    private static func isAllowed(_ value: String, in column: NumberColumn) -> Bool {
        value == "NULL" ? column.isOptional : Int64(value).map(column.range.contains) ?? false
    }

    @Test func everyColumnOfNumbersHasItsRange() throws {
        let bench = try StoreBench()
        bench.close()
        let database = try Database(path: bench.path, mode: .reading)
        let columns = try database.texts(
            """
            SELECT m.name || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND c.type = 'INTEGER' AND c.name <> 'only_row'
            """)
        #expect(Set(columns) == Set(NumberColumn.all.map { "\($0.table).\($0.name)" }))
        #expect(columns.count == NumberColumn.all.count)
    }

    /// Texts that the tables of what is held and remembered may have, and the finding of each.
    @Test(arguments: [
        ("keys", "topic = '*'", "the table keys names a topic '*'"),
        ("later", "topic = 'a b'", "the table later names a topic 'a b'"),
        ("later_removed", "topic = '>'", "the table later_removed names a topic '>'"),
        ("later_removed", "topic = NULL", "the table later_removed names a topic ''"),
        ("held", "key = ' x'", "held event"), ("held", "attributes = 'none'", "held event"),
    ])
    func aTextThatNothingCanHaveRefusesAStart(table: String, change: String, finding: String)
        throws
    {
        let bench = try Self.store()
        try Database(path: bench.path, mode: .writing).execute("UPDATE \(table) SET \(change)")
        let findings = try SQLiteStore.check(bench.path)
        #expect(findings.contains { $0.hasPrefix(finding) }, "\(findings)")
        #expect(throws: StoreError.self) { try StoreBench(in: bench.folder, clock: bench.clock) }
    }

    @Test func aStoreThatIsWholeHasNothingOutOfRange() throws {
        let bench = try Self.store()
        #expect(try SQLiteStore.check(bench.path) == [])
        #expect(try bench.reopened().follow("a", from: .earliest).ids.count == 3)
    }

    /// Every column at every extreme: a check says it, and a start is refused or serves on.
    @Test(arguments: extremes)
    func noValueOfAColumnEndsTheProcess(value: String) throws {
        let whole = try Self.store()
        for column in NumberColumn.all {
            let name = "\(column.table).\(column.name) = \(value)"
            let folder = TemporaryFolder(inMemory: true)
            let path = "\(folder.path)/belfry.db"
            for suffix in ["", "-life"] {
                Files.copy("\(whole.path)\(suffix)", to: "\(path)\(suffix)")
            }
            guard (try? Self.set(column, to: value, in: path)) == true else {
                let isKey = ["number", "id", "in_group", "ticket"].contains(column.name.description)
                #expect(isKey && Int64(value) == nil, "\(name) was not written")
                continue
            }
            let findings = try SQLiteStore.check(path)
            if !Self.isAllowed(value, in: column) {
                #expect(findings.contains { $0.contains(" \(column.name) ") }, "\(name)")
            }
            do {
                let bench = try StoreBench(in: folder, clock: whole.clock)
                try Self.use(bench)
                bench.close()
                _ = try SQLiteStore.check(path)
            } catch let error as StoreError {
                #expect(
                    error.detail.contains("is damaged (") || error.detail.contains("ids end at"),
                    "\(name): \(error.detail)")
            }
        }
    }

    /// What readers, publishers and retention do with a store that serves.
    private static func use(_ bench: StoreBench) throws {
        _ = bench.bus.takeStoredGroups()
        for start in [
            StartPosition.earliest, .latest, .last(2), .ago(microseconds: 1_000),
            .time(Timestamp(microseconds: 0)),
        ] {
            _ = try? bench.follow("a", from: start)
            _ = try? bench.follow(">", from: start)
        }
        _ = try? bench.publish("a", "more")
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        _ = try? bench.register("a", keep: 1)
        _ = try? bench.register("b")
        bench.bus.sweep()
        _ = bench.bus.statistics
        _ = try? bench.description("a")
        _ = try? bench.remove("a")
    }

    @Test(arguments: ["until = -1", "until = 9223372036854775807", "boot = -1", "due = -1"])
    func aSpanThatMakesNoSenseRefusesAStart(damage: String) throws {
        let bench = try Self.store()
        try Database(path: bench.path, mode: .writing).execute(
            "UPDATE jobs SET \(damage) WHERE token_low IS NULL")
        let column = damage.prefix { $0 != " " }
        #expect(try SQLiteStore.check(bench.path).contains { $0.contains(" has \(column) ") })
        let error = #expect(throws: StoreError.self) { try bench.reopened() }
        #expect(error?.detail.contains("a row of jobs has \(column) ") == true)
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

    @Test func aLifeRecordOfALifeThatThereCannotBeIsNone() throws {
        func isRead(_ life: Int64) -> Bool {
            let record = LifeRecord(
                identity: "abc", life: life, ceiling: 9, isClosed: true, isSynced: true, boot: "")
            return LifeRecord(record.bytes) == record
        }
        #expect(isRead(0) && isRead(7) && isRead(Limits.counts.upperBound))
        for life in [Int64.min, -1, Limits.counts.upperBound + 1, .max] { #expect(!isRead(life)) }
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
        "attributes = 'no attribute'", "time = 9223372036854775807", "uid = -1", "pid = 4294967296",
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
