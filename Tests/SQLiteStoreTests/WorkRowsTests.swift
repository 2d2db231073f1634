import CSQLite
import DiskSupport
import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// What a store keeps of work groups, and that changes of them and events are all or nothing.
@Suite(.blocking) struct WorkRowsTests {
    @Test(arguments: StoreRig.Kind.allCases)
    func entriesThatGoTogetherTakeTheirPlacesOneAfterTheOther(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        let before = try rig.publish("a", "before")[0]
        let record = WorkSamples.record("mail", reach: before.id.rawValue)
        func batch(_ topic: String, _ texts: [String]) throws -> StoreEntry {
            .events(
                PublishBatch(
                    topic: try TopicName(topic), payloads: texts.map { Payload(Array($0.utf8)) }),
                persists: true)
        }
        let receipt = try rig.commit(
            .together([
                batch("a", ["x", "y"]), .work(WorkSamples.change(1, record: record)),
                batch("b", ["z"]), .removal(try TopicName("a")),
            ]))
        guard case .together(let receipts) = receipt, receipts.count == 4,
            case .events(let first) = receipts[0], case .work = receipts[1],
            case .events(let second) = receipts[2], case .removal(let place) = receipts[3]
        else { throw StoreRig.WrongReceipt() }
        let ids = [before.id] + first.map(\.id) + second.map(\.id) + [place]
        #expect(ids.count == 5 && zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        guard case .work = try rig.commit(.work(WorkSamples.change(2, persists: false))) else {
            throw StoreRig.WrongReceipt()
        }
        guard rig.store.capabilities.keepsOlder else { return }
        let last = try rig.publish("b", "last")[0].id
        #expect(
            try rig.read(">", from: .after(.zero), through: last).map(\.id)
                == [second[0].id, last])
    }

    @Test func everyPropertyOfAGroupAndItsJobsComesBack() throws {
        var rig = try StoreRig(.sqlite)
        #expect(rig.contents.groups.isEmpty)
        let ids = try rig.publish("jobs.a", "1", "2", "3").map(\.id)
        var full = WorkSamples.record("mail", reach: ids[2].rawValue, done: 3)
        full.settings.type = "t"
        full.settings.leaseMicroseconds = 1_000_000
        full.settings.attempts = 7
        full.settings.dead = .topic(try TopicName("jobs.failed"))
        full.settings.isOrderedByKey = true
        full.settings.inFlightMax = 9
        full.settings.replies = true
        full.owner = .max
        full.deadChooser = StoredCaller(uid: .max, token: "ci")
        full.epoch = 4
        full.reportedThrough = ids[1]
        full.gap = Gap(after: .zero, through: ids[0])
        (full.tally.dead, full.tally.gone, full.tally.expired) = (4, 5, 6)
        let jobs = [
            try WorkSamples.waiting(ids[0], "jobs.a", attempt: 3),
            try WorkSamples.leased(ids[1], "jobs.a", token: .max),
            JobRecord(
                id: ids[2], topic: try TopicName("jobs.a"), key: nil, attempt: 1,
                state: .leased(
                    JobLease(
                        token: LeaseToken(high: 0, low: 0), length: 0, worker: nil, caller: nil)),
                until: 0),
        ]
        let bare = WorkSamples.record("bare")
        _ = try rig.commit(.work(WorkSamples.change(9, record: bare)))
        _ = try rig.commit(.work(WorkSamples.change(5, record: full, open: jobs)))
        rig = try rig.reopened()
        let expected = [
            StoredGroup(number: GroupNumber(rawValue: 5), record: full, jobs: jobs),
            StoredGroup(number: GroupNumber(rawValue: 9), record: bare, jobs: []),
        ]
        #expect(rig.contents.groups.map(\.whole) == expected.map(\.whole))
    }

    /// A row says when its span is over: the boot's clock alone says how much of it is left.
    @Test func spansGoOnOverAStartAndBeginOncePerBoot() throws {
        let clock = ManualClock()
        func boot(_ id: String, seconds: Int64) -> BootClock {
            BootClock(boot: id) { seconds * 1_000_000 }
        }
        var rig = try StoreRig(.sqlite, clock: clock, boot: boot("b1", seconds: 7))
        let ids = try rig.publish("a", "x", "y").map(\.id)
        let jobs = [
            try WorkSamples.leased(ids[0], "a", token: 1), try WorkSamples.waiting(ids[1], "a"),
        ]
        let record = WorkSamples.record("g", reach: ids[1].rawValue)
        _ = try rig.commit(.work(WorkSamples.change(1, record: record, open: jobs)))
        func until() -> [Int64] { rig.contents.groups[0].jobs.map(\.until) }
        clock.advance(seconds: -86_400)
        for seconds: Int64 in [8, 90] {
            rig = try rig.reopened(boot: boot("b1", seconds: seconds))
            #expect(until() == [37_000_000, 7_001_500])
        }
        // Set back, the time leaves a delay what was asked; a lease takes no notice of it.
        for seconds: Int64 in [2, 20, 300] {
            rig = try rig.reopened(boot: boot("b2", seconds: seconds))
            #expect(until() == [32_000_000, 2_001_500])
        }
        clock.advance(seconds: 86_400)
        clock.advance(microseconds: 500)
        rig = try rig.reopened(boot: boot("b3", seconds: 3))
        #expect(until() == [33_000_000, 3_001_000])
        // No boot is another one where the kernel does not say which it is.
        for seconds: Int64 in [5, 6] {
            rig = try rig.reopened(boot: boot("", seconds: seconds))
            #expect(until() == [seconds * 1_000_000 + 30_000_000, seconds * 1_000_000 + 1_000])
        }
    }

    /// Random changes, beside a table in memory, with restarts and kills in between.
    @Test(arguments: [1, 2, SeededRandom.runSeed])
    func aStartFindsWhatTheLastChangesLeft(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = try StoreBench()
        var ids = try bench.publish("a", (0..<30).map { Payload([UInt8($0)]) })
        var groups: [Int64: (record: GroupRecord, jobs: [EventID: JobRecord])] = [:]
        var numbers: Int64 = 0
        func compare() {
            let found = bench.bus.takeStoredGroups()?.map(\.whole)
            let expected = groups.sorted { $0.key < $1.key }.map { number, group in
                StoredGroup(
                    number: GroupNumber(rawValue: number), record: group.record,
                    jobs: group.jobs.values.sorted { $0.id < $1.id }
                ).whole
            }
            #expect(found == expected)
            #expect(bench.bus.takeStoredGroups() == nil)
        }
        for step in 0..<300 {
            guard let number = groups.keys.sorted().randomElement(using: &random), step % 9 > 0
            else {
                numbers += 1
                let record = WorkSamples.record("g\(numbers)")
                groups[numbers] = (record, [:])
                let change = WorkSamples.change(numbers, record: record)
                _ = try bench.answer { bench.bus.commit(change, then: $0) }
                continue
            }
            var change = WorkSamples.change(number)
            var batches: [PublishBatch] = []
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                change.removesGroup = true
                groups[number] = nil
            case 1:
                change.forgetsJobs = true
                groups[number]?.jobs = [:]
            case 2, 3:
                bench = Bool.random(using: &random) ? try bench.reopened() : try bench.killed()
                compare()
                continue
            case 4, 5:
                batches = [PublishBatch(topic: try TopicName("b"), payloads: [Payload([1])])]
            default: break
            }
            if groups[number] != nil {
                var record = WorkSamples.record("g\(number)", done: Int64(step))
                record.reach = ids[ids.count - 1]
                change.record = record
                groups[number]?.record = record
                for id in groups[number]?.jobs.keys.sorted() ?? []
                where Bool.random(using: &random) {
                    change.settled.append(id)
                    groups[number]?.jobs[id] = nil
                }
                for id in ids.shuffled(using: &random).prefix(3) {
                    let job =
                        Bool.random(using: &random)
                        ? try WorkSamples.waiting(id, "a", attempt: step)
                        : try WorkSamples.leased(id, "a", token: UInt64(step))
                    change.open.append(job)
                    groups[number]?.jobs[id] = job
                }
            }
            let receipts = try bench.answer {
                bench.bus.commit(change, publishing: batches, then: $0)
            }
            #expect(receipts.count == batches.count)
            ids += receipts.map(\.first)
        }
        bench = try bench.reopened()
        compare()
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test func aGroupWhoseProgressLivesInMemoryLeavesNoRowAndNeedsNoDisk() throws {
        let disk = Disk()
        var bench = try StoreBench(StoreBench.Settings(sync: .full, disk: disk))
        let id = try bench.publish("a", "x")[0]
        disk.fail(.write, SQLITE_FULL)
        #expect(throws: BusError.self) { try bench.publish("a", "y") }
        let job = try WorkSamples.waiting(id, "a")
        let change = WorkSamples.change(
            1, persists: false, record: WorkSamples.record("m"), open: [job])
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        disk.heal()
        bench = try bench.killed { $0.disk = nil }
        #expect(bench.bus.takeStoredGroups()?.isEmpty == true)
    }

    /// What fails at any call of the disk, whether the call did its work or not: a start finds the
    /// event and the settled job, or neither.
    @Test(arguments: Disk.Call.allCases.dropLast(), [false, true])
    func anEventAndTheJobItEndsAreThereTogetherOrNeitherIs(
        call: Disk.Call, doesItsWork: Bool
    ) throws {
        let code = call == .write ? Disk.writeError : Disk.syncError
        var failures = 0
        for skip in 0..<6 {
            let disk = Disk()
            let bench = try StoreBench(StoreBench.Settings(sync: .full, disk: disk))
            let ids = try bench.publish("a", "0", "1", "2", "3")
            let record = WorkSamples.record("g", reach: ids[3].rawValue)
            let jobs = try ids.map { try WorkSamples.waiting($0, "a") }
            let begin = WorkSamples.change(1, record: record, open: jobs)
            _ = try bench.answer { bench.bus.commit(begin, then: $0) }
            if doesItsWork {
                disk.failAfter(call, code, skip: skip, count: 1)
            } else {
                disk.fail(call, code, skip: skip, count: 1, partial: skip.isMultiple(of: 2))
            }
            var (open, letters) = (ids, [EventID]())
            for id in ids {
                let batch = PublishBatch(topic: try TopicName("dead"), payloads: [.empty])
                let end = WorkSamples.change(1, settled: [id])
                do {
                    letters += try bench.answer {
                        bench.bus.commit(end, publishing: [batch], then: $0)
                    }.map(\.first)
                    open.removeAll { $0 == id }
                } catch is BusError {
                    failures += 1
                }
                #expect(bench.bus.statistics.pendingBytes == 0)
                let copy = try bench.killed { $0.disk = nil }
                #expect(try copy.follow("dead", from: .earliest).ids == letters)
                #expect(copy.bus.takeStoredGroups()?[0].jobs.map(\.id) == open)
                copy.close()
                #expect(try SQLiteStore.check(copy.path) == [])
            }
            disk.heal()
        }
        #expect(failures > 0)
    }

    @Test func inAStoreAtItsSizeLimitJobsAreStillSettledAndNewOnesMakeRoomOfEvents() throws {
        let bench = try StoreBench(StoreBench.Settings(sizeBytesMax: 3 << 20))
        let first = try bench.publish("a", "first")[0]
        let record = WorkSamples.record("g", reach: EventID.max.rawValue)
        var ids: [EventID] = []
        // Rows of jobs alone, which nothing but settling removes, until no more of them fit.
        while true {
            let next = (0..<1_000).map {
                EventID(rawValue: first.rawValue + UInt64(ids.count + $0))
            }
            let open = try next.map { try WorkSamples.leased($0, "a", token: 1) }
            let change = WorkSamples.change(1, record: record, open: open)
            do {
                _ = try bench.answer { bench.bus.commit(change, then: $0) }
                ids += next
            } catch BusError.storeFull {
                break
            }
        }
        #expect(ids.count > 5_000)
        #expect(bench.bus.readiness == .ready)
        #expect(try bench.follow("a", from: .earliest).ids.isEmpty)
        #expect(throws: BusError.self) {
            try bench.publish("a", [Payload([UInt8](repeating: 1, count: 1 << 20))])
        }
        var done = record
        done.tally.done = Int64(ids.count)
        for part in stride(from: 0, to: ids.count, by: 500) {
            let settled = Array(ids[part..<min(part + 500, ids.count)])
            let change = WorkSamples.change(1, record: done, settled: settled)
            _ = try bench.answer { bench.bus.commit(change, then: $0) }
        }
        try bench.publish("a", [Payload([UInt8](repeating: 1, count: 1 << 20))])
        let again = try bench.reopened()
        let found = try #require(again.bus.takeStoredGroups())
        #expect(found.map(\.jobs.count) == [0] && found[0].record == done)
    }

    @Test func aJobWhoseTopicNobodyRemembersIsGone() throws {
        let bench = try StoreBench()
        let kept = try bench.publish("kept", "x")[0]
        let lost = try bench.publish("lost", "x")[0]
        let record = WorkSamples.record("g", reach: lost.rawValue)
        let jobs = [try WorkSamples.waiting(kept, "kept"), try WorkSamples.waiting(lost, "lost")]
        let change = WorkSamples.change(1, record: record, open: jobs)
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        try bench.remove("lost")
        bench.close()
        let database = try Database(path: bench.path, mode: .creating)
        try database.execute(
            "DELETE FROM topics WHERE name = 'lost'; DELETE FROM events WHERE topic = 2")
        for _ in 0..<2 {
            let again = try bench.reopened()
            let group = try #require(again.bus.takeStoredGroups()?.first)
            #expect(group.jobs == [jobs[0]] && group.record.tally.gone == 1)
            again.close()
            #expect(try SQLiteStore.check(bench.path) == [])
        }
    }

    @Test func aJobBehindOneOfAForgottenTopicIsTheOldestOfItsKey() throws {
        let bench = try StoreBench()
        let lost = try bench.publish("lost", "x")[0]
        let kept = try bench.publish("kept", "x")[0]
        let record = WorkSamples.record("g", reach: kept.rawValue)
        let parked = JobRecord(
            id: kept, topic: try TopicName("kept"), key: "k1", attempt: 0,
            state: .waiting(microseconds: 0), until: 0)
        let jobs = [try WorkSamples.leased(lost, "lost", token: 1), parked]
        let change = WorkSamples.change(1, record: record, open: jobs)
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        try bench.remove("lost")
        bench.close()
        let database = try Database(path: bench.path, mode: .creating)
        try database.execute(
            "DELETE FROM topics WHERE name = 'lost'; DELETE FROM events WHERE topic = 1")
        for _ in 0..<2 {
            let again = try bench.reopened()
            let group = try #require(again.bus.takeStoredGroups()?.first)
            #expect(group.jobs.map(\.id) == [kept] && group.jobs[0].key == "k1")
            #expect(group.record.tally.gone == 1)
            again.close()
            #expect(try SQLiteStore.check(bench.path) == [])
        }
    }

    @Test func aBackupHasTheGroupsAndACheckSaysWhatIsWrongWithThem() throws {
        let bench = try StoreBench()
        let id = try bench.publish("a", "x")[0]
        let record = WorkSamples.record("g", reach: id.rawValue)
        let job = try WorkSamples.leased(id, "a", token: 1)
        let change = WorkSamples.change(1, record: record, open: [job])
        _ = try bench.answer { bench.bus.commit(change, then: $0) }
        let elsewhere = TemporaryFolder(inMemory: true)
        let copy = "\(elsewhere.path)/belfry.db"
        try SQLiteStore.backUp(bench.path, to: copy)
        #expect(try SQLiteStore.check(copy) == [])
        let database = try Database(path: copy, mode: .creating)
        try database.execute(
            """
            INSERT INTO jobs (in_group, id, topic, attempt) VALUES (2, 7, 1, 0);
            UPDATE groups SET reach = 0
            """)
        #expect(
            try SQLiteStore.check(copy) == [
                "job 7 is of group 2, which there is not",
                "job \(id) lies above 0, which group g has taken in",
            ])
        try database.execute("DELETE FROM jobs WHERE in_group = 2; UPDATE groups SET reach = \(id)")
        let restored = try StoreBench(in: elsewhere, clock: bench.clock)
        let found = restored.bus.takeStoredGroups()
        #expect(
            found?.map(\.whole) == [
                StoredGroup(number: change.group, record: record, jobs: [job]).whole
            ])
    }
}
