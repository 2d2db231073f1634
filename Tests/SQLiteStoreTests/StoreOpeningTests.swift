import CSQLite
import Glibc
import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct StoreOpeningTests {
    /// What opening a file says, which has to be refused.
    private static func refusal(
        _ folder: TemporaryFolder, _ settings: StoreBench.Settings = StoreBench.Settings()
    ) -> String {
        do {
            _ = try StoreBench(in: folder, settings)
        } catch let error as StoreError {
            return error.detail
        } catch {
            return "\(error)"
        }
        Issue.record("it was opened")
        return ""
    }

    private static func execute(_ sql: String, in folder: TemporaryFolder) throws {
        try Database(path: "\(folder.path)/belfry.db", mode: .creating).execute(sql)
    }

    @Test func aStoreThatIsInUseIsRefusedAndFreeAgainAfterwards() throws {
        let bench = try StoreBench()
        let detail = Self.refusal(bench.folder)
        #expect(detail.contains("is in use by another bus") && detail.contains("stop that one"))
        let linked = TemporaryFolder(inMemory: true)
        symlink(bench.path, "\(linked.path)/belfry.db")
        #expect(Self.refusal(linked).contains("is in use by another bus"))
        try bench.publish("a", "x")
        #expect(try bench.reopened().follow("a", from: .earliest).ids.count == 1)
    }

    @Test func whatIsNoStoreIsRefusedAndLeftAlone() throws {
        let text = TemporaryFolder(inMemory: true)
        let path = text.write(String(repeating: "no database\n", count: 1_000), to: "belfry.db")
        let before = Files.read(path)
        #expect(Self.refusal(text).contains("is no database"))
        #expect(Files.read(path) == before)
        let other = TemporaryFolder(inMemory: true)
        try Self.execute("CREATE TABLE mails (id INTEGER PRIMARY KEY)", in: other)
        #expect(Self.refusal(other).contains("is a database of another program"))
        let missing = TemporaryFolder(inMemory: true)
        rmdir(missing.path)
        #expect(Self.refusal(missing).contains("See to it that its folder exists"))
    }

    @Test func aDamagedStoreIsRefusedWithWhatIsWrong() throws {
        let bench = try StoreBench()
        for index in 0..<400 { try bench.publish("t\(index % 7)", "event \(index)") }
        bench.close()
        let whole = try #require(Files.read(bench.path))
        var random = SeededRandom(for: "damage")
        var refused = 0
        for _ in 0..<20 {
            var bytes = whole
            let page = Int.random(in: 1..<(bytes.count / 4_096), using: &random) * 4_096
            for index in page..<(page + 4_096) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            let folder = TemporaryFolder(inMemory: true)
            Files.write(bytes, to: "\(folder.path)/belfry.db")
            do {
                _ = try StoreBench(in: folder)
            } catch let error as StoreError {
                refused += 1
                #expect(
                    error.detail.contains("is damaged (")
                        && error.detail.contains("restore a backup"))
            }
        }
        // A page that lies free may hold anything.
        #expect(refused > 10)
    }

    @Test func aNewerStoreIsRefusedWithAdvice() throws {
        let bench = try StoreBench()
        try bench.publish("a", "x")
        bench.close()
        try Self.execute("PRAGMA user_version = 99", in: bench.folder)
        let detail = Self.refusal(bench.folder)
        #expect(detail.contains("was written by a newer belfryd") && detail.contains("99"))
        try Self.execute("PRAGMA user_version = \(Schema.current.version)", in: bench.folder)
        #expect(try bench.reopened().follow("a", from: .earliest).ids.count == 1)
    }

    @Test(arguments: [-1, Int(Int32.min)])
    func aVersionThatThereCannotBeIsRefused(version: Int) throws {
        let bench = try StoreBench()
        bench.close()
        try Self.execute("PRAGMA user_version = \(version)", in: bench.folder)
        #expect(Self.refusal(bench.folder).contains("is damaged (its version is \(version))"))
        let empty = TemporaryFolder(inMemory: true)
        try Self.execute("PRAGMA user_version = \(version)", in: empty)
        #expect(Self.refusal(empty).contains("is a database of another program"))
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal", "-life"])
    func aFileThatIsNoRegularOneIsRefusedAtOnce(suffix: String) throws {
        let bench = try StoreBench()
        try bench.publish("a", "x")
        bench.close()
        let path = "\(bench.path)\(suffix)"
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        // On a thread that can be left behind: nobody opens the other end.
        try inParallel(1, within: .seconds(60)) { _ in
            #expect(Self.refusal(bench.folder).contains("\(path) is no regular file"))
            #expect(throws: StoreError.self) { try SQLiteStore.check(bench.path) }
            guard suffix != "-life" else { return }
            #expect(throws: StoreError.self) {
                try SQLiteStore.backUp(bench.path, to: "\(bench.path).copy")
            }
        }
    }

    @Test func aLinkInThePlaceOfTheLockFileIsNotFollowed() throws {
        let bench = try StoreBench()
        bench.close()
        let folder = TemporaryFolder(inMemory: true)
        let other = "\(folder.path)/other"
        for isThere in [false, true] {
            if isThere { Files.write([], to: other) }
            unlink("\(bench.path)-life")
            symlink(other, "\(bench.path)-life")
            #expect(Self.refusal(bench.folder).contains("-life is no regular file"))
            #expect((access(other, F_OK) == 0) == isThere && Files.size(other) == 0)
        }
    }

    @Test func everyOlderVersionIsBroughtToThisOneWithAllItsEvents() throws {
        for version in 1..<Schema.current.steps.count {
            let folder = TemporaryFolder(inMemory: true)
            let older = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
            try Schema(steps: Array(Schema.current.steps.prefix(version))).migrate(older)
            // What each version has had from the first on.
            try older.execute(
                """
                INSERT INTO bus (only_row, identity, life, is_copy, is_closed, ceiling, time, floor,
                    floor_time, seals)
                VALUES (1, 'older', 1, 0, 1, 101, 5, 0, 0, 0);
                INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events,
                    bytes)
                VALUES ('a', 0, 1, 0, 0, 0, 1, 1);
                INSERT INTO events (id, topic, time, payload) VALUES (100, 1, 5, x'78')
                """)
            // Events that are held, of the versions that can.
            let holds = version >= 15
            if holds {
                try older.execute(
                    """
                    INSERT INTO later (ticket, topic, due, count, bytes)
                    VALUES (90, 'b', 4102444800000000, 1, 1);
                    INSERT INTO held (id, payload) VALUES (90, x'7A')
                    """)
            }
            let path = "\(folder.path)/belfry.db"
            #expect(try SQLiteStore.check(path) == [])
            try SQLiteStore.backUp(path, to: "\(folder.path)/older.db")
            let bench = try StoreBench(in: folder)
            #expect(bench.bus.laterCount == (holds ? 1 : 0))
            let id = try bench.publish("a", "y")[0]
            #expect(
                try bench.follow("a", from: .earliest).ids == [EventID(rawValue: 100), id])
            bench.close()
            let database = try Database(path: bench.path, mode: .reading)
            #expect(try database.integer("PRAGMA user_version") == Schema.current.version)
            #expect(
                try database.texts("SELECT topic || ' ' || payload FROM log") == ["a x", "a y"])
            #expect(try SQLiteStore.check(bench.path) == [])
            try SQLiteStore.backUp(path, to: "\(folder.path)/newer.db")
            for copy in ["older", "newer"] {
                #expect(try SQLiteStore.check("\(folder.path)/\(copy).db") == [])
            }
        }
    }

    @Test func lettersOfAnOlderFileGoInTheNameOfTheMaker() throws {
        let folder = TemporaryFolder(inMemory: true)
        let database = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
        try Schema(steps: Array(Schema.current.steps.prefix(6))).migrate(database)
        for (number, dead) in [(1, "'failed'"), (2, "NULL")] {
            try database.execute(
                """
                INSERT INTO groups (number, name, selector, lease, attempts, dead, by_key, in_flight,
                    replies, persists, owner, epoch, reach, gap_reported, done, failed, gone, expired)
                VALUES (\(number), 'g\(number)', 'jobs', 1, 1, \(dead), 0, 1, 0, 1, 1002, 1, 0, 0, 0,
                    0, 0, 0)
                """)
        }
        try Schema.current.migrate(database)
        let choosers = try GroupLoading.load(database, BootMark()).map(\.record.deadChooser)
        #expect(choosers == [StoredCaller(uid: 1_002, token: nil), nil])
    }

    /// A file of before says how long a span is, and not when it began.
    @Test func spansOfAnOlderFileBeginWithTheFirstStartOfThisVersion() throws {
        let folder = TemporaryFolder(inMemory: true)
        let database = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
        try Schema(steps: Array(Schema.current.steps.prefix(8))).migrate(database)
        try database.execute(
            """
            INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events,
                bytes)
            VALUES ('a', 1, 1, 0, 0, 0, 0, 0);
            INSERT INTO groups (number, name, selector, lease, attempts, by_key, in_flight, replies,
                persists, epoch, reach, gap_reported, done, failed, gone, expired)
            VALUES (7, 'g', 'a', 1, 1, 0, 1, 0, 1, 1, 9, 0, 0, 0, 0, 0);
            INSERT INTO jobs (in_group, id, topic, attempt, due, lease, token_high, token_low)
            VALUES (7, 1, 1, 1, NULL, 6000000, 1, 1), (7, 2, 1, 1, 5000000, NULL, NULL, NULL)
            """)
        for seconds: Int64 in [100, 103, 109] {
            let boot = BootClock(boot: "b") { seconds * 1_000_000 }
            let rig = try StoreRig(.sqlite, in: folder, boot: boot)
            #expect(rig.contents.groups[0].jobs.map(\.until) == [106_000_000, 105_000_000])
            rig.close()
        }
        #expect(try SQLiteStore.check("\(folder.path)/belfry.db") == [])
    }

    /// Before version 10 a mark behind the letter alone said that it was published again.
    @Test func marksOfAnOlderFileCountForTheLettersOfTheirTopic() throws {
        let folder = TemporaryFolder(inMemory: true)
        let database = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
        try Schema(steps: Array(Schema.current.steps.prefix(9))).migrate(database)
        try database.execute(
            """
            INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events, bytes)
            VALUES ('dead', 0, 1, 0, 0, 0, 5, 2), ('other', 0, 1, 0, 0, 0, 2, 1);
            INSERT INTO groups (number, name, selector, lease, attempts, dead, by_key, in_flight,
                replies, persists, epoch, reach, gap_reported, done, failed, gone, expired)
            VALUES (7, 'g', 'jobs', 1, 1, 'dead', 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0),
                (8, 'h', 'jobs', 1, 1, 'dead', 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0);
            INSERT INTO events (id, topic, time, type, key, payload) VALUES
                (1, 1, 5, NULL, NULL, x'78'), (2, 1, 5, NULL, NULL, x'78'),
                (3, 2, 5, NULL, NULL, x'78'), (4, 1, 5, 'revived', '1', x''),
                (5, 1, 5, 'revived', '3', x''), (6, 1, 5, 'revived', 'none', x''),
                (7, 2, 5, 'revived', '2', x'')
            """)
        try Schema.current.migrate(database)
        #expect(try database.texts("SELECT id FROM events WHERE revived = 1") == ["1"])
        #expect(try database.texts("SELECT id FROM events WHERE revived IS NOT NULL") == ["1"])
    }

    /// Before version 11 only the oldest unsettled job of a key had a row, or a mark in its place.
    @Test func jobsThatWereParkedInAnOlderFileHaveRows() throws {
        let folder = TemporaryFolder(inMemory: true)
        let database = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
        try Schema(steps: Array(Schema.current.steps.prefix(10))).migrate(database)
        try database.execute(
            """
            INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events, bytes)
            VALUES ('jobs.a', 0, 1, 0, 0, 0, 5, 5), ('jobs.b', 0, 1, 4, 0, 0, 2, 2),
                ('other', 0, 1, 0, 0, 0, 1, 1);
            INSERT INTO groups (number, name, selector, type, lease, attempts, by_key, in_flight,
                replies, persists, epoch, reach, gap_reported, done, failed, gone, expired)
            VALUES (7, 'g', 'jobs.*', NULL, 1, 1, 1, 1, 0, 1, 1, 10, 0, 0, 0, 0, 0),
                (8, 'typed', 'jobs.a', 'new', 1, 1, 1, 1, 0, 1, 1, 10, 0, 0, 0, 0, 0),
                (9, 'unordered', 'jobs.*', NULL, 1, 1, 0, 1, 0, 1, 1, 10, 0, 0, 0, 0, 0);
            INSERT INTO events (id, topic, time, type, key, payload) VALUES
                (1, 1, 5, NULL, 'k', x'78'), (2, 1, 5, NULL, 'l', x'78'),
                (3, 3, 5, NULL, 'k', x'78'), (4, 2, 5, NULL, 'k', x'78'),
                (5, 2, 5, NULL, 'k', x'78'), (6, 1, 5, 'new', 'k', x'78'),
                (7, 1, 5, NULL, 'm', x'78'), (8, 1, 5, NULL, NULL, x'78'),
                (9, 1, 5, 'new', 'l', x'78'), (11, 1, 5, NULL, 'k', x'78');
            INSERT INTO jobs (in_group, id, topic, key, attempt, due) VALUES
                (7, 1, 1, 'k', 1, 0), (7, 2, 0, 'l', 0, NULL), (8, 6, 1, 'k', 1, 0),
                (9, 1, 1, NULL, 1, 0)
            """)
        try Schema.current.migrate(database)
        let groups = try GroupLoading.load(database, BootMark())
        let found = groups.map { $0.jobs.map { "\($0.id) \($0.topic) \($0.key ?? "-")" } }
        #expect(
            found == [
                ["1 jobs.a k", "5 jobs.b k", "6 jobs.a k", "9 jobs.a l"], ["6 jobs.a k"],
                ["1 jobs.a -"],
            ])
        #expect(groups[0].jobs.map(\.attempt) == [1, 0, 0, 0])
    }

    @Test(arguments: [6, 7])
    func aHoldOfAnOlderFileIsForTheGroupOfItsNameIfThereIsOne(version: Int) throws {
        let folder = TemporaryFolder(inMemory: true)
        let database = try Database(path: "\(folder.path)/belfry.db", mode: .creating)
        try Schema(steps: Array(Schema.current.steps.prefix(version))).migrate(database)
        for (topic, hold) in [("a", "'g'"), ("b", "'gone'"), ("c", "NULL")] {
            try database.execute(
                """
                INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events,
                    bytes, hold)
                VALUES ('\(topic)', 1, 1, 0, 0, 0, 0, 0, \(hold))
                """)
        }
        try database.execute(
            """
            INSERT INTO groups (number, name, selector, lease, attempts, by_key, in_flight, replies,
                persists, epoch, reach, gap_reported, done, failed, gone, expired)
            VALUES (7, 'g', 'a', 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0)
            """)
        try Schema.current.migrate(database)
        let holds = try TopicLoading.load(database, at: nil).topics.map(\.state).sorted {
            $0.number < $1.number
        }.map(\.settings?.hold)
        #expect(holds == [TopicHolder(group: GroupNumber(rawValue: 7), name: "g"), nil, nil])
    }

    @Test func everyAttributeHasAColumnOfItsOwnInTheTableTheViewAndThePage() throws {
        let bench = try StoreBench()
        bench.close()
        let database = try Database(path: bench.path, mode: .creating)
        let values = MetadataField.allCases.map { "'\($0)'" }.joined(separator: ", ")
        let columns = MetadataField.allCases.map(EventColumns.name)
        try database.execute(
            """
            INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events, bytes)
            VALUES ('a', 0, 1, 0, 0, 0, 1, 1);
            INSERT INTO events (id, topic, time, payload, \(columns.joined(separator: ", ")))
            VALUES (100, 1, 5, x'78', \(values))
            """)
        let page = try PackageFiles.text("docs/storage.md")
        for (field, column) in zip(MetadataField.allCases, columns) {
            #expect(try database.texts("SELECT \(column) FROM log") == ["\(field)"])
            #expect(page.contains("`\(column)`"))
        }
    }

    @Test func aStepThatFailsLeavesTheVersionThatWasBeforeAllSteps() throws {
        var bench = try StoreBench()
        let ids = try bench.publish("a", "x")
        bench.close()
        let broken = Schema(
            steps: Schema.current.steps + [
                "CREATE TABLE more (a);", "CREATE TABLE extra (a); CREATE TABLE bus (a);",
            ])
        let detail = Self.refusal(bench.folder, StoreBench.Settings(schema: broken))
        #expect(detail.contains("cannot be used"))
        bench = try bench.reopened()
        #expect(try bench.follow("a", from: .after(ids[0].before)).ids == ids)
    }

    @Test func aStoreOfWhichOnlyTheFileIsLeftStillHasItsEventsAndTellsAGap() throws {
        let bench = try StoreBench()
        let ids = try bench.publish("a", "x", "y")
        bench.close()
        unlink("\(bench.path)-life")
        let again = try bench.reopened()
        let received = try again.follow("a", from: .after(ids[0]))
        #expect(received.gaps.count == 1 && received.ids == [ids[1]])
    }

    @Test func aMillionIdsAheadAreOnTheDiskBeforeOneIsGiven() throws {
        let bench = try StoreBench()
        let id = try bench.publish("a", "x")[0].rawValue
        let record = try #require(LifeRecord(Files.read("\(bench.path)-life") ?? []))
        #expect(record.ceiling > id && record.ceiling <= id + 2 * Limits.idsAhead)
        let reader = try Database(path: bench.path, mode: .reading)
        #expect(UInt64(try reader.integer("SELECT ceiling FROM bus")) == record.ceiling)
    }

    @Test func aRaisedCeilingIsOnTheDiskInTheStoreAndBesideIt() throws {
        let folder = TemporaryFolder(inMemory: true)
        let settings = StoreBench.Settings()
        let opening = try StoreOpening(
            StoreBench.configuration(folder, settings), schema: .current, ceiling: nil,
            following: nil, bootClock: .system, now: ManualClock().now(), vfs: nil)
        var ledger = opening.ledger
        var ids = ledger.ids
        let wanted = Int(Limits.idsAhead) * 3
        try ledger.raise(&ids, by: wanted)
        #expect(ids.has(wanted))
        let path = "\(folder.path)/belfry.db"
        let record = try #require(LifeRecord(Files.read("\(path)-life") ?? []))
        #expect(record.ceiling == ids.ceiling)
        let reader = try Database(path: path, mode: .reading)
        #expect(UInt64(try reader.integer("SELECT ceiling FROM bus")) == ids.ceiling)
    }

    /// Nothing but the ceiling tells of ids that left no row.
    @Test func aStoreAloneWithTheClockSetBackGivesNoIDTwice() throws {
        let bench = try StoreBench()
        try bench.register("signals", persists: false)
        let given = try bench.publish("signals", "x")[0]
        let folder = TemporaryFolder(inMemory: true)
        for name in ["belfry.db", "belfry.db-wal"] {
            Files.copy("\(bench.folder.path)/\(name)", to: "\(folder.path)/\(name)")
        }
        let again = try StoreBench(in: folder, clock: ManualClock(microseconds: 1_000))
        #expect(try again.publish("a", "y")[0] > given)
    }

    /// Of what nothing was written to, the record goes with its holder: whoever opened it before
    /// must not take it for the one that comes after.
    @Test func aStoreIsHeldByOneAtATimeHoweverManyOpenAndLeaveIt() throws {
        let folder = TemporaryFolder(inMemory: true)
        let path = "\(folder.path)/belfry.db"
        Files.write([], to: path)
        let holders = Protected(0)
        let counts = Protected((held: 0, most: 0))
        // As often as goes in some seconds, which is less often under a sanitizer.
        let end = ContinuousClock.now + .seconds(4)
        try inParallel(8) { _ in
            for _ in 0..<10_000 where ContinuousClock.now < end {
                guard let file = try? StoreFile(existing: path) else { continue }
                let now = holders.write {
                    $0 += 1; return $0
                }
                counts.write { $0 = ($0.held + 1, max($0.most, now)) }
                for _ in 0..<20 { sched_yield() }
                holders.write { $0 -= 1 }
                withExtendedLifetime(file) {}
            }
        }
        #expect(counts.value.held > 0 && counts.value.most == 1)
    }
}
