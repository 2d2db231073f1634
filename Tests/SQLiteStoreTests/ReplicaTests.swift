import Glibc
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct ReplicaTests {
    private static func events(_ topic: String, _ texts: String...) throws -> StoreEntry {
        let batch = PublishBatch(
            topic: try TopicName(topic), payloads: texts.map { Payload(Array($0.utf8)) })
        return .events(batch, persists: true)
    }

    @Test func idsAndTimesComeFromTheOrderAlone() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 1))
        order.add([try Self.events("a", "x", "y"), .removal(try TopicName("b"))])
        order.add([])
        order.add([try Self.events("a", "z")])
        let outcomes = try rig.apply(order.groups).map { try $0.get().receipts }
        let base = ReplicaRig.life.base.rawValue
        guard case .events(let first) = outcomes[0][0], case .removal(let removal) = outcomes[0][1],
            case .events(let last) = outcomes[2][0]
        else {
            Issue.record("other receipts: \(outcomes)")
            return
        }
        #expect(first.map(\.id.rawValue) == [base, base + 1] && removal.rawValue == base + 2)
        #expect(last.map(\.id.rawValue) == [base + 3])
        #expect(first[0].time == order.groups[0].place.time)
        #expect(last[0].time == order.groups[2].place.time)
        #expect(outcomes[1].isEmpty)
        #expect(rig.applied == order.groups[2].place)
    }

    /// Threads, transactions, failures of the disk, ends of the process and losses of power change
    /// nothing of what groups lead to.
    @Test func replicasThatAppliedTheSameGroupsAreEqualHoweverThatCameAbout() throws {
        var random = SeededRandom(for: "replicas")
        var order = SampleOrder(random)
        try order.addSome(300)
        let (calm, troubled) = (try ReplicaRig(), try ReplicaRig())
        for group in order.groups { _ = try calm.apply([group])[0].get() }
        try Self.apply(order.groups, to: troubled, &random)
        try troubled.begin(after: .order)
        #expect(try troubled.state() == calm.state())
        // Its jobs are made up, and lie anywhere.
        let faults = try SQLiteStore.check(Self.closed(calm)).filter { !$0.hasPrefix("job ") }
        #expect(faults.isEmpty, "\(faults)")
    }

    /// Applies groups through everything that a host can meet.
    private static func apply(
        _ groups: [OrderedGroup], to rig: ReplicaRig, _ random: inout SeededRandom
    ) throws {
        while rig.applied.sequence < groups.count {
            let next = Int(rig.applied.sequence)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try rig.begin(after: .order)
            case 1: try rig.begin(after: .kill)
            case 2: try rig.begin(after: .powerLoss(seed: random.next()))
            case 3:
                rig.failWrites(
                    skip: Int.random(in: 0..<12, using: &random),
                    count: Int.random(in: 1..<4, using: &random))
            default:
                let count = Int.random(in: 1...20, using: &random)
                let some = Array(groups[next..<min(groups.count, next + count)])
                let taken = try rig.apply(some).prefix { (try? $0.get()) != nil }.count
                #expect(rig.applied.sequence == Int64(next + taken))
            }
        }
    }

    private static func closed(_ rig: ReplicaRig) -> String {
        rig.store.close()
        return rig.path
    }

    @Test func aGroupThatIsNotTheNextOneIsRefusedWithASentence() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 2))
        for text in ["1", "2", "3"] { order.add([try Self.events("a", text)], line: 5) }
        order.add([try Self.events("a", "4")], line: 4)
        let groups = order.groups
        _ = try rig.apply([groups[0], groups[1]]).map { try $0.get() }
        let state = try rig.state()
        for (group, words) in [
            (groups[0], "has the groups up to 2"), (groups[1], "has the groups up to 2"),
            (groups[3], "has the groups up to 2"),
        ] {
            #expect(Self.refusal(try rig.apply([group])[0])?.contains(words) == true)
        }
        #expect(try rig.state() == state)
        _ = try rig.apply([groups[2]])[0].get()
        #expect(Self.refusal(try rig.apply([groups[3]])[0])?.contains("is lower than") == true)
        #expect(rig.applied == groups[2].place)
    }

    private static func refusal(_ outcome: Result<AppliedGroup, BusError>) -> String? {
        if case .failure(let error) = outcome { "\(error)" } else { nil }
    }

    @Test func aStartChangesNothing() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(for: "a start of a replica"))
        try order.addSome(30)
        _ = try rig.apply(order.groups).map { try $0.get() }
        let state = try rig.state()
        for end in [ReplicaRig.End.kill, .order] {
            try rig.begin(after: end)
            #expect(try rig.state() == state)
            #expect(rig.applied == order.groups[29].place)
            #expect(rig.contents.floor == ReplicaRig.life.base.before)
            #expect(rig.contents.newest > rig.contents.floor)
        }
    }

    /// A backup of a replica is a replica that is behind.
    @Test func aBackupGoesOnBehindItsLastGroup() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(for: "a backup of a replica"))
        try order.addSome(30)
        _ = try rig.apply(Array(order.groups[..<10])).map { try $0.get() }
        let folder = TemporaryFolder(inMemory: true)
        try SQLiteStore.backUp(rig.path, to: "\(folder.path)/belfry.db")
        _ = try rig.apply(Array(order.groups[10...])).map { try $0.get() }
        let other = try ReplicaRig(in: folder)
        #expect(other.applied == order.groups[9].place)
        _ = try other.apply(Array(order.groups[10...])).map { try $0.get() }
        #expect(try other.state() == rig.state())
    }

    @Test func aFileOfAnotherOrderOrOfABusOfItsOwnIsRefused() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 3))
        order.add([try Self.events("a", "x")])
        _ = try rig.apply(order.groups)[0].get()
        rig.store.close()
        let life = ReplicaRig.life
        for (other, words) in [
            (OrderLife(identity: life.identity + 1, base: life.base), "of another order"),
            (OrderLife(identity: life.identity, base: life.base.successor), "of another order"),
        ] {
            let error = #expect(throws: StoreError.self) {
                try ReplicaRig(in: rig.folder, following: other)
            }
            #expect(error?.detail.contains(words) == true)
        }
        let alone = #expect(throws: StoreError.self) { try StoreBench(in: rig.folder) }
        #expect(alone?.detail.contains("follows an order that other hosts share") == true)
        #expect(try ReplicaRig(in: rig.folder).applied == order.groups[0].place)
        let bench = try StoreBench()
        bench.close()
        let own = #expect(throws: StoreError.self) { try ReplicaRig(in: bench.folder) }
        #expect(own?.detail.contains("is a bus of one host") == true)
    }

    @Test func aReplicaWithoutItsPlaceIsDamaged() throws {
        for (column, value) in [
            ("order_base", "NULL"), ("order_base", "0"), ("order_sequence", "NULL"),
            ("order_sequence", "-1"), ("order_line", "NULL"), ("order_line", "-1"),
            ("order_chain", "NULL"), ("order_chain", "'x'"), ("order_life", "'x'"),
        ] {
            let rig = try ReplicaRig()
            rig.store.close()
            try Database(path: rig.path, mode: .writing).execute(
                "UPDATE bus SET \(column) = \(value)")
            let error = #expect(throws: StoreError.self) { try ReplicaRig(in: rig.folder) }
            #expect(
                error?.detail.contains("damaged") == true,
                "\(column) = \(value): \(error?.detail ?? "")")
        }
    }

    // MARK: Retention

    /// A log that does what it is told, and decides nothing.
    private struct ToldLog {
        var ids: [TopicName: [EventID]] = [:]

        mutating func follow(_ group: OrderedGroup, _ applied: AppliedGroup) {
            var entries = group.entries[...]
            for step in applied.steps {
                switch step {
                case .receipt(let receipt): take(entries.removeFirst(), receipt)
                case .loss(let topic, let loss):
                    let left = ids[topic, default: []].filter { $0 > loss.removedThrough }
                    #expect(ids[topic, default: []].count - left.count == loss.sum.count)
                    #expect(loss.oldest == left.first)
                    ids[topic] = left
                case .released(let batch):
                    ids[batch.events[0].topic, default: []] += batch.events.map(\.id)
                case .floor: break
                }
            }
            #expect(entries.isEmpty)
        }

        private mutating func take(_ entry: StoreEntry, _ receipt: StoreReceipt) {
            switch (entry, receipt) {
            case (_, .events(let events)):
                ids[events[0].topic, default: []] += events.map(\.id)
            case (.removal(let topic), _): ids[topic] = nil
            case (.together(let entries), .together(let receipts)):
                for (entry, receipt) in zip(entries, receipts) { take(entry, receipt) }
            default: break
            }
        }
    }

    /// The events that are left of each topic follow from what was told alone, and are those that
    /// the bounds allow.
    @Test func everyLossIsToldInItsPlaceAndTopicsKeepToTheirBounds() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(for: "retention of an order"))
        try order.addSome(300)
        var told = ToldLog()
        var settings = OrderSettings.unbounded
        for group in order.groups {
            told.follow(group, try rig.apply([group])[0].get())
            settings = group.settings ?? settings
            let (found, kept) = (try rig.topics(), told.ids.filter { !$0.value.isEmpty })
            #expect(Set(kept.keys) == Set(found.filter { !$0.times.isEmpty }.map(\.state.name)))
            for topic in found {
                #expect(topic.times.map(\.id) == kept[topic.state.name] ?? [])
                let loose = topic.times.filter { $0.id < topic.heldFrom ?? .max }
                let retention = topic.state.settings?.retention ?? settings.defaults
                let isOver =
                    topic.state.sum.count - (retention.keep == 0 ? 0 : topic.state.sum.ofBus)
                    > retention.keep ?? .max
                    || topic.state.sum.bytes > retention.bytes ?? .max
                #expect(!isOver || loose.isEmpty)
                if let age = retention.age, let first = loose.first {
                    #expect(first.time.advanced(microseconds: age) > group.place.time)
                }
            }
            if group.place.sequence % Limits.spaceLookGroups == 0 {
                let bytes = found.reduce(0) { $0 + $1.state.diskBytes }
                let isLoose = found.contains { topic in
                    topic.times.contains { $0.id < topic.heldFrom ?? .max }
                }
                #expect(bytes <= settings.bytesMax || !isLoose)
            }
        }
    }

    /// More goes than may go with one group: which events go with which group is the same anyhow.
    @Test func whatGoesOverSeveralGroupsIsTheSameOverRestarts() throws {
        var random = SeededRandom(for: "much retention")
        var order = SampleOrder(random)
        let many = Array(repeating: Payload.empty, count: 2_500)
        for index in 0..<24 {
            let batch = PublishBatch(topic: try TopicName("t\(index % 3)"), payloads: many)
            order.add([.events(batch, persists: true)], after: 1_000_000)
        }
        let age = OrderSettings(
            defaults: Retention(keep: nil, bytes: nil, age: 9_000_000), tombstonesMax: 0,
            bytesMax: .max)
        order.add([], settings: age, after: 0)
        for _ in 0..<2 { order.add([], after: 2_000_000) }
        var narrow = age
        narrow.defaults.keep = 100
        order.add([try Self.events("t1", "x")], settings: narrow, after: 0)
        for _ in 0..<2 { order.add([try Self.events("t0", "x")], after: 1_000_000) }
        let (calm, troubled) = (try ReplicaRig(), try ReplicaRig())
        var states: [[String]] = []
        for group in order.groups {
            _ = try calm.apply([group])[0].get()
            states.append(try calm.counts())
        }
        #expect(Set(states.suffix(6)).count == 6, "nothing goes over several groups")
        for (index, group) in order.groups.enumerated() {
            if index > 22 || Bool.random(using: &random) { try troubled.begin(after: .kill) }
            _ = try troubled.apply([group])[0].get()
            #expect(try troubled.counts() == states[index])
        }
        #expect(try troubled.state() == calm.state())
    }

    @Test func eventsThatTheOldSettingsRemovedDoNotComeBackUnderNewOnes() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 5))
        func registration(age: Int64?) throws -> StoreEntry {
            let retention = Retention(keep: nil, bytes: nil, age: age)
            return .registration(
                try TopicName("a"),
                SettingsChange(TopicSettings(retention: retention, persists: true)), owner: nil)
        }
        order.add([try registration(age: 10_000_000), try Self.events("a", "old")], after: 0)
        order.add([try Self.events("a", "new")], after: 9_000_000)
        order.add([try registration(age: nil)], after: 1_000_000)
        let steps = try rig.apply(order.groups).map { try $0.get().steps }
        let base = ReplicaRig.life.base
        guard case .loss(_, let loss) = steps[2].first, steps[2].count == 2 else {
            Issue.record("other steps: \(steps[2])")
            return
        }
        #expect(loss.removedThrough == base && loss.oldest == base.successor)
        #expect(try rig.counts() == ["a 1 \(base)"])
    }

    @Test func aTopicThatComesBackAgesByItsNewSettings() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 7))
        for age in [20_000_000, 2_000_000] as [Int64] {
            let retention = Retention(keep: nil, bytes: nil, age: age)
            order.add([
                .removal(try TopicName("a")),
                .registration(
                    try TopicName("a"),
                    SettingsChange(TopicSettings(retention: retention, persists: true)),
                    owner: nil), try Self.events("a", "\(age)"),
            ])
        }
        order.add([], after: 2_000_000)
        _ = try rig.apply(order.groups).map { try $0.get() }
        #expect(try rig.topics()[0].times.isEmpty)
    }

    @Test func aHeldTopicKeepsWhatItsGroupNeedsAndNoMore() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 6))
        let base = ReplicaRig.life.base
        var settings = TopicSettings(
            retention: Retention(keep: 1, bytes: nil, age: 1_000_000), persists: true)
        settings.hold = TopicHolder(group: GroupNumber(rawValue: 1), name: "g")
        func reaches(_ offset: UInt64, open: [UInt64] = []) throws -> StoreEntry {
            let record = WorkSamples.record("g", reach: base.rawValue + offset)
            let jobs = try open.map {
                try WorkSamples.waiting(EventID(rawValue: base.rawValue + $0), "a")
            }
            var change = WorkSamples.change(1, record: record, open: jobs)
            change.forgetsJobs = true
            return .work(change)
        }
        // Everything is over the bounds from the second group on.
        order.add([
            .work(WorkSamples.change(1, record: WorkSamples.record("g", reach: 1))),
            .registration(try TopicName("a"), SettingsChange(settings), owner: nil),
            try Self.events("a", "1", "2", "3", "4"),
        ])
        order.add([], after: 60_000_000)
        order.add([try reaches(1)])
        order.add([try reaches(3, open: [2])])
        order.add([try reaches(3)])
        let left = try order.groups.map { group in
            _ = try rig.apply([group])[0].get()
            return try rig.topics()[0].times.map { $0.id.rawValue - base.rawValue }
        }
        #expect(left == [[0, 1, 2, 3], [0, 1, 2, 3], [2, 3], [2, 3], []])
    }

    @Test func oldTombstonesAreToldTogether() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 4))
        var settings = OrderSettings.unbounded
        settings.tombstonesMax = 8
        order.add([], settings: settings)
        for index in 0..<20 {
            order.add([try Self.events("t\(index)", "x"), .removal(try TopicName("t\(index)"))])
        }
        while order.groups.count % Int(Limits.tombstoneLookGroups) != 0 { order.add([]) }
        let steps = try rig.apply(order.groups).map { try $0.get() }.flatMap(\.steps)
        let floors = steps.compactMap { if case .floor(let id, _) = $0 { id } else { nil } }
        // All but eight, and an eighth of these.
        #expect(floors == [EventID(rawValue: ReplicaRig.life.base.rawValue + 24)])
        try rig.begin(after: .order)
        #expect(rig.contents.floor == floors.first)
        #expect(rig.contents.tombstones.count == 7)
    }

    @Test func readersKnowNothingOfATopicThatTheTransactionForgot() throws {
        let rig = try ReplicaRig()
        rig.store.close()
        var topics = try TopicRows(Database(path: rig.path, mode: .writing), rowCount: 1)
        let name = try TopicName("a")
        var state = TopicState(number: 7, name: name)
        state.sum.count = 1
        topics.load(state)
        let marks = TopicMarks()
        marks.update([state])
        state.sum.count = 0
        topics.change(state)
        topics.forget([name])
        marks.update(topics.committed())
        #expect(topics.current.isEmpty)
        #expect(marks.mark(7) == nil)
        #expect(try marks.matching(Selector("a"), countMax: 1)?.isEmpty == true)
    }

    /// In one transaction a topic goes, its tombstone is merged, and it comes back.
    @Test func aTopicComesBackInTheTransactionThatForgotIt() throws {
        let rig = try ReplicaRig()
        var order = SampleOrder(SeededRandom(seed: 8))
        var settings = OrderSettings.unbounded
        settings.tombstonesMax = 0
        order.add([try Self.events("a", "1")], settings: settings)
        while order.groups.count < Int(Limits.tombstoneLookGroups) - 1 { order.add([]) }
        _ = try rig.apply(order.groups).map { try $0.get() }
        order.add([.removal(try TopicName("a"))])
        order.add([try Self.events("a", "2")])
        _ = try rig.apply(order.groups.suffix(2)).map { try $0.get() }
        let state = try rig.state()
        #expect(try rig.topics().map(\.times.count) == [1])
        try rig.begin(after: .order)
        #expect(try rig.state() == state)
        #expect(try SQLiteStore.check(Self.closed(rig)) == [])
    }
}
