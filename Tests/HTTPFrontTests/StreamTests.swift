import Glibc
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct StreamTests {
    private typealias Transport = LoopServer.Transport
    private let stream = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private let hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: LoopServer.Transport.allCases)
    func streamComesPieceByPieceAndItsConnectionGoesOn(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        for _ in 0..<3 {
            try client.send("GET", "/stream")
            let head = try client.readHead()
            #expect(head.status == 200)
            #expect(head.header("Transfer-Encoding") == "chunked")
            #expect(head.header("Content-Length") == nil)
            #expect(head.header("Connection") == nil)
            #expect(head.header("Cache-Control") == "no-store")
            var reader = ChunkReader(client)
            try reader.expect("begun")
            let view = server.backstage.state.value.streams.last!
            for piece in ["one", "two"] {
                view.write(piece)
                try reader.expect(piece)
            }
            #expect(server.server.census.parked == 1)
            view.end()
            #expect(try reader.readToLast() == [])
            #expect(view.state.value.writes == [true, true])
            #expect(try client.exchange("POST", "/echo", body: Array("b".utf8)).text == "b")
        }
        client.close()
        server.expectEmpty()
    }

    @Test func streamInHTTP10EndsWithItsConnection() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET /stream HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
        let head = try client.readHead()
        #expect(head.header("Connection") == "close")
        #expect(head.header("Transfer-Encoding") == nil)
        #expect(head.header("Content-Length") == nil)
        server.backstage.state.value.streams[0].write(" and more")
        server.backstage.state.value.streams[0].end()
        #expect(String(decoding: try client.readToEnd(), as: UTF8.self) == "begun and more")
        server.expectEmpty()
    }

    @Test func headOfAStreamIsAllThatIsSentForHEAD() throws {
        let server = try LoopServer()
        let client = try server.connect()
        let head = try client.exchange("HEAD", "/stream")
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == nil)
        let view = server.backstage.state.value.streams[0]
        view.write("nothing of it")
        view.end()
        #expect(try client.exchange("GET", "/hello").text == "hello")
        #expect(view.state.value.writes == [false])
    }

    @Test func streamThatNeverBeganIsFinishedLikeAWait() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET", "/stream/wait")
        server.expect(server.backstage.state.value.streams.count, becomes: 1)
        server.backstage.state.value.streams[0].run { stream in
            stream.socket?.finish(LoopHandler.text("gone"))
        }
        #expect(try client.readAnswer().text == "gone")
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func requestSentWithAStreamIsServedBehindIt(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let client = try server.connect(transport)
        try client.send(stream + hello)
        #expect(try client.readHead().header("Connection") == nil)
        var reader = ChunkReader(client)
        try reader.expect("begun")
        server.backstage.state.value.streams[0].end()
        _ = try reader.readToLast()
        #expect(try client.readAnswer().text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func requestSentDuringAStreamIsServedBehindIt(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let (client, view) = try server.beginStream(on: transport)
        try client.send(hello + stream)
        var reader = ChunkReader(client)
        try reader.expect("begun")
        #expect(client.isSilent(for: 0.02))
        view.write("more")
        view.end()
        #expect(try reader.readToLast() == Array("more".utf8))
        #expect(try client.readAnswer().text == "hello")
        #expect(try client.readHead().status == 200)
    }

    @Test func closeThatTheClientAskedForFollowsTheStream() throws {
        let server = try LoopServer()
        let client = try server.connect()
        try client.send("GET", "/stream", headers: [("Connection", "close")])
        #expect(try client.readHead().header("Connection") == "close")
        server.backstage.state.value.streams[0].end()
        var reader = ChunkReader(client)
        #expect(try reader.readToLast() == Array("begun".utf8))
        #expect(try client.readToEnd() == [])
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func halfClosedReaderGetsTheWholeStream(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.beginStream(on: transport, receiveBufferBytes: 4096)
        client.halfClose()
        view.write(bytes: 3_000_000)
        server.expect(server.memory.used(.unsent) > 2_000_000 ? 1 : 0, becomes: 1)
        view.run { _ in }
        var reader = ChunkReader(client)
        try reader.expect("begun" + String(repeating: "x", count: 3_000_000))
        view.write("end")
        view.end()
        #expect(try reader.readToLast() == Array("end".utf8))
        #expect(try client.readToEnd() == [])
        #expect(view.state.value.closed == 0)
        server.expectEmpty()
    }

    @Test func heartbeatsGoOnUntilTheEnd() throws {
        let server = try LoopServer()
        let (client, view) = try server.beginStream("/stream/heartbeat/5")
        var reader = ChunkReader(client)
        try reader.expect("begunhhhhh")
        #expect(view.state.value.timedOut >= 5)
        view.end()
        #expect(try reader.readToLast().allSatisfy { $0 == UInt8(ascii: "h") })
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func chunkFramingIsHexadecimalBetweenLineEnds() {
        func prefix(_ count: Int) -> String {
            String(decoding: ChunkFraming.prefix(for: count), as: UTF8.self)
        }
        #expect(prefix(1) == "1\r\n")
        for count in [9, 10, 15, 16, 160, 4_095, 4_096, 0xABCDEF, Int.max] {
            #expect(prefix(count) == String(count, radix: 16) + "\r\n")
        }
        #expect(prefix(255) == "ff\r\n")
        #expect(prefix(65_536) == "10000\r\n")
        #expect(ChunkFraming.suffix == Array("\r\n".utf8))
        #expect(ChunkFraming.last == Array("0\r\n\r\n".utf8))
    }
}
