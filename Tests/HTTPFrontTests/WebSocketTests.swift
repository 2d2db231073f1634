import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct WebSocketTests {
    @Test(arguments: LoopServer.Transport.allCases)
    func messagesGoBothWays(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket(on: transport)
        #expect(client.answer.header("X-Own") == "1")
        #expect(client.answer.header("Cache-Control") == "no-store")
        for text in ["one", "", "€", String(repeating: "long ", count: 12_000)] {
            try client.send(.text(text))
            #expect(try client.next() == .text(text))
        }
        try client.send(Frame(2, [0, 255]))
        #expect(try client.next() == .binary([0, 255]))
        #expect(server.server.census.parked == 1)
        #expect(!view.state.value.wasReentered)
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func aSocketThatIsOpenedLaterHasLostNothingThatCameMeanwhile(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer()
        let (raw, view) = try server.askForSocket("/ws/later", on: transport)
        try raw.send(Frame.text("early").encoded())
        #expect(raw.isSilent(for: 0.05))
        view.run { $0.open() }
        let client = try WebSocketClient(accepting: raw)
        #expect(try client.next() == .text("begun"))
        #expect(try client.next() == .text("early"))
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test func aSocketMayBeRefusedLaterAndTheConnectionGoesOn() throws {
        let server = try LoopServer()
        let (raw, view) = try server.askForSocket("/ws/later")
        view.run { $0.refuse(LoopHandler.text("no")) }
        #expect(try raw.readAnswer().text == "no")
        let (_, next) = try server.askForSocket("/ws/later", over: raw)
        next.run { $0.open() }
        let client = try WebSocketClient(accepting: raw)
        #expect(try client.next() == .text("begun"))
        client.client.close()
        server.expect(next.state.value.closed, becomes: 1)
        #expect(view.state.value.closed == 0)
        server.expectEmpty()
    }

    @Test func whoeverLeavesBeforeItsSocketIsOpenedIsNoticed() throws {
        let server = try LoopServer()
        let (raw, view) = try server.askForSocket("/ws/later")
        raw.close()
        server.expect(view.state.value.closed, becomes: 1)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func framesAreAnsweredAsTheStandardSays(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        for example in FrameCase.all {
            let found = Result { try exchange(example, server.openSocket(on: transport), server) }
            if case .failure(let error) = found { Issue.record("\(example.name): \(error)") }
        }
        server.expectEmpty()
    }

    private func exchange(
        _ example: FrameCase, _ socket: (client: WebSocketClient, view: SocketView),
        _ server: LoopServer
    ) throws {
        let (client, view) = socket
        try? client.client.send(example.bytes)
        var wanted = try example.events.compactMap(answer)
        if case .close(let code, _) = wanted.last {
            #expect(try messages(client, wanted.count - 1) == wanted.dropLast(), "\(example.name)")
            let close = try #require(try client.readClose())
            #expect(close.code == code, "\(example.name)")
        } else {
            try? client.client.send(Frame(9, Array("end".utf8)).encoded())
            wanted.append(.pong(Array("end".utf8)))
            #expect(try messages(client, wanted.count) == wanted, "\(example.name)")
        }
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func ownersCloseIsAnsweredAndThenHeard(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket(on: transport)
        view.run { echo in
            echo.inside {
                $0.close(.deleted, "gone")
                $0.close(.normal, "too late")
                $0.ping()
                #expect($0.write(.bytes([0])) == false)
            }
        }
        #expect(try client.next() == .close(4410, "gone"))
        #expect(view.state.value.closed == 0)
        // What was on its way when the close came is not delivered any more.
        try client.send(.text("late"))
        #expect(view.state.value.closed == 0)
        try client.send(.close(4410))
        #expect(try client.client.readToEnd() == [])
        server.expect(view.state.value.closed, becomes: 1)
        #expect(view.state.value.received == [])
        #expect(!view.state.value.wasReentered)
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func messagesBeforeAnEndAreAllDelivered(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let (client, view) = try server.openSocket("/ws/silent", on: transport)
        try client.client.send((0..<1000).flatMap { Frame.text("\($0)").encoded() })
        client.client.close()
        server.expect(view.state.value.closed, becomes: 1)
        #expect(view.state.value.received == (0..<1000).map { "\($0)" })
        server.expectEmpty()
    }

    /// The client's frames that the machine makes something of, as the echo answers them.
    private func answer(to event: String) throws -> WebSocketReader.Message? {
        let (kind, rest) = (event.prefix { $0 != " " }, event.drop { $0 != " " }.dropFirst())
        switch kind {
        case "text": return .text(String(rest))
        case "binary": return nil
        case "ping": return .pong(Self.bytes(rest))
        case "close": return .close(UInt16(rest), "")
        case "failure": return .close(UInt16(rest), "")
        default: return nil
        }
    }

    private func messages(
        _ client: WebSocketClient, _ count: Int
    ) throws -> [WebSocketReader.Message] {
        var messages: [WebSocketReader.Message] = []
        while messages.count < count {
            let message = try client.next()
            // Cases say how long bytes are, not which.
            if case .binary = message { continue }
            messages.append(message)
        }
        return messages
    }

    private static func bytes(_ hexadecimal: Substring) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).map { offset in
            let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: offset)
            return UInt8(hexadecimal[start...].prefix(2), radix: 16)!
        }
    }
}
