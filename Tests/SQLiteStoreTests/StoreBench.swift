import Broadcasting
import DiskSupport
import Glibc
import Protection
import StoreSupport
import Telemetry
import TestSupport
import Topics

@testable import SQLiteStore

/// A folder with a store, and a bus on it, with short verbs that wait for their answer.
///
/// Ended by one thread; its other verbs go to the bus alone and are for every thread.
// @unchecked: see above; what ends a life is called where no other thread has the bench.
final class StoreBench: @unchecked Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    let store: SQLiteStore
    let bus: EventBus
    let settings: Settings
    private var isClosed = false

    /// What a life of a bench is begun with.
    struct Settings {
        var sync = SQLiteStoreConfiguration.Sync.normal
        var sizeBytesMax = 1 << 30
        var tombstonesMax = 10_000
        var memoryBytesMax = 1 << 30
        var commitQueueBytesMax = 64 << 20
        var graceMicroseconds: Int64 = 2_000_000
        var defaults = Retention(keep: nil, bytes: nil, age: nil)
        var schema = Schema.current
        var boot = BootClock.system
        /// What it lies on if not on the machine's own; it has to outlive the store.
        var disk: Disk?
    }

    static let silent = Log(level: .error) { _, _ in }

    convenience init(
        in folder: TemporaryFolder = TemporaryFolder(inMemory: true),
        clock: ManualClock = ManualClock(),
        _ settings: Settings = Settings()
    ) throws {
        let store = SQLiteStore(
            Self.configuration(folder, settings), log: Self.silent, schema: settings.schema,
            vfs: settings.disk?.name)
        try self.init(on: store, in: folder, clock: clock, settings)
    }

    /// A bench on a store that is not open yet, in this folder.
    init(
        on store: SQLiteStore, in folder: TemporaryFolder, clock: ManualClock,
        _ settings: Settings = Settings()
    ) throws {
        self.folder = folder
        self.clock = clock
        self.settings = settings
        self.store = store
        var limits = BusLimits()
        limits.commitQueueBytesMax = settings.commitQueueBytesMax
        limits.tombstonesMax = settings.tombstonesMax
        limits.graceMicroseconds = settings.graceMicroseconds
        bus = try EventBus(
            store: store, limits: limits, defaults: settings.defaults,
            memory: MemoryBudget(bytesMax: settings.memoryBytesMax), clock: clock,
            bootClock: settings.boot, broadcaster: Broadcaster(), log: Self.silent)
    }

    deinit {
        close()
    }

    static func configuration(
        _ folder: TemporaryFolder, _ settings: Settings
    ) -> SQLiteStoreConfiguration {
        SQLiteStoreConfiguration(
            path: "\(folder.path)/belfry.db", sync: settings.sync,
            sizeBytesMax: settings.sizeBytesMax, tombstonesMax: settings.tombstonesMax)
    }

    var path: String { "\(folder.path)/belfry.db" }

    /// Ends this life in order.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        bus.close()
    }

    /// Another life of the same store, after this one ended in order.
    func reopened(_ change: (inout Settings) -> Void = { _ in }) throws -> StoreBench {
        close()
        var settings = settings
        change(&settings)
        return try StoreBench(in: folder, clock: clock, settings)
    }

    /// Another life of what a process that is killed now would leave.
    ///
    /// - Parameters:
    ///   - meddle: What is done to the folder meanwhile.
    func killed(
        _ change: (inout Settings) -> Void = { _ in }, meddling meddle: (String) -> Void = { _ in }
    ) throws -> StoreBench {
        var settings = settings
        change(&settings)
        let copy = TemporaryFolder(inMemory: true)
        // The writer goes on meanwhile. A journal that it begins anew is not that of the copied file.
        var begin: [UInt8]?
        repeat {
            begin = journalBegin
            for name in ["belfry.db", "belfry.db-wal", "belfry.db-life"] {
                Files.copy("\(folder.path)/\(name)", to: "\(copy.path)/\(name)")
            }
        } while begin != journalBegin
        meddle(copy.path)
        return try StoreBench(in: copy, clock: clock, settings)
    }

    /// The journal's header, whose salts change whenever it begins anew.
    private var journalBegin: [UInt8]? {
        Files.read("\(folder.path)/belfry.db-wal").map { Array($0.prefix(32)) }
    }

    // MARK: Verbs

    @discardableResult
    func publish(_ topic: String, _ texts: String..., type: String? = nil) throws -> [EventID] {
        try publish(topic, texts.map { Payload(Array($0.utf8)) }, type: type)
    }

    @discardableResult
    func publish(_ topic: String, _ payloads: [Payload], type: String? = nil) throws -> [EventID] {
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(type: type, key: nil, contentType: nil),
            payloads: payloads)
        let receipt = try answer { bus.publish(batch, then: $0) }
        return (receipt.first.rawValue...receipt.last.rawValue).map(EventID.init(rawValue:))
    }

    @discardableResult
    func register(
        _ topic: String, keep: Int? = nil, bytes: Int? = nil, age: Int64? = nil,
        persists: Bool = true, by uid: UInt32? = nil
    ) throws -> TopicDescription {
        let name = try TopicName(topic)
        let settings = TopicSettings(
            retention: Retention(keep: keep, bytes: bytes, age: age), persists: persists)
        return try answer {
            bus.register(name, settings: settings, by: Sender(uid: uid, pid: nil), then: $0)
        }.topic
    }

    @discardableResult
    func remove(_ topic: String) throws -> EventID {
        let name = try TopicName(topic)
        return try answer { bus.remove(name, then: $0) }
    }

    func description(_ topic: String) throws -> TopicDescription? {
        bus.description(of: try TopicName(topic))
    }

    /// An answer, waited for.
    func answer<Value>(
        _ ask: (@escaping @Sendable (Result<Value, BusError>) -> Void) -> Void
    ) throws -> Value {
        let kept = Protected<Result<Value, BusError>?>(nil)
        let gate = Gate()
        ask { outcome in
            kept.value = outcome
            gate.open()
        }
        try gate.wait(within: .seconds(60))
        return try kept.value!.get()
    }

    /// Asks for descriptions until they are as wanted; removals on the disk take a moment.
    func settles(_ topic: String, _ condition: (TopicDescription?) -> Bool) throws -> Bool {
        let name = try TopicName(topic)
        for _ in 0..<2_000 {
            if condition(bus.description(of: name)) { return true }
            // Makes the writer go round once.
            try register("settling", keep: 1)
        }
        return false
    }

    /// What a reader got from a position up to the newest event.
    struct Received {
        var events: [Event] = []
        var gaps: [Gap] = []
        var position: LogPosition
        var ids: [EventID] { events.map(\.id) }
    }

    func follow(
        _ selector: String, from start: StartPosition, type: String? = nil, events: Int = 100,
        showing visibility: TopicVisibility? = nil
    ) throws -> Received {
        let filter = EventFilter(type: type, key: nil)
        let terms = try Selector(selector).limited(to: visibility)
        return try follow(
            selector, at: bus.position(start, matching: terms, filter: filter), type: type,
            events: events, showing: visibility)
    }

    func follow(
        _ selector: String, at position: LogPosition, type: String? = nil, events: Int = 100,
        showing visibility: TopicVisibility? = nil
    ) throws -> Received {
        var received = Received(position: position)
        let terms = try Selector(selector).limited(to: visibility)
        let filter = EventFilter(type: type, key: nil)
        let limit = ReadLimit(events: events, bytes: 1 << 20)
        var read = bus.read(position, matching: terms, filter: filter, limit: limit)
        while true {
            switch read {
            case .events(let events, let next, _):
                received.events += events
                received.position = next
            case .gap(let gap, let next):
                received.gaps.append(gap)
                received.position = next
            case .caughtUp(let next):
                received.position = next
                return received
            case .older(let position):
                read = try answer { then in
                    bus.readStore(
                        position, matching: terms, filter: filter, limit: limit, then: then)
                }
                continue
            }
            read = bus.read(
                received.position, matching: terms, filter: filter, limit: limit)
        }
    }
}

extension Payload {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// Files, as tests need to meddle with them.
enum Files {
    static func read(_ path: String) -> [UInt8]? {
        guard let stream = fopen(path, "r") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) {
        guard let stream = fopen(path, "w") else {
            preconditionFailure("\(path) could not be written: errno \(errno)")
        }
        fwrite(bytes, 1, bytes.count, stream)
        fclose(stream)
    }

    static func copy(_ path: String, to other: String) {
        guard let bytes = read(path) else { return }
        write(bytes, to: other)
    }

    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
