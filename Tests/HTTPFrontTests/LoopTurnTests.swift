import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// What one turn of a loop does, in steps: what is more than that waits for the next turns.
@Suite(.blocking) struct LoopTurnTests {
    private static let target = "/a?pad=" + String(repeating: "x", count: 600)

    /// Requests with such a target that begin in one turn which has so many steps for them.
    private static func requestsMax(_ steps: Int) -> Int {
        1 + steps
            / (HTTPFrontLimits.requestSteps
                + target.utf8.count / HTTPFrontLimits.targetBytesPerStep)
    }

    private func watch(
        _ server: LoopServer, counting count: @escaping @Sendable (Backstage.State) -> Int
    ) throws -> TurnWatch {
        let backstage = server.backstage
        server.expect(backstage.state.value.loops.count, becomes: 1)
        let loop = backstage.state.value.loops[0]
        return try TurnWatch({ job in loop.post { _ in job() } }) { backstage.state.read(count) }
    }

    @Test(arguments: [false, true])
    func requestsWithMuchToReadThatComeTogetherAreHandledSomeATurn(areFirst: Bool) throws {
        let server = try LoopServer()
        let clients = try (0..<60).map { _ in try server.connect() }
        if areFirst {
            try server.acceptAll()
        } else {
            for client in clients { #expect(try client.exchange("GET", "/b").text == "b") }
        }
        let before = server.handledCount
        let watch = try watch(server) { $0.handled.count }
        for client in clients { try client.send("GET", Self.target) }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "a") }
        #expect(server.handledCount - before == 60)
        #expect((1...Self.requestsMax(LoopTask.longRequests.stepsMax)).contains(watch.end()))
        #expect(server.server.census.pending == 0)
    }

    @Test func requestsThatTakeMuchForFewBytesAreHandledSomeATurn() throws {
        let (server, steps) = (try LoopServer(), 300)
        let clients = try (0..<40).map { _ in try server.connect() }
        let watch = try watch(server) { $0.handled.count }
        for client in clients { try client.send("GET", "/costly/\(steps)") }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().status == 200) }
        #expect((1...(1 + LoopTask.longRequests.stepsMax / steps)).contains(watch.end()))
    }

    @Test func aShortRequestDoesNotWaitBehindLongOnes() throws {
        let server = try LoopServer()
        let clients = try (0..<100).map { _ in try server.connect() }
        for client in clients { #expect(try client.exchange("GET", "/b").text == "b") }
        let watch = try watch(server) { $0.handled.count }
        for client in clients[1...] { try client.send("GET", Self.target) }
        try clients[0].send("GET", "/short")
        watch.begin()
        for client in clients { _ = try client.readAnswer() }
        let handled = server.backstage.state.value.handled.dropFirst(100)
        let longBefore = handled.prefix { $0 != "short" }.count
        #expect(longBefore <= 2 * Self.requestsMax(LoopTask.longRequests.stepsMax))
        _ = watch.end()
    }

    @Test func newConnectionsWhoseRequestsComeTogetherAreServedSomeATurn() throws {
        let server = try LoopServer()
        let most =
            1 + LoopTask.arrivals.stepsMax
            / (HTTPFrontLimits.parserSteps + HTTPFrontLimits.requestSteps)
        let clients = try (0..<3 * most).map { _ in try server.connect() }
        try server.acceptAll()
        let watch = try watch(server) { $0.handled.count }
        // No two have the same headers: libmicrohttpd reads each.
        for (number, client) in clients.enumerated() {
            try client.send("GET", "/a", headers: [("X-\(number)", "x")])
        }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "a") }
        #expect((1...most).contains(watch.end()))
    }

    @Test func answersThatAreWrittenLeaveNewRequestsWhatAllShare() throws {
        let server = try LoopServer()
        let readers = try (0..<20).map { _ in try server.connect() }
        let clients = try (0..<300).map { _ in try server.connect() }
        try server.acceptAll()
        let watch = try watch(server) { $0.handled.count { $0 == "a" } }
        for reader in readers { try reader.send("GET", "/size/1000000") }
        for client in clients { try client.send("GET", "/a") }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "a") }
        let share =
            LoopTask.arrivals.share / (HTTPFrontLimits.parserSteps + HTTPFrontLimits.requestSteps)
        #expect(watch.end() >= 2 * share)
        for reader in readers { #expect(try reader.readAnswer().body.count == 1_000_000) }
    }

    /// How many connections at most are found gone in one turn, when all peers go together.
    private func mostGoneAtOnce(_ clients: [RawClient], from server: LoopServer) throws -> Int {
        let (http, count) = (server.server, clients.count)
        let watch = try watch(server) { _ in count - http.census.connections }
        for client in clients { client.close() }
        watch.begin()
        server.expectEmpty()
        return watch.end()
    }

    @Test func connectionsWhosePeersGoTogetherAreClosedSomeATurn() throws {
        FileLimit.raise()
        let server = try LoopServer()
        let most = LoopTask.hangUps.stepsMax / HTTPFrontLimits.hangUpSteps + 1
        let count = 2 * most
        let clients = try (0..<count).map { _ in try server.connect() }
        try server.acceptAll()
        let gone = try mostGoneAtOnce(clients, from: server)
        #expect((1...most).contains(gone))
    }

    @Test func connectionsThatLeaveMuchUnsentAreClosedFewATurn() throws {
        let server = try LoopServer()
        let (bytes, count) = (1_500_000, 32)
        let steps = HTTPFrontLimits.hangUpSteps + bytes / HTTPFrontLimits.freedBytesPerStep
        // Those who are written to at that moment are found gone by that; two looks lie in two turns.
        let most = 2 * ((LoopTask.hangUps.stepsMax + LoopTask.writes.share) / steps + 2)
        try #require(most < count)
        let clients = try (0..<count).map { _ in try server.connect(.unix) }
        for client in clients {
            try client.send("GET", "/size/\(bytes)")
            _ = try client.readHead()
        }
        let gone = try mostGoneAtOnce(clients, from: server)
        #expect((1...most).contains(gone))
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func anAnswerThatIsOutCountsForItsMemory(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let bytes = 8_000_000
        let freeing = bytes / HTTPFrontLimits.freedBytesPerStep
        // Where its peer reads, it is written on at most thrice a turn.
        let sends = 3 * (1 + HTTPFrontLimits.sendBytesMax / HTTPFrontLimits.writtenBytesPerStep)
        try #require(freeing > sends && freeing + sends < LoopTask.writes.stepsMax)
        let client = try server.connect(transport)
        #expect(try client.exchange("GET", "/size/\(bytes)").body.count == bytes)
        let writes = try #require(
            server.server.loops[0].tasks.first { $0.kind == LoopTask.writes.name })
        server.expect(writes.mostSteps > freeing ? 1 : 0, becomes: 1)
    }

    @Test func requestsWithAKnownHeadThatComeTogetherAreHandledSomeATurn() throws {
        let server = try LoopServer()
        let target = Self.target.replacing("/a?", with: "/park?") + "&since="
        let teacher = try server.connect()
        #expect(try teacher.exchange("GET", target + "0").text == "at once")
        let clients = try (0..<60).map { _ in try server.connect() }
        try server.acceptAll()
        let watch = try watch(server) { $0.handled.count }
        for client in clients { try client.send("GET", target + "0") }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "at once") }
        #expect(server.knownCount >= 60)
        #expect((1...Self.requestsMax(LoopTask.longRequests.stepsMax)).contains(watch.end()))
    }

    @Test func messagesOfManyWebSocketsThatComeTogetherAreHandledSomeATurn() throws {
        let server = try LoopServer()
        let sockets = try (0..<20).map { _ in try server.openSocket() }
        let watch = try watch(server) { state in
            state.sockets.reduce(0) { $0 + $1.state.value.received.count }
        }
        let messages = (0..<64).flatMap { _ in Frame.text("m").encoded() }
        for (client, _) in sockets { try client.client.send(messages) }
        watch.begin()
        for (client, _) in sockets {
            for _ in 0..<64 { #expect(try client.next() == .text("m")) }
        }
        let most = LoopTask.messages.stepsMax / HTTPFrontLimits.requestSteps + 1
        #expect((1...most).contains(watch.end()))
    }

    @Test func aRequestThatWaitsForItsTurnIsAnsweredWhenTheTimeForDrainingIsOver() throws {
        let server = try LoopServer()
        let clients = try (0..<60).map { _ in try server.connect() }
        for client in clients { #expect(try client.exchange("GET", "/b").text == "b") }
        let watch = try watch(server) { $0.handled.count }
        for client in clients { try client.send("GET", Self.target) }
        let drained = server.beginDrain(within: .zero)
        watch.begin()
        try drained.wait()
        // Each is answered or closed, and none is left suspended in a parser that stops.
        for client in clients { _ = try? client.readToEnd() }
        _ = watch.end()
        #expect(server.server.census.pending == 0)
        server.expectEmpty()
    }

    @Test func idleConnectionsAreClosedSomeATurnWhenTheServerDrains() throws {
        FileLimit.raise()
        let server = try LoopServer()
        let most = LoopTask.drains.stepsMax / HTTPFrontLimits.drainSteps + 1
        let count = most + 50
        let clients = try (0..<count).map { _ in try server.connect() }
        for client in clients { #expect(try client.exchange("GET", "/a").text == "a") }
        let http = server.server
        let watch = try watch(server) { _ in count - http.census.connections }
        let drained = server.beginDrain()
        watch.begin()
        for client in clients { #expect(try client.readToEnd() == []) }
        try drained.wait()
        #expect((1...most).contains(watch.end()))
    }
}
