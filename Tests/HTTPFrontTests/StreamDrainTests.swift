import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct StreamDrainTests {
    @Test func streamsEndCleanlyWhenTheServerDrains() throws {
        let server = try LoopServer()
        let streams = try LoopServer.Transport.allCases.map { try server.beginStream(on: $0) }
        let drained = server.beginDrain(within: .seconds(60))
        for (client, view) in streams {
            var reader = ChunkReader(client)
            #expect(try reader.readToLast() == Array("begun".utf8))
            #expect(try client.readToEnd() == [])
            #expect(view.state.value.closed == 0)
        }
        try drained.wait()
        #expect(server.server.census == ServerCensus())
    }

    @Test func whatIsPendingGoesOutWhileTheServerDrains() throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.beginStream(receiveBufferBytes: 4096)
        view.write(bytes: 1_000_000)
        server.expect(view.state.value.writes.count, becomes: 1)
        let drained = server.beginDrain(within: .seconds(60))
        server.expect(server.backstage.state.value.drained, becomes: 1)
        #expect(!drained.isOpen)
        var reader = ChunkReader(client)
        #expect(try reader.readToLast().count == 1_000_005)
        #expect(try client.readToEnd() == [])
        try drained.wait()
    }

    @Test(arguments: [false, true])
    func drainWaitsNoLongerThanItsTimeForReadersThatDoNotRead(keepsStreams: Bool) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        server.backstage.state.write { $0.keepsStreams = keepsStreams }
        let (client, view) = try server.beginStream(receiveBufferBytes: 4096)
        view.write(bytes: 1_000_000)
        server.expect(view.state.value.writes.count, becomes: 1)
        try server.beginDrain(within: .milliseconds(200)).wait(within: .seconds(60))
        #expect(server.server.census == ServerCensus())
        #expect(server.memory.used == 0)
        // Who let go of a socket hears nothing of it; who held on hears that it is gone.
        #expect(view.state.value.closed == (keepsStreams ? 1 : 0))
        _ = client
    }
}
