import Glibc
import Protection
import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// Readers that are slow, gone, or very fast.
@Suite(.blocking) struct StreamPressureTests {
    @Test(arguments: LoopServer.Transport.allCases)
    func streamIsWrittenAsItsReaderReads(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.beginStream(on: transport, receiveBufferBytes: 4096)
        for round in 1...3 {
            view.write(bytes: 1_000_000)
            server.expect(view.state.value.writes.count, becomes: round)
            #expect(view.state.value.writes.last == false)
            #expect(server.memory.used(.unsent) > 1_000_000)
            var reader = ChunkReader(client)
            try reader.expect(
                (round == 1 ? "begun" : "") + String(repeating: "x", count: 1_000_000))
            server.expect(view.state.value.writable, becomes: round)
            server.expect(server.memory.used, becomes: 0)
        }
        view.end()
        var reader = ChunkReader(client)
        #expect(try reader.readToLast() == [])
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func ownerWhoseStreamAnAnswerToSomebodyElsePushesOutHearsOfItAtOnce() throws {
        let server = try LoopServer(memoryBytes: 1 << 20) { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.beginStream(receiveBufferBytes: 4096)
        view.write(bytes: 255_000)
        server.expect(view.state.value.writes.count, becomes: 1)
        let publisher = try RawClient(.tcp(server.port), receiveBufferBytes: 4096)
        let body = String(repeating: "x", count: 15_000)
        func post(_ body: String) -> String {
            "POST /again HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body
        }
        for body in ["a", "b", "c"] {
            try publisher.send(post(body))
            #expect(try publisher.readAnswer().text == body)
        }
        // Known, so that it is answered outside the parser; its client does not read.
        try publisher.send(post(body))
        server.expect(view.state.value.closed, becomes: 1)
        #expect(server.server.loops[0].shed.value == 1)
        #expect(try publisher.readAnswer().text == body)
        client.close()
        publisher.close()
        server.expectEmpty()
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func whoseAnswerIsAboutToBeWrittenDoesNotPayForWhatOthersDoNotRead(
        _ transport: LoopServer.Transport
    ) throws {
        let server = try LoopServer(memoryBytes: 1 << 20) { $0.socketSendBufferBytes = 4096 }
        let (reader, view) = try server.beginStream(receiveBufferBytes: 4096)
        let client = try server.connect(transport)
        try client.send("GET", "/later")
        let reply = server.replies(1)[0]
        let (held, go) = (Gate(), Gate())
        server.backstage.state.value.loops[0].post { _ in
            held.open()
            try? go.wait()
        }
        try held.wait()
        // Behind the turn in which the parser is given the answer, before it writes that.
        reply.send(LoopHandler.text("later"))
        server.backstage.state.value.loops[0].post { _ in view.write(bytes: 400_000) }
        go.open()
        server.expect(view.state.value.writes.count, becomes: 1)
        #expect(view.state.value.writes == [false])
        #expect(try client.readAnswer().text == "later")
        #expect(server.server.loops[0].shed.value == 0)
        reader.close()
        client.close()
        server.expectEmpty()
    }

    @Test func streamThatEndsBehindSomethingPendingIsWrittenToItsEnd() throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let (client, view) = try server.beginStream(receiveBufferBytes: 4096)
        view.write(bytes: 1_000_000)
        view.end()
        server.expect(server.server.census.parked, becomes: 0)
        #expect(server.memory.used(.unsent) > 1_000_000)
        try client.send("GET", "/stream")
        var reader = ChunkReader(client)
        try reader.expect("begun")
        #expect(try reader.readToLast() == [UInt8](repeating: 120, count: 1_000_000))
        // The next stream of the same connection must wait for its reader anew.
        #expect(try client.readHead().status == 200)
        let next = server.backstage.state.value.streams[1]
        next.write(bytes: 1_000_000)
        next.end()
        var second = ChunkReader(client)
        #expect(try second.readToLast().count == 1_000_005)
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func fastReaderGetsItsShareOfEachTurnAndNoMore(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4 << 20 }
        let (bytes, piece) = (4 << 20, 65_536)
        let (client, view) = try server.beginStream(
            "/stream/flood/\(bytes)/\(piece)", on: transport)
        var reader = ChunkReader(client)
        var wanted = Array("begun".utf8)
        for left in stride(from: bytes, to: 0, by: -piece) {
            wanted += StreamWriter.floodPiece(left, piece)
        }
        #expect(try reader.readToLast() == wanted)
        let state = view.state.value
        #expect(state.mostInACall <= HTTPFrontLimits.streamBytesPerTurnMax + piece)
        #expect(state.writable >= bytes / (HTTPFrontLimits.streamBytesPerTurnMax + piece))
        #expect(!state.wasReentered)
        #expect(try client.exchange("GET", "/hello").text == "hello")
    }

    @Test func smallWritesAreSharedOutByTheirNumber() throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4 << 20 }
        let (client, view) = try server.beginStream("/stream/flood/5000/1")
        var reader = ChunkReader(client)
        #expect(try reader.readToLast().count == 5005)
        let writes =
            HTTPFrontLimits.streamBytesPerTurnMax / HTTPFrontLimits.streamWriteCostBytes + 1
        #expect(view.state.value.mostInACall <= writes)
        #expect(!view.state.value.wasReentered)
    }

    @Test func othersAreServedBesideAFlood() throws {
        let server = try LoopServer()
        let floods = try (0..<4).map { _ in try server.beginStream("/stream/flood/4000000000/65536")
        }
        let done = Gate()
        for (client, _) in floods {
            // Clients are not Sendable; each is read by its one thread until the gate opens.
            nonisolated(unsafe) let client = client
            onThreadOfItsOwn {
                while !done.isOpen, (try? client.readSome(within: 1)) != nil {}
            }
        }
        let other = try server.connect()
        for _ in 0..<50 { #expect(try other.exchange("GET", "/hello").text == "hello") }
        done.open()
        #expect(floods.allSatisfy { $0.view.state.value.closed == 0 })
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func readersThatVanishAreNoticedOnce(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let streams = try (0..<20).map { _ in
            try server.beginStream(on: transport, receiveBufferBytes: 4096)
        }
        for (index, stream) in streams.enumerated() where index % 3 == 0 {
            stream.view.write(bytes: 1_000_000)
            server.expect(stream.view.state.value.writes.count, becomes: 1)
        }
        for (index, stream) in streams.enumerated() {
            index.isMultiple(of: 2) ? stream.client.close() : stream.client.reset()
        }
        for stream in streams { server.expect(stream.view.state.value.closed, becomes: 1) }
        server.expectEmpty()
        #expect(streams.allSatisfy { $0.view.state.value.closed == 1 })
    }

    @Test(arguments: LoopServer.Transport.allCases)
    func writingToAReaderThatHasGoneTellsTheOwnerLater(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let (client, view) = try server.beginStream(on: transport)
        let (isHeld, isGone) = (Gate(), Gate())
        view.run { stream in
            isHeld.open()
            try? isGone.wait()
            stream.write(Array("lost".utf8))
            stream.write(Array("lost".utf8))
            stream.write(Array("lost".utf8))
        }
        try isHeld.wait()
        client.reset()
        isGone.open()
        server.expect(view.state.value.closed, becomes: 1)
        #expect(view.state.value.writes.last == false)
        #expect(!view.state.value.wasReentered)
        server.expectEmpty()
        #expect(view.state.value.closed == 1)
    }

    @Test func ownerThatLetGoOfALostSocketHearsNothing() throws {
        let server = try LoopServer()
        let (client, view) = try server.beginStream(on: .unix)
        let (isHeld, isGone, isDone) = (Gate(), Gate(), Gate())
        view.run { stream in
            isHeld.open()
            try? isGone.wait()
            stream.write(Array("lost".utf8))
            stream.end()
            stream.socket?.close()
            isDone.open()
        }
        try isHeld.wait()
        // As a child has it that is being started.
        let copy = dup(client.descriptor)
        defer { close(copy) }
        client.close()
        isGone.open()
        try isDone.wait()
        server.expectEmpty()
        #expect(view.state.value.writes == [false])
        #expect(view.state.value.closed == 0)
    }

    @Test(arguments: ["closes", "ends", "ignores"])
    func readerThatTakesNothingIsCalledStalled(_ stalling: String) throws {
        let server = try LoopServer {
            $0.socketSendBufferBytes = 4096
            $0.sendProgressSeconds = 1
        }
        let (client, view) = try server.beginStream(
            "/stream/stalled/\(stalling)", receiveBufferBytes: 4096)
        let quiet = try server.beginStream()
        view.write(bytes: 1_000_000)
        server.expect(view.state.value.stalled, becomes: 1)
        switch stalling {
        case "closes", "ends":
            server.expect(server.server.census.connections, becomes: 1)
            #expect(view.state.value.closed == 0)
        default:
            server.expect(view.state.value.stalled, becomes: 2)
            var reader = ChunkReader(client)
            try reader.expect("begun" + String(repeating: "x", count: 1_000_000))
            server.expect(view.state.value.writable, becomes: 1)
        }
        // Nothing is pending for this one, so there is nothing it should have read.
        #expect(quiet.view.state.value.stalled == 0)
    }

    @Test func longestWithoutProgressGoFirstWhenMemoryIsShort() throws {
        let bytes = 1_000_000
        let server = try LoopServer(memoryBytes: 16 * bytes) { $0.socketSendBufferBytes = 4096 }
        var streams: [(client: RawClient, view: StreamView)] = []
        for _ in 0..<7 { streams.append(try server.beginStream(receiveBufferBytes: 4096)) }
        for (client, view) in streams.dropLast(2) {
            view.write(bytes: bytes)
            server.expect(view.state.value.writes.count, becomes: 1)
            // So that each is written to in a later millisecond than the one before.
            try tick()
            _ = client
        }
        // The share is a little less than four of them.
        server.expect(server.server.census.connections, becomes: 5)
        for (index, stream) in streams.enumerated() {
            server.expect(stream.view.state.value.closed, becomes: index < 2 ? 1 : 0)
            #expect(!stream.view.state.value.wasReentered)
        }
        #expect(server.memory.used(.unsent) <= 4 * bytes)
    }

    @Test func pieceThatManyStreamsKeepIsCountedOnce() throws {
        let server = try LoopServer { $0.socketSendBufferBytes = 4096 }
        let streams = try (0..<10).map { _ in try server.beginStream(receiveBufferBytes: 4096) }
        let text = [UInt8](repeating: 121, count: 1_000_000)
        let block = SharedBlock(
            ChunkFraming.prefix(for: text.count) + text + ChunkFraming.suffix)
        for stream in streams { stream.view.run { $0.socket?.write(block.body) } }
        server.expect(server.memory.used(.unsent) > 0 ? 1 : 0, becomes: 1)
        try server.acceptAll()
        #expect(server.memory.used(.unsent) < 1_010_000)
        for (client, _) in streams {
            var reader = ChunkReader(client)
            try reader.expect("begun" + String(decoding: text, as: UTF8.self))
        }
        server.expect(server.memory.used(.unsent), becomes: 0)
    }

    /// In a process of its own, whose memory nobody else changes; clients and owners count too.
    @Test(.withoutSanitizer) func idleStreamCostsLittleMemory() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            FileLimit.raise()
            let server = try LoopServer()
            var streams: [(client: RawClient, view: StreamView)] = []
            for _ in 0..<500 { streams.append(try server.beginStream()) }
            let before = try residentBytes()
            for _ in 0..<2000 { streams.append(try server.beginStream()) }
            let cost = (try residentBytes() - before) / 2000
            #expect(cost < 1536, "\(cost) bytes a stream")
        }
    }

    /// Returns when the clock that loops look at has moved on.
    private func tick() throws {
        let then = MonotonicClock.milliseconds()
        while MonotonicClock.milliseconds() <= then + 1 { poll(nil, 0, 1) }
    }
}

/// Bytes that many answers share.
// @unchecked: never written once it is made.
final class SharedBlock: @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer

    init(_ source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        bytes.deallocate()
    }

    var body: ResponseBody { .shared(owner: self, bytes) }
}
