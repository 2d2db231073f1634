import Access
import Broadcasting
import Glibc
import Protection
import Telemetry
import TestSupport
import Topics
import Work

@testable import BusAPI
@testable import HTTPFront

/// A bus served over loopback inside the test's own process, which sees and sets what a built
/// daemon keeps to itself.
final class StreamServer {
    let bus: EventBus
    let groups: WorkGroups
    let service: BusService
    let memory: MemoryBudget
    private let server: HTTPServer
    let handles: Protected<[LoopHandle]>
    private let address: RawClient.Address

    init(
        _ configuration: BusAPIConfiguration = BusAPIConfiguration(
            access: AccessPolicy(administrator: getuid()), version: "0"),
        store: any EventStore = MemoryStore(ceiling: nil), memoryBytes: Int = 64 << 20,
        sendProgressSeconds: Int = 3_600, bootClock: BootClock = .system
    ) throws {
        memory = MemoryBudget(bytesMax: memoryBytes)
        bus = try EventBus(
            store: store, memory: memory, bootClock: bootClock, broadcaster: Broadcaster(),
            log: Self.log)
        groups = WorkGroups(on: bus, log: Self.log)
        service = BusService(
            bus: bus, groups: groups, configuration: configuration, memory: memory, log: Self.log,
            retryMilliseconds: { 1_234 })
        handles = Protected([])
        var http = HTTPServerConfiguration(listen: [
            .tcp(SocketAddress(numeric: "127.0.0.1", port: 0)!, optional: false)
        ])
        http.idleSeconds = 3_600
        http.sendProgressSeconds = sendProgressSeconds
        server = HTTPServer(
            configuration: http, log: Self.log, memory: memory,
            makeHandler: { [service, handles] loop, budget in
                handles.write { $0.append(loop) }
                return BusHandler(of: service, on: loop, within: budget)
            })
        guard case .tcp(let bound) = try server.start()[0] else {
            preconditionFailure("it listens where it was told to")
        }
        address = .tcp(bound.port)
    }

    deinit {
        drain()
        bus.close()
    }

    /// What its loops have done.
    var loops: [LoopMeters] { server.loops }

    /// Counts what its only loop does from turn to turn, once that has begun to run.
    func watch(counting count: @escaping @Sendable () -> Int) throws -> TurnWatch {
        try wait { !handles.value.isEmpty }
        let loop = handles.value[0]
        return try TurnWatch({ job in loop.post { _ in job() } }, counting: count)
    }

    /// Nobody reads what it logs.
    static let log = Log(level: .error) { _, _ in }

    /// Ends it, in at most a second.
    func drain() {
        bus.drain()
        groups.drain()
        server.drain(within: .seconds(1))
    }

    /// Drains its server on another thread; returns what opens when that has ended.
    func beginDrain(within limit: Duration) -> Gate {
        let drained = Gate()
        onThreadOfItsOwn { [server] in
            server.drain(within: limit)
            drained.open()
        }
        return drained
    }

    /// Returns when something holds that other threads bring about.
    func wait(within seconds: Double = 60, until holds: () -> Bool) throws {
        let due = MonotonicClock.milliseconds() + UInt64(seconds * 1_000)
        while !holds() {
            guard MonotonicClock.milliseconds() < due else {
                throw RawClient.Failure.timedOut(received: "")
            }
            poll(nil, 0, 1)
        }
    }

    /// Returns when so many connections are parked, and its only loop has done all that follows from the
    /// last one that came or went: it counts first.
    func wait(forParked count: Int) throws {
        try wait { loops[0].parked.value == count && !handles.value.isEmpty }
        let hasPassed = Gate()
        handles.value[0].post { _ in hasPassed.open() }
        try hasPassed.wait()
    }

    func connect(receiveBufferBytes: Int32? = nil) throws -> RawClient {
        try RawClient(address, receiveBufferBytes: receiveBufferBytes)
    }

    /// Asks for a stream and reads the head of the answer.
    func open(_ target: String, receiveBufferBytes: Int32? = nil) throws -> RawClient {
        let client = try connect(receiveBufferBytes: receiveBufferBytes)
        try client.send("GET", target)
        let head = try client.readHead()
        guard head.status == 200 else { throw RawClient.Failure.malformed(head.statusLine) }
        return client
    }

    /// Publishes one event, and returns once it is visible.
    @discardableResult
    func publish(_ text: String, to topic: String) throws -> EventID {
        let gate = Gate()
        let receipt = Protected<Result<PublishReceipt, BusError>?>(nil)
        bus.publish(
            PublishBatch(
                topic: try TopicName(topic),
                metadata: try EventMetadata(type: nil, key: nil, contentType: nil),
                sender: .unknown, payloads: [Payload(Array(text.utf8))])
        ) { result in
            receipt.value = result
            gate.open()
        }
        try gate.wait()
        return try receipt.value!.get().last
    }

    /// Deletes a topic, and returns once that is visible.
    func remove(_ topic: String) throws {
        let gate = Gate()
        bus.remove(try TopicName(topic)) { _ in gate.open() }
        try gate.wait()
    }
}
