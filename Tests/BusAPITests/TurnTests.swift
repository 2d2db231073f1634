import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// What one turn of a loop does about those who wait: the rest is left for the next turns.
@Suite(.blocking) struct TurnTests {
    private let server: StreamServer
    private static let pollsMax = Limits.deliveriesPerTurnMax + 50

    init() throws {
        FileLimit.raise()
        server = try StreamServer()
    }

    private func poll(_ topic: String) throws -> [RawClient] {
        let clients = try (0..<Self.pollsMax).map { _ in try server.connect() }
        for client in clients { try client.send("GET", "/topics/\(topic)?wait=60s") }
        try server.wait { server.service.waitingCount == clients.count }
        return clients
    }

    @Test func aDrainAnswersThoseWhoWaitSomeATurn() throws {
        let clients = try poll("t")
        let service = server.service
        let watch = try server.watch { Self.pollsMax - service.waitingCount }
        let drained = server.beginDrain(within: .seconds(60))
        watch.begin()
        for client in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 204 && answer.header("Event-Cursor") != nil)
        }
        try drained.wait()
        #expect((1...Limits.deliveriesPerTurnMax).contains(watch.end()))
    }

    @Test func aRemovalAnswersThoseWhoWaitSomeATurn() throws {
        try server.publish("1", to: "t")
        let clients = try poll("t")
        let service = server.service
        let watch = try server.watch { Self.pollsMax - service.waitingCount }
        try server.remove("t")
        try server.publish("2", to: "t")
        watch.begin()
        // What is published behind a removal is not for those who waited before it.
        for client in clients { #expect(try client.readAnswer().status == 410) }
        #expect((1...Limits.deliveriesPerTurnMax).contains(watch.end()))
    }

    @Test func patternsOfReadersThatGoTogetherAreForgottenSomeATurn() throws {
        let before = server.memory.used(.selectors)
        let clients = try (0..<40).map { number in
            let patterns = (0..<100).map { "*.n\(number).*.part\($0)" }.joined(separator: ",")
            return try server.open("/topics/\(patterns)?as=ndjson")
        }
        let memory = server.memory
        let held = memory.used(.selectors)
        #expect(held > before)
        let watch = try server.watch { held - memory.used(.selectors) }
        for client in clients { client.close() }
        watch.begin()
        try server.wait { memory.used(.selectors) == before }
        let bytes = try Selector("a.*").waitingBytes
        #expect(watch.end() <= (Limits.clearedTermsPerTurnMax + 100) * bytes)
        #expect(server.bus.statistics.subscribers == 0)
    }
}
