import DiskSupport
import Protection
import StoreSupport
import TestSupport
import Topics

@testable import SQLiteStore

/// A replica in a folder of its own, with verbs that wait for their answer.
final class ReplicaRig {
    static let life = OrderLife(identity: 0xA1 << 64 | 7, base: EventID(rawValue: 1_000_001))

    let folder: TemporaryFolder
    private(set) var store: SQLiteStore
    private(set) var contents: StoreContents
    private var disk: Disk

    init(
        in folder: TemporaryFolder = TemporaryFolder(inMemory: true),
        following life: OrderLife = ReplicaRig.life
    ) throws {
        self.folder = folder
        disk = Disk(rememberingPower: true)
        (store, contents) = try Self.open(folder, life, disk)
    }

    deinit {
        store.close()
    }

    private static func open(
        _ folder: TemporaryFolder, _ life: OrderLife, _ disk: Disk
    ) throws -> (SQLiteStore, StoreContents) {
        let store = SQLiteStore(
            SQLiteStoreConfiguration(path: "\(folder.path)/belfry.db"), log: StoreBench.silent,
            vfs: disk.name, following: life)
        // Neither of its clocks decides anything.
        let clock = ManualClock()
        clock.advance(seconds: Double.random(in: 0..<1_000_000))
        return (store, try store.open(StoreContext(clock: clock, commitQueueBytesMax: 1 << 20)))
    }

    var path: String { "\(folder.path)/belfry.db" }
    var applied: OrderPlace { store.applied! }

    /// Has the disk fail so many writes from now on.
    func failWrites(skip: Int, count: Int) {
        disk.fail(.write, Disk.writeError, skip: skip, count: count)
    }

    /// Another life, after this one ended in order, by a kill or by a loss of power.
    func begin(after end: End) throws {
        switch end {
        case .order: disk.heal()
        case .kill: disk.stop()
        case .powerLoss(let seed): disk.powerOff(seed: seed)
        }
        store.close()
        disk = Disk(rememberingPower: true)
        (store, contents) = try Self.open(folder, Self.life, disk)
    }

    enum End {
        case order, kill
        case powerLoss(seed: UInt64)
    }

    /// Has groups applied together, and waits for what came of each.
    func apply(_ groups: [OrderedGroup]) throws -> [Result<AppliedGroup, BusError>] {
        let outcomes = Protected<[Result<AppliedGroup, BusError>]>([])
        let gate = Gate()
        for group in groups {
            store.apply(group) { outcome in
                let isLast = outcomes.write { told in
                    told.append(outcome)
                    return told.count == groups.count
                }
                if isLast { gate.open() }
            }
        }
        try gate.wait(within: .seconds(60))
        return outcomes.value
    }

    /// The topics that there are, with their events and the first id that their group needs.
    func topics() throws -> [(
        state: TopicState, times: [(id: EventID, time: Timestamp)], heldFrom: EventID?
    )] {
        let reader = try Database(path: path, mode: .reading, vfs: disk.name)
        let rows = try EventRows(reader)
        let topics = try reader.prepare(
            "SELECT \(TopicState.columns) FROM topics WHERE registered OR events > 0")
        var found: [(TopicState, [(EventID, Timestamp)], EventID?)] = []
        while try topics.step() {
            let topic = try TopicState(topics)
            var times: [(EventID, Timestamp)] = []
            try rows.walk(topic.number, after: topic.removedThrough) { row in
                times.append((row.id, row.time))
                return true
            }
            var heldFrom: EventID?
            if let group = topic.settings?.hold?.group.rawValue,
                try reader.integer("SELECT count(*) FROM groups WHERE number = \(group)") == 1
            {
                let oldest = try reader.integer(
                    "SELECT min(id) FROM jobs WHERE in_group = \(group)")
                let reach = try reader.integer("SELECT reach FROM groups WHERE number = \(group)")
                heldFrom = EventID(rawValue: UInt64(oldest > 0 ? oldest : reach + 1))
            }
            found.append((topic, times, heldFrom))
        }
        return found
    }

    /// How many events each topic has.
    func counts() throws -> [String] {
        let reader = try Database(path: path, mode: .reading, vfs: disk.name)
        return try reader.texts(
            "SELECT name || ' ' || events || ' ' || lost FROM topics ORDER BY 1")
    }

    /// Everything that the order decides, as texts. Rows of events that are gone wait to be removed.
    func state() throws -> [String] {
        let reader = try Database(path: path, mode: .reading, vfs: disk.name)
        let rows = [
            ("bus", "identity, ceiling, time, floor, floor_time, \(FollowedOrder.columns)"),
            ("topics", TopicState.columns),
            (
                "events JOIN (SELECT number, lost FROM topics) ON number = topic AND id > lost",
                EventColumns.namesRead
            ),
            ("groups", GroupColumns.names),
            ("jobs", JobColumns.names),
        ]
        return try rows.flatMap { table, columns in
            let texts = columns.split(separator: ",").map { "quote(\($0))" }
            return try reader.texts(
                "SELECT '\(table) ' || \(texts.joined(separator: " || ',' || ")) FROM \(table) ORDER BY 1"
            )
        }
    }
}

/// An order that is written as it is asked for.
struct SampleOrder {
    private(set) var groups: [OrderedGroup] = []
    private var place = OrderPlace.beginning(of: ReplicaRig.life)
    private var random: SeededRandom

    init(_ random: SeededRandom) { self.random = random }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Adds a group of these entries.
    mutating func add(
        _ entries: [StoreEntry], settings: OrderSettings? = nil, line: Int64? = nil,
        after microseconds: Int64? = nil
    ) {
        place = OrderPlace(
            sequence: place.sequence + 1,
            chain: place.chain &* 31 &+ UInt128(place.sequence), line: line ?? place.line,
            time: place.time.advanced(microseconds: microseconds ?? Int64(draw(3_000_000))))
        groups.append(OrderedGroup(place: place, settings: settings, entries: entries))
    }

    /// Adds groups of everything that there is.
    mutating func addSome(_ count: Int) throws {
        for _ in 0..<count {
            let entries = try (0..<draw(5)).map { _ in try entry() }
            add(
                entries, settings: draw(30) == 0 ? someSettings() : nil,
                line: draw(20) == 0 ? place.line + 1 : nil)
        }
    }

    private mutating func someSettings() -> OrderSettings {
        OrderSettings(
            defaults: someRetention(), tombstonesMax: draw(4), bytesMax: 1_000 + draw(10_000))
    }

    private mutating func someRetention() -> Retention {
        Retention(
            keep: draw(2) == 0 ? draw(20) : nil, bytes: draw(3) == 0 ? draw(200) : nil,
            age: draw(2) == 0 ? Int64(draw(20_000_000)) : nil)
    }

    private mutating func entry() throws -> StoreEntry {
        let topic = "t\(draw(5))"
        switch draw(8) {
        case 0: return .removal(try TopicName(topic))
        case 1:
            var settings = TopicSettings(
                retention: someRetention(), persists: Bool.random(using: &random))
            let kept = SettingsChange.Kept(rawValue: draw(2) == 0 ? 0 : UInt8(draw(8)))
            if draw(3) == 0, !kept.contains(.hold) {
                let number = Int64(1 + draw(3))
                settings.hold = TopicHolder(
                    group: GroupNumber(rawValue: number), name: "g\(number)")
            }
            if draw(3) == 0, !kept.contains(.expect) {
                settings.expect = Int64(1_000_000 + draw(20_000_000))
            }
            return .registration(
                try TopicName(topic), SettingsChange(settings, keeping: kept),
                owner: UInt32(draw(3)))
        case 2: return .work(try change(topic))
        case 3:
            return .together([try events(topic), .work(try change(topic))])
        default: return try events(topic)
        }
    }

    private mutating func change(_ topic: String) throws -> WorkChange {
        // About where ids are by now.
        let id = EventID(
            rawValue: ReplicaRig.life.base.rawValue + UInt64(draw(4 * groups.count + 1)))
        let number = Int64(1 + draw(3))
        let job =
            Bool.random(using: &random)
            ? try WorkSamples.waiting(id, topic)
            : try WorkSamples.leased(id, topic, token: UInt64(draw(9)))
        var change = WorkSamples.change(
            number, persists: Bool.random(using: &random),
            record: WorkSamples.record("g\(number)", reach: id.rawValue + UInt64(draw(20))),
            open: [job])
        change.forgetsJobs = draw(3) == 0
        change.removesGroup = draw(12) == 0
        return change
    }

    private mutating func events(_ topic: String) throws -> StoreEntry {
        let batch = PublishBatch(
            topic: try TopicName(topic),
            payloads: (0...draw(4)).map { Payload(Array("\(topic) \($0)".utf8)) })
        return .events(batch, persists: Bool.random(using: &random), owner: UInt32(draw(3)))
    }
}
