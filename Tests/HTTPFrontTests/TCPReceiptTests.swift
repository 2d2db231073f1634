import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct TCPReceiptTests {
    @Test(arguments: LoopbackListener.usableTCP)
    func takenBytesAreThoseReadSoFar(kind: LoopbackListener.Kind) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 0)
        try client.send("0123456789")
        #expect(server.awaitBytes(10))
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 0)
        #expect(TCPReceipt.bytesUnread(in: server.descriptor) == 10)
        #expect(server.read(4) == "0123")
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 4)
        #expect(TCPReceipt.bytesUnread(in: server.descriptor) == 6)
        #expect(server.read(6) == "456789")
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 10)
    }

    @Test(arguments: LoopbackListener.usableTCP, [false, true])
    func theEndOfAStreamIsNoByte(kind: LoopbackListener.Kind, closes: Bool) throws {
        let (client, server) = try LoopbackListener(kind).connect()
        defer { client.close() }
        try client.send("0123456789")
        if closes { client.close() } else { client.halfClose() }
        #expect(server.awaitEnd())
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 0)
        #expect(server.read(4) == "0123")
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 4)
        #expect(server.read(10) == "456789")
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 10)
        #expect(server.read(1) == "")
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 10)
    }

    @Test func anEmptyStreamThatEndsHasNoByte() throws {
        let (client, server) = try LoopbackListener(.ipv4).connect()
        defer { client.close() }
        client.halfClose()
        #expect(server.awaitEnd())
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == 0)
    }

    @Test func unixSocketsDoNotCount() throws {
        let (client, server) = try LoopbackListener(.unix).connect()
        defer { client.close() }
        try client.send("0123")
        #expect(server.awaitBytes(4))
        #expect(TCPReceipt.bytesTaken(from: server.descriptor) == nil)
        #expect(TCPReceipt.bytesUnread(in: server.descriptor) == 4)
        #expect(TCPReceipt.bytesUnread(in: -1) == nil)
    }
}
