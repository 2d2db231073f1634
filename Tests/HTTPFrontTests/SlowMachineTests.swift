import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// A loop on a machine on which each turn is late as soon as its time is looked at.
@Suite(.blocking) struct SlowMachineTests {
    private let server: LoopServer

    init() throws {
        server = try LoopServer(turnTime: .ofASlowMachine)
    }

    /// Steps of a kind of work that can wait, before a turn is late and then.
    private static let stepsMax =
        max(HTTPFrontLimits.stepsPerLook, HTTPFrontLimits.lateStepsPerKind)

    private var cutShort: Int { server.server.loops[0].turnsCutShort.value }

    private func watch(
        counting count: @escaping @Sendable (Backstage.State) -> Int
    ) throws -> TurnWatch {
        let backstage = server.backstage
        server.expect(backstage.state.value.loops.count, becomes: 1)
        let loop = backstage.state.value.loops[0]
        return try TurnWatch({ job in loop.post { _ in job() } }) { backstage.state.read(count) }
    }

    @Test func messagesThatComeTogetherTakeMoreTurns() throws {
        let sockets = try (0..<20).map { _ in try server.openSocket() }
        let watch = try watch { state in
            state.sockets.reduce(0) { $0 + $1.state.value.received.count }
        }
        let messages = (0..<16).flatMap { _ in Frame.text("m").encoded() }
        for (client, _) in sockets { try client.client.send(messages) }
        watch.begin()
        for (client, _) in sockets {
            for _ in 0..<16 { #expect(try client.next() == .text("m")) }
        }
        #expect((1...(Self.stepsMax / HTTPFrontLimits.requestSteps + 1)).contains(watch.end()))
        #expect(cutShort > 0)
    }

    @Test func deadlinesThatPassTogetherAreToldInMoreTurns() throws {
        let count = 60
        let clients = try (0..<count).map { _ in try server.connect() }
        try server.acceptAll()
        let teacher = try server.connect()
        #expect(try teacher.exchange("GET", "/park/0?since=1").text == "timed out")
        let watch = try watch { $0.timedOut }
        for client in clients { try client.send("GET", "/park/0?since=1") }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "timed out") }
        #expect(server.knownCount >= count)
        #expect((1...(Self.stepsMax / HTTPFrontLimits.deadlineSteps + 1)).contains(watch.end()))
        #expect(cutShort > 0)
    }

    @Test func newRequestsKeepTheirShareOfATurn() throws {
        let clients = try (0..<200).map { _ in try server.connect() }
        try server.acceptAll()
        let watch = try watch { $0.handled.count }
        for client in clients { try client.send("GET", "/a") }
        watch.begin()
        for client in clients { #expect(try client.readAnswer().text == "a") }
        let share =
            LoopTask.arrivals.share / (HTTPFrontLimits.parserSteps + HTTPFrontLimits.requestSteps)
        #expect((share...(2 * share)).contains(watch.end()))
        #expect(cutShort > 0)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func everythingIsDoneInTheEnd(_ transport: LoopServer.Transport) throws {
        let readers = try (0..<8).map { _ in try server.connect(transport) }
        let long = "/a?pad=" + String(repeating: "x", count: 600)
        let askers = try (0..<40).map { _ in try server.connect(transport) }
        let socket = try server.openSocket(on: transport)
        for reader in readers { try reader.send("GET", "/size/1000000") }
        for (number, asker) in askers.enumerated() {
            try asker.send("GET", number % 2 == 0 ? long : "/park/0")
        }
        try socket.client.client.send((0..<64).flatMap { _ in Frame.text("m").encoded() })
        for reader in readers { #expect(try reader.readAnswer().body.count == 1_000_000) }
        for (number, asker) in askers.enumerated() {
            #expect(try asker.readAnswer().text == (number % 2 == 0 ? "a" : "timed out"))
        }
        for _ in 0..<64 { #expect(try socket.client.next() == .text("m")) }
        let drained = server.beginDrain()
        for client in readers + askers { #expect(try client.readToEnd() == []) }
        socket.client.client.close()
        try drained.wait()
        server.expectEmpty()
    }
}
