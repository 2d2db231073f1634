import StoreSupport
import TestSupport
import Testing

@testable import BusAPI

/// Requests for single events that only the store has.
@Suite(.blocking) struct StoredEventTests {
    private let folder = TemporaryFolder()

    private func start(memoryBytes: Int = 64 << 20) throws -> (StreamServer, DoorStore) {
        let store = DoorStore(in: folder, log: StreamServer.log)
        return (try StreamServer(store: store, memoryBytes: memoryBytes), store)
    }

    @Test func eventsOfTheStoreCountBeforeTheyAreReadAndWaitForRoom() throws {
        var id = ""
        do {
            let (server, _) = try start()
            defer { withExtendedLifetime(server) {} }
            let answer = try server.connect().exchange("POST", "/topics/t", body: [0x78])
            id = try #require(answer.header("event-id"))
        }
        // A quarter of it has room for one event.
        let (server, store) = try start(memoryBytes: 4 << 20)
        store.shut()
        let clients = try (0..<3).map { _ in try server.connect() }
        for client in clients { try client.send("GET", "/topics/t/events/\(id)") }
        try server.wait { store.waiting > 0 }
        #expect(server.memory.used(.unsent) >= server.bus.limits.eventBytesMax)
        #expect(store.waiting == 1)
        store.open()
        for client in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.text == "x")
        }
        try server.wait { server.memory.used(.unsent) == 0 }
    }
}
