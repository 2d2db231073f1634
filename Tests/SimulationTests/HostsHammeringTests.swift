import Broadcasting
import Glibc
import Ordered
import Protection
import SQLiteStore
import StoreSupport
import Telemetry
import TestSupport
import Testing
import Topics
import Work

@testable import Simulation

/// Publishers and workers of two hosts at once, on threads of their own: the simulation has one.
@Suite(.blocking) struct HostsHammeringTests {
    private static let publishers = 2
    private static let workers = 3
    private static let each = 60

    @Test func eachJobIsDoneOnceOverHosts() throws {
        let (order, folder) = (ThreadedOrder(), TemporaryFolder(inMemory: true))
        let hosts = try ["a", "b"].map { try ThreadedHost($0, in: folder, on: order) }
        defer { for host in hosts { host.bus.close() } }
        let name = try GroupName("g")
        var settings = GroupSettings(of: try Selector("jobs"))
        settings.isOrderedByKey = true
        let _: Bool = try Self.answer { then in
            hosts[0].groups.set(name, settings, by: workerCaller) { then($0.map(\.isNew)) }
        }
        while hosts[1].groups.description(of: name) == nil { poll(nil, 0, 1) }
        let (done, isOver) = (Protected<[EventID: Int]>([:]), Protected(false))
        let (total, threads) = (2 * Self.publishers * Self.each, Self.publishers + Self.workers)
        try inParallel(2 * threads + 1) { index in
            if index == 2 * threads {
                for host in hosts {
                    while host.groups.description(of: name)?.done != Int64(total) {
                        poll(nil, 0, 1)
                    }
                }
                isOver.value = true
                for host in hosts { host.groups.drain() }
                return
            }
            let host = hosts[index % 2]
            if index / 2 < Self.publishers {
                try Self.publish(on: host.bus)
            } else {
                try Self.work(on: host.groups, name, isOver, done)
            }
        }
        #expect(done.value.count == total && done.value.values.allSatisfy { $0 == 1 })
        for host in hosts { #expect(host.groups.description(of: name)?.open == 0) }
    }

    private static func publish(on bus: EventBus) throws {
        let topic = try TopicName("jobs")
        for number in 0..<each {
            let key = number % 3 == 0 ? nil : "k\(number % 4)"
            let batch = PublishBatch(
                topic: topic,
                metadata: try EventMetadata(type: nil, key: key, contentType: nil),
                payloads: [Payload(Array("x".utf8))])
            let _: PublishReceipt = try answer { bus.publish(batch, then: $0) }
        }
    }

    /// It settles with the next request.
    private static func work(
        on groups: WorkGroups, _ name: GroupName, _ isOver: Protected<Bool>,
        _ done: Protected<[EventID: Int]>
    ) throws {
        var settlement: Settlement?
        var doing: [EventID] = []
        while !isOver.value || settlement != nil {
            let request = NextRequest(settlement: settlement, countMax: 3)
            let next: NextAnswer = try answer { then in
                groups.next(name, request, by: workerCaller, then: then)
            }
            if settlement != nil {
                #expect(next.settled?.count == doing.count)
                done.write { done in for id in doing { done[id, default: 0] += 1 } }
            }
            settlement = next.delivery.map { Settlement(.done(nil), lease: $0.lease) }
            doing = next.delivery?.jobs.map(\.event.id) ?? []
        }
    }

    /// The answer to a request, sooner or later.
    private static func answer<Value: Sendable, Failure: Error>(
        _ ask: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Value {
        let (gate, outcome) = (Gate(), Protected<Result<Value, Failure>?>(nil))
        ask {
            outcome.value = $0
            gate.open()
        }
        try gate.wait()
        return try #require(outcome.value).get()
    }
}

/// A host with threads of its own.
private struct ThreadedHost: Sendable {
    let bus: EventBus
    let groups: WorkGroups

    init(_ name: String, in folder: TemporaryFolder, on order: ThreadedOrder) throws {
        let log = Log(level: .error) { _, _ in }
        let life = HostsSimulation.life
        let file = SQLiteStore(
            SQLiteStoreConfiguration(path: "\(folder.path)/\(name).db", sync: .normal), log: log,
            vfs: nil,
            following: life)
        bus = try EventBus(
            store: OrderedStore(on: order.connect(), with: file, as: name, life: life),
            memory: MemoryBudget(bytesMax: 8 << 20), broadcaster: Broadcaster(), log: log)
        groups = WorkGroups(on: bus, log: log)
    }
}

/// An order in memory for hosts with threads.
private final class ThreadedOrder: Sendable {
    fileprivate typealias Shown = @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void

    fileprivate struct State {
        var items: [OrderedItem] = []
        /// The connections that wait for an append, each with the number of the one that it wants.
        var waiting: [Int: (from: Int64, then: Shown)] = [:]
        var connections = 0
    }

    fileprivate let state = Protected(State())

    func connect() -> any Order {
        let number = state.write { state in
            state.connections += 1
            return state.connections
        }
        return Connection(number, to: self)
    }

    private final class Connection: Order, Sendable {
        private let number: Int
        private let order: ThreadedOrder

        init(_ number: Int, to order: ThreadedOrder) {
            self.number = number
            self.order = order
        }

        func stand(
            at sequence: Int64,
            then: @escaping @Sendable (Result<OrderStanding, OrderTrouble>) -> Void
        ) {
            let count = order.state.read { $0.items.count }
            then(
                .success(
                    OrderStanding(
                        life: HostsSimulation.life, low: 1, high: Int64(count), chain: nil, line: 0,
                        time: SystemClock().now())))
        }

        func append(
            _ append: EntryOutbox.Append, then: @escaping @Sendable (EntryOutbox.Outcome) -> Void
        ) {
            order.state.write { state in
                let before = state.items.last?.chain ?? HostsSimulation.life.identity
                state.items.append(
                    OrderedItem(
                        sequence: Int64(state.items.count + 1), token: append.token,
                        chain: OrderedItem.chain(after: before, token: append.token), line: 0,
                        time: SystemClock().now(), bytes: append.bytes))
            }
            then(.taken)
            order.show()
        }

        func read(
            from sequence: Int64, bytesMax: Int,
            then: @escaping @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void
        ) {
            order.state.write { $0.waiting[number] = (sequence, then) }
            order.show()
        }

        func close() {
            let waiting = order.state.write { $0.waiting.removeValue(forKey: number) }
            waiting?.then(.failure(OrderTrouble("closed")))
        }
    }

    private func show() {
        let shown = state.write { state -> [(Shown, [OrderedItem])] in
            let ready = state.waiting.filter { $0.value.from <= Int64(state.items.count) }
            for number in ready.keys { state.waiting[number] = nil }
            return ready.values.map { ($0.then, Array(state.items[Int($0.from - 1)...])) }
        }
        for (then, items) in shown { then(.success(items)) }
    }
}
