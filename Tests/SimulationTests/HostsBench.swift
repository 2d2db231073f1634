import Protection
import StoreSupport
import TestSupport
import Testing
import Topics
import Work

@testable import Simulation

/// Two hosts on one order, whose users a test plays. Nothing goes on until the test lets it.
// @unchecked: everything that has it is in one thread.
final class HostsBench: @unchecked Sendable {
    let order = ScriptedOrder(life: HostsSimulation.life, clock: ManualClock())
    let hosts: [SimulatedHost]
    static let caller = WorkCaller(uid: 1)

    init(of topics: String = "jobs", _ change: (inout GroupSettings) -> Void = { _ in }) throws {
        let (mint, witness, tokens) = (TokenMint(), Witness(), Protected<UInt128>(0))
        let order = order
        hosts = try ["a", "b"].map { name in
            try SimulatedHost(
                name, on: order, memoryBytes: 8 << 20,
                draw: {
                    tokens.write { count in
                        count += 1
                        return count
                    }
                }, mint: { mint.next() }, witness: witness)
        }
        var settings = GroupSettings(of: try Selector(topics))
        settings.lease = .seconds(10)
        change(&settings)
        let made = try set(settings, on: 0)
        settle()
        #expect(try made.get().isNew)
    }

    deinit { for host in hosts { host.end(.kill) } }

    func life(_ host: Int) throws -> SimulatedHost.Life { try #require(hosts[host].life) }

    func groups(_ host: Int) throws -> WorkGroups { try life(host).groups }

    // MARK: Time

    /// Lets everything go on until nothing does.
    func settle() {
        for _ in 0..<100 {
            for host in hosts where !host.sleeps { #expect(host.life?.scheduler.settle() ?? true) }
            if !order.settle() { return }
        }
        Issue.record("the hosts do not come to rest")
    }

    /// Time passes, and what is due is done.
    func pass(seconds: Int64) {
        for _ in 0..<seconds {
            order.clock.advance(microseconds: 1_000_000)
            for host in hosts {
                host.time.advance(microseconds: 1_000_000)
                guard !host.sleeps, let life = host.life else { continue }
                life.bus.sweep()
                life.groups.sweep()
            }
            settle()
        }
    }

    // MARK: Requests

    /// What somebody is told, once they are.
    final class Answer<Value: Sendable>: Sendable {
        private let state = Protected<Result<Value, WorkError>?>(nil)

        var isThere: Bool { state.read { $0 != nil } }

        func give(_ outcome: Result<Value, WorkError>) { state.value = outcome }

        func get() throws -> Value { try #require(state.value, "there is no answer").get() }
    }

    func set(
        _ settings: GroupSettings, of name: String = "g", on host: Int
    ) throws -> Answer<(group: GroupDescription, isNew: Bool)> {
        let answer = Answer<(group: GroupDescription, isNew: Bool)>()
        try groups(host).set(try GroupName(name), settings, by: Self.caller) { answer.give($0) }
        return answer
    }

    func publish(_ text: String, key: String? = nil, to topic: String = "jobs", on host: Int = 0)
        throws
    {
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(type: nil, key: key, contentType: nil),
            payloads: [Payload(Array(text.utf8))])
        try life(host).bus.publish(batch) { _ in }
        settle()
    }

    func next(
        on host: Int, worker: String? = nil, waits: Bool = true, settling: Settlement? = nil,
        count: Int = 1
    ) throws -> Answer<NextAnswer> {
        let answer = Answer<NextAnswer>()
        let request = NextRequest(
            worker: try worker.map { try WorkerName($0) }, settlement: settling, countMax: count,
            waits: waits)
        try groups(host).next(try GroupName("g"), request, by: Self.caller) { answer.give($0) }
        return answer
    }

    /// Takes jobs that are at hand; nil where there are none.
    func take(on host: Int, count: Int = 1) throws -> JobDelivery? {
        let answer = try next(on: host, waits: false, count: count)
        settle()
        return try answer.get().delivery
    }

    func settle(
        _ delivery: JobDelivery, _ verb: Settlement.Verb = .done(nil), reason: String? = nil,
        on host: Int
    ) throws -> Answer<SettleReceipt> {
        let answer = Answer<SettleReceipt>()
        let settlement = Settlement(verb, lease: delivery.lease, reason: reason)
        try groups(host).settle(try GroupName("g"), settlement, by: Self.caller) {
            answer.give($0)
        }
        settle()
        return answer
    }

    func extend(_ delivery: JobDelivery, seconds: Int64, on host: Int) throws {
        let answer = Answer<Void>()
        try groups(host).extend(
            try GroupName("g"), lease: delivery.lease, by: seconds * 1_000_000,
            caller: Self.caller
        ) { answer.give($0) }
        settle()
        try answer.get()
    }

    func revive(_ id: EventID, on host: Int) throws -> Answer<PublishReceipt> {
        let answer = Answer<PublishReceipt>()
        try groups(host).revive(try GroupName("g"), id: id, by: Self.caller) { answer.give($0) }
        return answer
    }

    func group(on host: Int) throws -> GroupDescription {
        try #require(try groups(host).description(of: try GroupName("g")))
    }

    /// The events of a topic, as a host has them.
    func events(of topic: String, on host: Int) throws -> [Event] {
        let read = try life(host).bus.read(
            from: .earliest, matching: Selector(try TopicName(topic)), filter: .all,
            limit: ReadLimit(events: 1_000, bytes: 1 << 20))
        guard case .events(let events, _, _) = read else { return [] }
        return events
    }
}

extension JobDelivery {
    var texts: [String] { jobs.map(\.event.payload.text) }
    var attempts: [Int] { jobs.map(\.attempt) }
}

/// The sentence with which something is refused; nil where it is not.
func refusal(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}
