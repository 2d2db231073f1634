import Protection
import TestSupport
import Testing

@testable import HTTPFront

/// Peers that send too fast, read too slowly, or answer nothing.
@Suite(.blocking) struct WebSocketPressureTests {
    @Test func pausedSocketDeliversNothingMore() throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket("/ws/pausing")
        try client.client.send((0..<5).flatMap { Frame.text("\($0)").encoded() })
        for count in 1...5 {
            server.expect(view.state.value.received.count, becomes: count)
            try server.acceptAll()
            #expect(view.state.value.received.count == count)
            #expect(try client.next() == .text("\(count - 1)"))
            view.run { echo in echo.inside { $0.resumeReading() } }
        }
        #expect(view.state.value.received == (0..<5).map { "\($0)" })
        #expect(!view.state.value.wasReentered)
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    /// The kernel's buffers fill, and nobody's memory.
    @Test func pausedSocketStopsItsPeer() throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket("/ws/pausing")
        let message = Frame(2, [UInt8](repeating: 1, count: 60_000)).encoded()
        #expect(throws: RawClient.Failure.self) {
            for _ in 0..<1000 { try client.client.send(message, within: 0.2) }
        }
        #expect(view.state.value.receivedBytes == 60_000)
        #expect(server.memory.used(.bodies) <= HTTPFrontLimits.receiveBufferBytes)
        // It cannot close in the middle of a frame, and need not.
        client.client.reset()
        view.run { echo in
            echo.pauses = false
            echo.inside { $0.resumeReading() }
        }
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test func messageThatTricklesIsGivenUp() throws {
        let server = try LoopServer { $0.bodySeconds = 1 }
        let (client, view) = try server.openSocket()
        try client.send(Frame(1, [65], isFinal: false))
        try client.send(Frame(0, [65]))
        #expect(try client.next() == .text("AA"))
        try client.send(Frame(1, [65], isFinal: false))
        // What comes in between makes it no younger.
        while view.state.value.closed == 0 {
            try? client.send(Frame(9))
            if case .close(let code, _) = try client.next() {
                #expect(code == 1013)
                break
            }
        }
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
        #expect(server.server.loops[0].timeouts.value == 1)
        server.expectEmpty()
    }

    @Test func pausedMessageMayTakeItsTime() throws {
        let server = try LoopServer { $0.bodySeconds = 1 }
        let (client, view) = try server.openSocket("/ws/pausing")
        try client.client.send(
            Frame.text("one").encoded() + Frame(1, [65], isFinal: false).encoded())
        #expect(try client.next() == .text("one"))
        let (quiet, other) = try server.openSocket()
        try quiet.send(Frame(1, [65], isFinal: false))
        server.expect(other.state.value.closed, becomes: 1)
        #expect(view.state.value.closed == 0)
        view.run { echo in echo.inside { $0.resumeReading() } }
        try client.send(Frame(0, [65]))
        #expect(try client.next() == .text("AA"))
    }

    @Test func whatPausedSocketsKeepIsBounded() throws {
        let server = try LoopServer(memoryBytes: 256 * 1024)
        let sockets = try (0..<8).map { _ in try server.openSocket("/ws/pausing") }
        let many = (0..<3000).flatMap { _ in Frame.text("x").encoded() }
        for (client, view) in sockets {
            try client.client.send(many)
            server.expect(view.state.value.received.count, becomes: 1)
        }
        try server.acceptAll()
        let share = 256 * 1024 / HTTPFrontLimits.bodiesMemoryFraction
        #expect(server.memory.used(.bodies) <= share)
        #expect(sockets.last!.view.state.value.closed == 1)
        #expect(sockets[0].view.state.value.closed == 0)
    }

    @Test func talkerGetsItsShareOfEachTurnAndNoMore() throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket("/ws/silent")
        try client.client.send((0..<5000).flatMap { _ in Frame.text("x").encoded() })
        server.expect(view.state.value.received.count, becomes: 5000)
        #expect(view.state.value.mostAtOnce <= HTTPFrontLimits.webSocketEventsPerTurnMax)
        #expect(view.state.value.mostAtOnce > 1)
        #expect(server.memory.used == 0)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func answersWaitForASlowReader(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.openSocket(on: transport, receiveBufferBytes: 4096)
        let texts = (0..<6).map { index in String(repeating: "\(index)", count: 60_000) }
        for text in texts {
            try client.send(.text(text))
            server.expect(view.state.value.received.last == text ? 1 : 0, becomes: 1)
        }
        #expect(server.memory.used(.unsent) >= 60_000)
        for round in 1...5 { try client.send(Frame(9, [UInt8(round)])) }
        for text in texts { try client.send(.text(text)) }
        server.expect(view.state.value.received.count, becomes: 2 * texts.count)
        #expect(try client.next() == .text(texts[0]))
        // Of pings that could not be answered at once, the last is.
        #expect(try client.next() == .pong([5]))
        for text in texts.dropFirst() + texts { #expect(try client.next() == .text(text)) }
        server.expect(server.memory.used, becomes: 0)
        #expect(!view.state.value.wasReentered)
    }

    @Test func closeIsEchoedBehindWhatIsPending() throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.openSocket(receiveBufferBytes: 4096)
        let text = String(repeating: "x", count: 70_000)
        for _ in 0..<4 { try client.send(.text(text)) }
        try client.send(.close(3210, "bye"))
        server.expect(view.state.value.closed, becomes: 1)
        #expect(try client.next(within: 60) == .text(text))
        let close = try client.readClose()
        #expect(close?.code == 3210)
        server.expectEmpty()
    }

    /// The deadline passes when the test says so: how long an answer takes on the way does not matter.
    @Test func pingIsAnsweredOrThePeerIsStalled() throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket("/ws/heartbeat/600000")
        let passDeadline: @Sendable (SocketEcho) -> Void = { echo in
            echo.inside { $0.setDeadline(milliseconds: 1) }
        }
        for round in 0..<3 {
            view.run(passDeadline)
            #expect(try client.next() == .ping([]))
            try client.send(Frame(10))
            // Its answer shows that what came before it was read.
            try client.send(.text("\(round)"))
            #expect(try client.next() == .text("\(round)"))
        }
        #expect(view.state.value.stalled == 0)
        view.run(passDeadline)
        #expect(try client.next() == .ping([]))
        view.run(passDeadline)
        #expect(try client.next() == .close(1013, "no progress"))
        #expect(view.state.value.stalled == 1)
        #expect(!view.state.value.wasReentered)
        try client.send(.close(1013))
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test func readerThatTakesNothingIsStalled() throws {
        let server = try LoopServer {
            $0.socketSendBufferBytes = 4096
            $0.sendProgressSeconds = 1
            $0.webSocketCloseSeconds = 1
        }
        // Made before the clock runs: they are out before the server can be done with them.
        let frame = Frame(2, [UInt8](repeating: 1, count: 70_000)).encoded()
        let frames = (0..<4).flatMap { _ in frame }
        let (client, view) = try server.openSocket(receiveBufferBytes: 4096)
        try client.client.send(frames)
        server.expect(view.state.value.stalled, becomes: 1)
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test func peerThatDoesNotAnswerACloseIsLeft() throws {
        let server = try LoopServer { $0.webSocketCloseSeconds = 1 }
        let (client, view) = try server.openSocket()
        view.run { echo in echo.inside { $0.close(.leaving) } }
        #expect(try client.next() == .close(1001, ""))
        #expect(try client.client.readToEnd() == [])
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func peersThatVanishAreNoticedOnce(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let sockets = try (0..<20).map { _ in try server.openSocket(on: transport) }
        for (index, socket) in sockets.enumerated() {
            if index % 3 == 0 { try socket.client.client.send([0x81, 0xFE, 1]) }
            index.isMultiple(of: 2) ? socket.client.client.close() : socket.client.client.reset()
        }
        for socket in sockets { server.expect(socket.view.state.value.closed, becomes: 1) }
        server.expectEmpty()
        #expect(sockets.allSatisfy { $0.view.state.value.closed == 1 })
    }

    @Test(arguments: [true, false])
    func drainTellsSocketsThatTheServerRestarts(answers: Bool) throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket()
        let drained = server.beginDrain(within: answers ? .seconds(60) : .milliseconds(200))
        #expect(try client.next() == .close(1012, "the server restarts"))
        if answers { try client.send(.close(1012)) }
        #expect(try client.client.readToEnd() == [])
        try drained.wait()
        #expect(view.state.value.closed == 1)
        #expect(server.server.census == ServerCensus())
        #expect(server.memory.used == 0)
    }
}
