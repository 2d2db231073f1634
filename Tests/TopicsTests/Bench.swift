import Broadcasting
import Protection
import StoreSupport
import Telemetry
import Topics

/// A bus on a workbench: a manual clock, a memory budget, and short verbs.
struct Bench {
    let clock: ManualClock
    let memory: MemoryBudget
    let broadcaster = Broadcaster()
    let bus: EventBus

    static let silent = Log(level: .error) { _, _ in }

    init(
        store: any EventStore = MemoryStore(ceiling: nil), limits: BusLimits = BusLimits(),
        defaults: Retention = .standard, autocreate: Bool = true, memoryBytesMax: Int = 1 << 30,
        clock: ManualClock = ManualClock()
    ) throws {
        self.clock = clock
        memory = MemoryBudget(bytesMax: memoryBytesMax)
        bus = try EventBus(
            store: store, limits: limits, defaults: defaults, autocreate: autocreate,
            memory: memory, clock: clock, broadcaster: broadcaster, log: Self.silent)
    }

    @discardableResult
    func publish(_ topic: String, _ texts: String..., type: String? = nil) throws -> [EventID] {
        try publish(topic, texts.map { Payload(Array($0.utf8)) }, type: type)
    }

    @discardableResult
    func publish(_ topic: String, _ payloads: [Payload], type: String? = nil) throws -> [EventID] {
        let receipt = try receipt(topic, payloads, type: type)
        return (receipt.first.rawValue...receipt.last.rawValue).map(EventID.init(rawValue:))
    }

    func receipt(
        _ topic: String, _ payloads: [Payload], type: String? = nil
    ) throws -> PublishReceipt {
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(type: type, key: nil, contentType: nil),
            payloads: payloads)
        return try answer { bus.publish(batch, then: $0) }
    }

    @discardableResult
    func register(
        _ topic: String, keep: Int? = nil, bytes: Int? = nil, age: Int64? = nil,
        by uid: UInt32? = nil
    ) throws -> (topic: TopicDescription, isNew: Bool) {
        let name = try TopicName(topic)
        let settings = TopicSettings(
            retention: Retention(keep: keep, bytes: bytes, age: age), persists: true)
        return try answer {
            bus.register(name, settings: settings, by: Sender(uid: uid, pid: nil), then: $0)
        }
    }

    @discardableResult
    func remove(_ topic: String) throws -> EventID {
        let name = try TopicName(topic)
        return try answer { bus.remove(name, then: $0) }
    }

    /// The answer of a store that answers before it returns.
    func answer<Value>(
        _ ask: (@escaping @Sendable (Result<Value, BusError>) -> Void) -> Void
    ) throws -> Value {
        let kept = Protected<Result<Value, BusError>?>(nil)
        ask { outcome in kept.value = outcome }
        guard let outcome = kept.value else { throw Unanswered() }
        return try outcome.get()
    }

    struct Unanswered: Error {}

    func start(
        _ start: StartPosition, _ selector: String, type: String? = nil
    ) throws -> LogPosition {
        bus.position(
            start, matching: try Selector(selector), filter: EventFilter(type: type, key: nil))
    }

    func read(
        _ position: LogPosition, _ selector: String, type: String? = nil, events: Int = 1_000,
        bytes: Int = 1 << 20
    ) throws -> LogRead {
        bus.read(
            position, matching: try Selector(selector), filter: EventFilter(type: type, key: nil),
            limit: ReadLimit(events: events, bytes: bytes))
    }

    func read(
        after id: EventID, _ selector: String, type: String? = nil, events: Int = 1_000
    ) throws -> LogRead {
        try read(LogPosition(after: id), selector, type: type, events: events)
    }

    func read(from start: StartPosition, _ selector: String) throws -> LogRead {
        bus.read(
            from: start, matching: try Selector(selector), filter: .all,
            limit: ReadLimit(events: 1_000, bytes: 1 << 20))
    }
}

extension LogRead {
    var events: [Event] {
        if case .events(let events, _, _) = self { events } else { [] }
    }

    var ids: [EventID] { events.map(\.id) }
    var texts: [String] { events.map { $0.payload.text } }

    var next: LogPosition {
        switch self {
        case .events(_, let next, _), .caughtUp(let next), .gap(_, let next), .older(let next): next
        }
    }

    var gap: Gap? {
        if case .gap(let gap, _) = self { gap } else { nil }
    }

    var isCaughtUp: Bool {
        if case .caughtUp = self { true } else { false }
    }

    var isOlder: Bool {
        if case .older = self { true } else { false }
    }
}

extension Payload {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
