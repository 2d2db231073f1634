import Broadcasting
import Protection
import SQLiteStore
import StoreSupport
import Telemetry
import TestSupport
import Topics

@testable import Work

/// Groups on a bus whose clocks only move when told, and workers who wait for their answers.
final class WorkBench: Sendable {
    let clock: ManualClock
    let store: StubbornStore
    let bus: EventBus
    let work: WorkGroups

    /// On a file, or in memory.
    init(
        file: String? = nil, limits: WorkLimits = WorkLimits(), keeping: Retention = .standard,
        clock: ManualClock = ManualClock(), boot: BootClock? = nil, memoryBytes: Int = 64 << 20,
        holdingReads: Bool = false, log: Log = Log(level: .error)
    ) throws {
        let inner: any EventStore =
            if let file {
                SQLiteStore(
                    SQLiteStoreConfiguration(
                        path: file, sync: .normal, sizeBytesMax: 1 << 30, tombstonesMax: 100),
                    log: log)
            } else {
                MemoryStore(ceiling: nil)
            }
        self.clock = clock
        store = StubbornStore(inner)
        if holdingReads { store.holdReads() }
        bus = try EventBus(
            store: store, defaults: keeping, memory: MemoryBudget(bytesMax: memoryBytes),
            clock: clock, bootClock: boot ?? BootClock(boot: "b") { clock.now().microseconds },
            broadcaster: Broadcaster(), log: log)
        let tokens = Protected(SeededRandom(seed: 1))
        work = WorkGroups(
            on: bus, limits: limits, log: log,
            mint: { tokens.write { LeaseToken(high: $0.next(), low: $0.next()) } })
    }

    /// What a verb answers, sooner or later.
    static func answer<Value: Sendable, Failure: Error>(
        _ ask: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Value {
        let answer = Answer<Value, Failure>()
        ask { answer.give($0) }
        return try answer.get()
    }

    static let caller = WorkCaller(uid: 1_000)

    @discardableResult
    func publish(_ text: String, to topic: String = "jobs", key: String? = nil) throws -> EventID {
        let batch = PublishBatch(
            topic: try TopicName(topic), metadata: try EventMetadata(key: key),
            payloads: [Payload(Array(text.utf8))])
        return try Self.answer { self.bus.publish(batch, then: $0) }.first
    }

    @discardableResult
    func set(
        _ name: String = "g", of selector: String? = "jobs", by caller: WorkCaller = caller,
        _ change: (inout GroupSettings) throws -> Void = { _ in }
    ) throws -> GroupDescription {
        var wish = GroupSettings()
        wish.selector = try selector.map { try Selector($0) }
        try change(&wish)
        let group = try GroupName(name)
        let made = try Self.answer { self.work.set(group, wish, by: caller, then: $0) }.group
        try awaitReads(of: caller)
        return made
    }

    /// Waits until the thread that made a group has left the store: it may commit for others.
    func awaitReads(of caller: WorkCaller = caller) throws {
        // A request begins with a turn, and what a read takes from the store with one of its own, once
        // it has room.
        for _ in 0..<3 {
            let gate = Gate()
            work.parts.thread.run(for: caller.uid) { gate.open() }
            try gate.wait()
        }
    }

    /// Runs `body` while nothing is done on the thread for long reads.
    func withoutWorkThread<Value>(_ body: () throws -> Value) throws -> Value {
        let (begun, over) = (Gate(), Gate())
        work.parts.thread.run(for: Self.caller.uid) {
            begun.open()
            try? over.wait()
        }
        defer { over.open() }
        try begun.wait()
        return try body()
    }

    func group(_ name: String = "g") throws -> GroupDescription? {
        work.description(of: try GroupName(name))
    }

    /// Asks for a job, without waiting for the answer.
    func ask(
        _ request: NextRequest, of name: String = "g", by caller: WorkCaller = caller
    ) throws -> (answer: Answer<NextAnswer, WorkError>, waiting: WaitingWorker) {
        let answer = Answer<NextAnswer, WorkError>()
        let group = try GroupName(name)
        return (answer, work.next(group, request, by: caller) { answer.give($0) })
    }

    /// Takes what is there.
    func next(
        _ name: String = "g", worker: String? = nil, settling: Settlement? = nil, max: Int = 1,
        lease: Int64? = nil, by caller: WorkCaller = caller
    ) throws -> NextAnswer {
        let request = NextRequest(
            worker: try worker.map { try WorkerName($0) }, settlement: settling, lease: lease,
            countMax: max, waits: false)
        return try ask(request, of: name, by: caller).answer.get()
    }

    /// Takes a job that has to be there.
    func take(
        _ name: String = "g", worker: String? = nil, settling: Settlement? = nil, max: Int = 1
    ) throws -> JobDelivery {
        let answer = try next(name, worker: worker, settling: settling, max: max)
        guard let delivery = answer.delivery else { throw Nothing() }
        return delivery
    }

    struct Nothing: Error {}

    @discardableResult
    func settle(_ settlement: Settlement, of name: String = "g") throws -> SettleReceipt {
        let group = try GroupName(name)
        return try Self.answer { self.work.settle(group, settlement, by: Self.caller, then: $0) }
    }

    func extend(_ lease: String, seconds: Int64, of name: String = "g") throws {
        let group = try GroupName(name)
        try Self.answer {
            self.work.extend(
                group, lease: lease, by: seconds * 1_000_000, caller: Self.caller, then: $0)
        }
    }

    func advance(seconds: Double) { advance(microseconds: Int64(seconds * 1_000_000)) }

    func advance(microseconds: Int64) {
        clock.advance(microseconds: microseconds)
        bus.sweep()
        work.sweep()
    }
}

/// One answer, that somebody waits for.
final class Answer<Value: Sendable, Failure: Error>: Sendable {
    private let gate = Gate()
    private let outcome = Protected<Result<Value, Failure>?>(nil)

    func give(_ outcome: Result<Value, Failure>) {
        let isFirst = self.outcome.write { kept in
            defer { kept = outcome }
            return kept == nil
        }
        precondition(isFirst, "an answer was given twice")
        gate.open()
    }

    var isGiven: Bool { gate.isOpen }

    func get() throws -> Value {
        try gate.wait()
        return try outcome.value!.get()
    }
}

extension JobDelivery {
    var ids: [EventID] { jobs.map(\.event.id) }
    var text: String { jobs[0].event.payload.text }
}

extension WorkError {
    /// Its case, without what it says.
    var kind: String {
        switch self {
        case .leaseLost: "leaseLost"
        case .jobSettled: "jobSettled"
        default: Mirror(reflecting: self).children.first?.label ?? ""
        }
    }
}

/// The case of the error that `body` throws.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return (error as? WorkError)?.kind ?? "\(error)"
    }
}

extension WorkGroups {
    /// A group for tests by the real clock: while all tests run at once under a sanitizer, minutes pass
    /// between two steps of a task.
    func patientGroup(of selector: String) async throws -> Group {
        var settings = GroupSettings(of: try Selector(selector))
        settings.lease = .seconds(43_200)
        return try await set("g", settings)
    }
}
