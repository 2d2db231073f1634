import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// Answers that a turn of a loop makes for many are sent together, and none is lost by that.
@Suite(.blocking) struct OutboxTests {
    private static func post(_ body: String) -> String {
        "POST /again HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Keeps the server's loop from its next turn until `open`.
    private final class Hold {
        private let begun = Gate()
        private let ended = Gate()

        init(_ server: LoopServer) throws {
            let (begun, ended) = (begun, ended)
            server.backstage.state.value.loops[0].post { _ in
                begun.open()
                try? ended.wait()
            }
            try begun.wait()
        }

        func open() { ended.open() }
    }

    private func connection(_ slot: Int) -> Connection {
        Connection(slot: slot, generation: 1, descriptor: -1, peer: Peer(transport: .unix))
    }

    private func answer(_ text: String) -> Response {
        Response(status: 200, body: .bytes(Array(text.utf8)))
    }

    @Test func eachAnswerIsSentOnceAndInOrder() {
        var outbox = Outbox()
        let connections = (0..<3).map(connection)
        for (slot, text) in ["first", "", "third"].enumerated() {
            outbox.add(
                answer(text), for: ResponseContext(), closes: slot == 2, to: connections[slot])
        }
        var sent: [String] = []
        let note = { (answer: Outbox.Answer, bytes: UnsafeRawBufferPointer) in
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("Connection: close") == answer.closes)
            let body = text.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)[1]
            sent.append("\(answer.connection.slot) \(body) \(answer.closes)")
        }
        outbox.drain(note)
        #expect(sent == ["0 first false", "1  false", "2 third true"])
        outbox.drain(note)
        #expect(sent.count == 3)
    }

    @Test func whoIsClosedMeanwhileIsLeftOut() {
        var outbox = Outbox()
        let connections = (0..<3).map(connection)
        for connection in connections {
            outbox.add(
                answer("\(connection.slot)"), for: ResponseContext(), closes: false, to: connection)
        }
        connections[1].machine.close()
        var sent: [UInt8] = []
        outbox.drain { sent.append($1.last!) }
        #expect(sent == Array("02".utf8))
    }

    @Test func itIsFullBeforeItTakesMuchMemory() {
        var outbox = Outbox()
        outbox.isGathering = true
        let one = connection(0)
        let kilobyte = answer(String(repeating: "x", count: 1_000))
        var count = 0
        while !outbox.isDue {
            outbox.add(kilobyte, for: ResponseContext(), closes: false, to: one)
            count += 1
        }
        var bytes = 0
        outbox.drain { bytes += $1.count }
        #expect(bytes >= HTTPFrontLimits.outboxBytesMax)
        #expect(bytes < HTTPFrontLimits.outboxBytesMax + bytes / count)
        #expect(!outbox.isDue)
    }

    @Test(arguments: LoopServer.Transport.allCases, [1, 900])
    func everybodyWhoAsksInOneTurnGetsTheirOwnAnswer(
        _ transport: LoopServer.Transport, bodyBytes: Int
    ) throws {
        let server = try LoopServer()
        let clients = try (0..<100).map { _ in try server.connect(transport) }
        func body(_ index: Int) -> String {
            "\(index) " + String(repeating: "x", count: bodyBytes)
        }
        // The third request of a connection is known at the latest.
        for _ in 0..<3 {
            for (index, client) in clients.enumerated() {
                try client.send(Self.post(body(index)))
                #expect(try client.readAnswer().text == body(index))
            }
        }
        let hold = try Hold(server)
        let turns = server.server.loops[0].turns
        server.backstage.state.turnsEnded = { turns.counts.reduce(0, +) }
        for (index, client) in clients.enumerated() { try client.send(Self.post(body(index))) }
        // A busy kernel delivers late; what has arrived over TCP is acknowledged.
        if transport == .tcp {
            server.expect(clients.reduce(0) { $0 + $1.unacknowledgedBytes }, becomes: 0)
        }
        for (index, client) in clients.enumerated() where index % 3 == 0 { client.reset() }
        hold.open()
        let answered = clients.indices.filter { $0 % 3 != 0 }
        for index in answered {
            #expect(try clients[index].readAnswer().text == body(index))
        }
        // Resets, and what is read of answers, may have turns of their own.
        let turnsOfAnswers = server.backstage.state.value.turnsOfAgain
        #expect(turnsOfAnswers.count >= answered.count)
        #expect(Set(turnsOfAnswers).count < answered.count)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whoIsAnsweredInTheTurnOfADrainGetsTheAnswer(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let clients = try (0..<50).map { _ in try server.connect(transport) }
        for client in clients { try client.send("GET /park HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        server.expect(server.server.census.parked, becomes: clients.count)
        let hold = try Hold(server)
        server.backstage.finishParked("answered")
        let loop = server.backstage.state.value.loops[0]
        loop.mailbox.post(.drain(until: MonotonicClock.milliseconds() + 3_600_000))
        hold.open()
        for client in clients {
            #expect(try client.readAnswer().text == "answered")
            #expect(try client.readToEnd() == [])
        }
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whoDoesNotReadTheirAnswersGetsEachWholeLater(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        let answers = server.server.loops[0].answers
        func body(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 900) }
        // The third request of a connection is known at the latest.
        for _ in 0..<3 {
            try client.send(Self.post("known"))
            #expect(try client.readAnswer().text == "known")
        }
        server.expect(server.memory.used(.unsent), becomes: 0)
        var sent = 0
        while server.memory.used(.unsent) == 0 {
            try client.send(Self.post(body(sent)))
            sent += 1
            server.expect(
                answers.value == 3 + sent || server.memory.used(.unsent) > 0 ? 1 : 0, becomes: 1)
        }
        for number in 0..<sent { #expect(try client.readAnswer().text == body(number)) }
        #expect(server.knownCount >= sent - 1)
        server.expect(server.memory.used(.unsent), becomes: 0)
    }
}
