import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct ServerDrainTests {
    @Test(arguments: [1, 3])
    func drainAnswersWhatWaitsAndClosesWhatIsIdle(loops: Int) throws {
        let server = try LoopServer(loops: loops)
        let idle = try server.connect()
        #expect(try idle.exchange("GET", "/a").text == "a")
        let fresh = try server.connect()
        let parked = try (0..<20).map { _ in try server.connect(.allCases.randomElement()!) }
        for client in parked { try client.send("GET", "/park") }
        let pending = try server.connect()
        try pending.send("POST", "/later", body: [1])
        let sending = try server.connect()
        try sending.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab")
        server.expect(server.server.census.parked, becomes: 20)
        let replies = server.replies(1)
        server.expect(server.server.loops.map(\.requests.value).reduce(0, +), becomes: 23)

        let drained = server.beginDrain()
        for client in parked {
            let answer = try client.readAnswer()
            #expect(answer.text == "drained")
            #expect(answer.header("Connection") == "close")
        }
        #expect(try idle.readToEnd() == [])
        #expect(try fresh.readToEnd() == [])
        // The last loop that has let go of a listener closes it.
        server.expect((try? server.connect()) == nil ? 1 : 0, becomes: 1)
        server.expect((try? server.connect(.unix)) == nil ? 1 : 0, becomes: 1)
        #expect(!drained.isOpen)
        try sending.send("cd")
        let echo = try sending.readAnswer()
        #expect(echo.text == "abcd")
        #expect(echo.header("Connection") == "close")
        #expect(!drained.isOpen)
        for reply in replies { reply.send(LoopHandler.text("late")) }
        let late = try pending.readAnswer()
        #expect(late.text == "late")
        #expect(late.header("Connection") == "close")
        try drained.wait()
        #expect(server.server.census == ServerCensus())
        #expect(server.backstage.state.value.drained == loops)
        #expect(throws: RawClient.Failure.self) { _ = try server.connect() }
        #expect(access(server.path, F_OK) != 0)
    }

    @Test func whoHasJustConnectedIsStillAnswered() throws {
        let server = try LoopServer { $0.firstRequestMilliseconds = 10_000 }
        let parked = try server.connect()
        try parked.send("GET", "/park")
        server.expect(server.server.census.parked, becomes: 1)
        let fresh = try [server.connect(), server.connect(.unix)]
        server.expect(server.server.census.connections, becomes: 3)
        let drained = server.beginDrain()
        #expect(try parked.readAnswer().text == "drained")
        for client in fresh {
            let answer = try client.exchange("GET", "/a")
            #expect(answer.text == "draining")
            #expect(answer.header("Connection") == "close")
        }
        try drained.wait()
    }

    @Test func whatIsLeftAtTheEndIsClosedWithoutAnAnswer() throws {
        let server = try LoopServer()
        let pending = try (0..<5).map { _ in try server.connect() }
        for client in pending { try client.send("POST", "/later", body: [1]) }
        let replies = server.replies(5)
        let sending = try server.connect()
        try sending.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab")
        let unread = try server.connect()
        try unread.send("GET", "/size/3000000")
        server.expect(server.server.loops[0].requests.value, becomes: 7)
        server.server.drain(within: .milliseconds(50))
        #expect(server.server.census == ServerCensus())
        for client in pending { #expect(try client.readToEnd() == []) }
        #expect(try sending.readToEnd() == [])
        for reply in replies { reply.send(LoopHandler.text("nobody hears this")) }
        for loop in server.backstage.state.value.loops { loop.post { _ in Issue.record() } }
        #expect(server.memory.used == 0)
        server.expectNoDescriptors()
    }

    @Test func stopTellsTheOwnersOfParkedSockets() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET", "/park")
        server.expect(server.server.census.parked, becomes: 1)
        server.server.stop()
        #expect(server.server.census == ServerCensus())
        let state = server.backstage.state.value
        #expect(state.closed + state.drained > 0)
    }

    @Test func inheritedListenerStaysOpenForASuccessor() throws {
        let listener = try LoopbackListener(.ipv4)
        let first = try LoopServer { $0.listen.append(.inherited(descriptor: listener.descriptor)) }
        let client = try RawClient(listener.address)
        #expect(try client.exchange("GET", "/a").text == "a")
        first.server.stop()
        let waiting = try RawClient(listener.address)
        try waiting.send("GET", "/b")
        #expect(waiting.isSilent(for: 0.02))
        let second = try LoopServer {
            $0.listen.append(.inherited(descriptor: listener.descriptor))
        }
        #expect(try waiting.readAnswer().text == "b")
        second.server.stop()
    }
}
