import Access
import Glibc
import Protection
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// What one caller may have waiting for the store, over all of their connections and doors.
@Suite(.blocking) struct CommitQueueShareTests {
    private let store = StalledStore()
    private let server: StreamServer
    private let payload = [UInt8](repeating: 0x78, count: 3_000)

    init() throws {
        var configuration = BusAPIConfiguration(
            access: AccessPolicy(administrator: getuid()), version: "0")
        configuration.queuedBytesPerUIDMax = 5_000
        server = try StreamServer(configuration, store: store)
    }

    @Test func whatIsBeyondItIsRefusedUntilTheStoreHasTheRest() throws {
        let (first, second) = (try server.connect(), try server.connect())
        try first.send("POST", "/topics/t", body: payload)
        try store.await(1)
        let refused = try second.exchange("POST", "/topics/t", body: payload)
        #expect(refused.status == 429)
        #expect(refused.text.contains("\"code\":\"LIMIT_CALLER\""), "\(refused.text)")
        #expect(refused.header("retry-after") == "1")
        try second.send("POST", "/topics/t", body: [0x79])
        try store.await(2)
        store.open()
        #expect(try first.readAnswer().status == 201)
        #expect(try second.readAnswer().status == 201)
        #expect(try second.exchange("POST", "/topics/t", body: payload).status == 201)
        #expect(server.bus.statistics.published == 3)
    }

    @Test func aRepeatedPublishIsRefusedLikeAnyOther() throws {
        store.open()
        let (first, second) = (try server.connect(), try server.connect())
        for client in [first, second] {
            for _ in 0..<3 {
                #expect(try client.exchange("POST", "/topics/t", body: payload).status == 201)
            }
        }
        store.stall()
        try first.send("POST", "/topics/t", body: payload)
        try store.await(1)
        let refused = try second.exchange("POST", "/topics/t", body: payload)
        #expect(refused.status == 429)
        #expect(refused.text.contains("\"code\":\"LIMIT_CALLER\""), "\(refused.text)")
        #expect(server.loops[0].repeats.value == 7)
        store.open()
        #expect(try first.readAnswer().status == 201)
        #expect(try second.exchange("POST", "/topics/t", body: payload).status == 201)
        #expect(server.loops[0].repeats.value == 8)
        #expect(server.bus.statistics.published == 8)
    }

    @Test func oneBatchAlwaysMayHoweverLargeItIs() throws {
        store.open()
        let body = [UInt8](repeating: 0x78, count: 50_000)
        for _ in 0..<3 {
            let answer = try server.connect().exchange("POST", "/topics/t", body: body)
            #expect(answer.status == 201)
        }
    }

    @Test func messagesOfWebSocketsCountToo() throws {
        let first = try server.connect()
        try first.send("POST", "/topics/t", body: payload)
        try store.await(1)
        let client = try server.connect()
        try client.send("GET", "/topics/t", headers: WebSocketClient.handshake)
        let socket = try WebSocketClient(accepting: client)
        try socket.send(message(1))
        let refused = try answer(to: 1, on: socket)
        #expect(
            refused.contains("\"status\":429") && refused.contains("LIMIT_CALLER"), "\(refused)")
        store.open()
        #expect(try first.readAnswer().status == 201)
        try socket.send(message(2))
        #expect(try answer(to: 2, on: socket).contains("\"id\""))
    }

    private func message(_ ref: Int) -> WebSocketFrame {
        let data = String(repeating: "x", count: payload.count)
        return .text("{\"ref\":\(ref),\"data\":\"\(data)\"}")
    }

    /// The answer to a message; events and cursors come between.
    private func answer(to ref: Int, on socket: WebSocketClient) throws -> String {
        while true {
            if case .text(let text) = try socket.next(), text.hasPrefix("{\"ref\":\(ref),") {
                return text
            }
        }
    }
}

/// A store in memory that takes nothing until it is opened.
private final class StalledStore: EventStore {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let inner = MemoryStore(ceiling: nil)
    private let state = Protected(State())
    private let arrivals = [Gate(), Gate()]

    var capabilities: StoreCapabilities { inner.capabilities }
    var readiness: Readiness { inner.readiness }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        try inner.open(context)
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        let commit: @Sendable () -> Void = { [inner] in inner.commit(entry, then: then) }
        let waiting = state.write { state -> Int? in
            guard !state.isOpen else { return nil }
            state.waiting.append(commit)
            return state.waiting.count
        }
        guard let waiting else { return commit() }
        arrivals[waiting - 1].open()
    }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        inner.read(request, then: then)
    }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        inner.trim(trim, then: then)
    }

    func close() { inner.close() }

    /// Waits until so many entries wait, one or two.
    func await(_ count: Int) throws { try arrivals[count - 1].wait() }

    /// Has everything wait from now on, until it is opened.
    func stall() { state.write { $0.isOpen = false } }

    /// Commits what waits, and from now on everything at once.
    func open() {
        let waiting = state.write { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for commit in waiting { commit() }
    }
}
