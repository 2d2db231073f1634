import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct PeerLivenessTests {
    private let table = SocketTable()

    @Test(arguments: LoopbackListener.usable)
    func aHalfClosedPeerStillWaits(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        client.halfClose()
        #expect(server.awaitEnd())
        #expect(PeerLiveness(of: server.descriptor, table: table) == .halfClosed)
    }

    @Test(arguments: LoopbackListener.usable)
    func aClosedPeerIsGone(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        client.close()
        #expect(server.awaitEnd())
        #expect(PeerLiveness(of: server.descriptor, table: table) == .gone)
    }

    @Test(arguments: LoopbackListener.usable)
    func aHalfClosedPeerThatThenClosesIsGone(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        client.halfClose()
        #expect(server.awaitEnd())
        client.close()
        #expect(PeerLiveness(of: server.descriptor, table: table) == .gone)
    }

    @Test(arguments: LoopbackListener.usable)
    func aPeerThatResetsIsGone(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        client.reset()
        #expect(server.awaitEnd())
        #expect(PeerLiveness(of: server.descriptor, table: table) == .gone)
    }

    @Test(arguments: LoopbackListener.usable)
    func unreadBytesDoNotHideThatAPeerIsGone(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        try client.send("GET / HTTP/1.1\r\n")
        client.close()
        #expect(server.awaitEnd())
        #expect(PeerLiveness(of: server.descriptor, table: table) == .gone)
    }

    @Test func oneTableAnswersManyQuestions() throws {
        let listener = try LoopbackListener(.ipv4)
        for round in 0..<50 {
            let (client, server) = try listener.connect()
            defer { client.close() }
            if round.isMultiple(of: 2) { client.halfClose() } else { client.close() }
            #expect(server.awaitEnd())
            #expect(
                PeerLiveness(of: server.descriptor, table: table)
                    == (round.isMultiple(of: 2) ? .halfClosed : .gone))
        }
    }

    @Test func aConnectionNobodyHasIsNotInTheTable() {
        let local = SocketAddress(numeric: "127.0.0.1", port: 1)!
        let remote = SocketAddress(numeric: "127.0.0.99", port: 1)!
        #expect(table.row(ofPeerAt: remote, connectedTo: local) == .none)
        let other = SocketAddress(numeric: "[::1]", port: 1)!
        #expect(table.row(ofPeerAt: other, connectedTo: local) == .failed)
    }
}
