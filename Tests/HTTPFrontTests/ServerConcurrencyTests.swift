import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct ServerConcurrencyTests {
    /// libmicrohttpd's own waiting stalls when exactly 128 connections are ready at one time.
    @Test(arguments: [1, 3], [127, 128, 129, 256])
    func simultaneousRequestsAreAllAnswered(loops: Int, count: Int) throws {
        let server = try LoopServer(loops: loops)
        let clients = try (0..<count).map { _ in try server.connect() }
        for round in 0..<2 {
            // The loops stand still until every request is there, so that all are ready at once.
            let gate = Gate()
            for loop in server.backstage.state.value.loops {
                loop.post { _ in try? gate.wait() }
            }
            for (index, client) in clients.enumerated() {
                try client.send("GET", "/r/\(round)/\(index)")
            }
            gate.open()
            for (index, client) in clients.enumerated() {
                #expect(try client.readAnswer().text == "r/\(round)/\(index)")
            }
        }
        for client in clients { client.close() }
        server.expectEmpty()
    }

    @Test(arguments: [1, 3])
    func lateAnswersOfOneBatchReachTheirRequests(loops: Int) throws {
        let server = try LoopServer(loops: loops)
        let clients = try (0..<128).map { _ in try server.connect() }
        for _ in 0..<3 {
            for client in clients { try client.send("POST", "/later", body: [1]) }
            let replies = server.replies(128)
            PendingReply.send(replies.map { ($0, LoopHandler.text("\($0.number)")) })
            for client in clients { #expect(try client.readAnswer().status == 200) }
        }
        for client in clients { client.close() }
        server.expectEmpty()
    }

    @Test func handlersAreMadeOncePerLoopOnTheirThreads() throws {
        let server = try LoopServer(loops: 3)
        server.expect(server.backstage.state.value.loops.count, becomes: 3)
        #expect(Set(server.backstage.state.value.loops.map(\.index)) == [0, 1, 2])
    }

    @Test func waitsOfManyClientsEndTogether() throws {
        let server = try LoopServer(loops: 2)
        let clients = try (0..<300).map { _ in try server.connect() }
        for round in 0..<3 {
            for client in clients { try client.send("GET", "/park") }
            server.expect(server.server.census.parked, becomes: 300)
            server.backstage.finishParked("event \(round)")
            for client in clients { #expect(try client.readAnswer().text == "event \(round)") }
        }
        for client in clients { client.close() }
        server.expectEmpty()
    }

    @Test func connectionsBeyondTheMaximumAreToldSo() throws {
        let server = try LoopServer { $0.connectionsMax = 4 }
        let clients = try (0..<4).map { _ in try server.connect() }
        for client in clients { #expect(try client.exchange("GET", "/a").text == "a") }
        let refused = try server.connect()
        let answer = try refused.readAnswer()
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "1")
        #expect(answer.text.contains("LIMIT_BUS"))
        #expect(try refused.readToEnd() == [])
        clients[0].close()
        server.expect(server.server.census.connections, becomes: 3)
        #expect(try server.connect().exchange("GET", "/b").text == "b")
        withExtendedLifetime(clients) {}
    }
}
