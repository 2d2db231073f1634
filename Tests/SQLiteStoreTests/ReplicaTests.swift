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
        let outcomes = try rig.apply(order.groups).map { try $0.get() }
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
        try order.addSome(150)
        let groups = order.groups
        let (calm, troubled) = (try ReplicaRig(), try ReplicaRig())
        for group in groups { _ = try calm.apply([group])[0].get() }
        while troubled.applied.sequence < groups.count {
            let next = Int(troubled.applied.sequence)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try troubled.begin(after: .order)
            case 1: try troubled.begin(after: .kill)
            case 2: try troubled.begin(after: .powerLoss(seed: random.next()))
            case 3:
                troubled.failWrites(
                    skip: Int.random(in: 0..<12, using: &random),
                    count: Int.random(in: 1..<4, using: &random))
            default:
                let count = Int.random(in: 1...20, using: &random)
                let some = Array(groups[next..<min(groups.count, next + count)])
                let taken = try troubled.apply(some).prefix { (try? $0.get()) != nil }.count
                #expect(troubled.applied.sequence == Int64(next + taken))
            }
        }
        try troubled.begin(after: .order)
        #expect(try troubled.state() == calm.state())
        #expect(try SQLiteStore.check(Self.closed(calm)).isEmpty)
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

    private static func refusal(_ outcome: Result<[StoreReceipt], BusError>) -> String? {
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
}
