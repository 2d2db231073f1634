import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct WebSocketDrainTests {
    @Test func drainWaitsOnlyShortlyForAPeerThatDoesNotAnswerTheClose() throws {
        let server = try LoopServer { $0.webSocketCloseSeconds = 60 }
        let (client, view) = try server.openSocket()
        let drained = server.beginDrain()
        #expect(try client.next() == .close(1012, "the server restarts"))
        try drained.wait(within: .seconds(60))
        #expect(view.state.value.closed == 1)
        #expect(server.server.census == ServerCensus())
    }
}
