import Glibc
import TestSupport
import Testing

/// How a WebSocket ends, and what is told before.
@Suite(.blocking) struct ContractWebSocketEndTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[retention]\ngrace = 0s\n")
        client = try daemon.connect()
    }

    @Test(arguments: ["as=json", "as=raw"])
    func maxEndsItAfterSoManyEvents(form: String) throws {
        for text in ["1", "2", "3"] { try client.publish(text, to: "t") }
        let socket = try WebSocketClient.opened(
            daemon.tcp, "/topics/t?since=earliest&max=2&\(form)")
        for _ in 0..<2 { _ = try socket.message() }
        if form == "as=raw" { #expect(try socket.text().hasPrefix("{\"cursor\":")) }
        #expect(try socket.closeCode() == 1000)
        let live = try WebSocketClient.opened(daemon.tcp, "/topics/t?max=1&\(form)")
        try client.publish("4", to: "t")
        _ = try live.message()
        if form == "as=raw" { #expect(try live.text().hasPrefix("{\"cursor\":")) }
        #expect(try live.closeCode() == 1000)
    }

    @Test func waitEndsItWithoutAnEvent() throws {
        try client.publish("1", to: "t")
        let all = try WebSocketClient.opened(daemon.tcp, "/topics/t?since=earliest&wait=0")
        #expect(try all.text().contains("\"data\":\"1\""))
        #expect(try all.closeCode() == 1000)
        let timed = try WebSocketClient.opened(daemon.tcp, "/topics/t?wait=300ms")
        #expect(try timed.closeCode() == 1000)
    }

    @Test func whatWasPublishedBeforeTheEndIsAnswered() throws {
        try client.register("t")
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t?max=1&as=raw")
        try client.await(subscribers: 1, of: "t")
        for text in ["1", "2", "3"] { try socket.send(.text(text)) }
        var texts: [String] = []
        var code: UInt16?
        while code == nil {
            switch try socket.message() {
            case .text(let text): texts.append(text)
            case .binary(let bytes): #expect(bytes == Array("1".utf8))
            case .close(let closed, _): code = closed
            default: break
            }
        }
        #expect(code == 1000)
        let published = try client.exchange("HEAD", "/topics/t").number("event-count")
        #expect(UInt64(texts.count { $0.hasPrefix("{\"id\":") }) == published)
    }

    @Test func deletionOfExactlyThisNameCloses() throws {
        let exact = try WebSocketClient.opened(daemon.tcp, "/topics/t")
        let wider = try WebSocketClient.opened(daemon.tcp, "/topics/t,u")
        try client.publish("last", to: "t")
        for socket in [exact, wider] { #expect(try socket.text().contains("\"last\"")) }
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        #expect(try exact.text().hasPrefix("{\"cursor\":"))
        #expect(try exact.closeCode() == 4410)
        try client.publish("next life", to: "t")
        while true {
            let text = try wider.text()
            #expect(!text.contains("gap"))
            if text.contains("next life") { break }
        }
    }

    @Test func deletionOfWhatWasNotDeliveredIsAGapAndThenTheEnd() throws {
        let socket = try WebSocketClient.opened(
            daemon.tcp, "/topics/t?as=raw", receiveBufferBytes: 4_096)
        let big = String(repeating: "x", count: 64 << 10)
        let ids = try (0..<40).map { try client.publish("\($0) \(big)", to: "t") }
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        var delivered = 0
        var gaps: [String] = []
        var code: UInt16?
        while code == nil {
            switch try socket.message() {
            case .binary: delivered += 1
            case .text(let text) where text.contains("gap"): gaps.append(text)
            case .close(let closed, _): code = closed
            default: break
            }
        }
        #expect(code == 4410)
        #expect(delivered > 0 && delivered < ids.count)
        let after = delivered > 0 ? ids[delivered - 1] : 0
        #expect(gaps == ["{\"gap\":{\"after\":\"\(after)\",\"through\":\"\(ids.last!)\"}}"])
    }

    @Test func aGapInMidStreamIsToldAndEndsAStrictOne() throws {
        try client.register("t", "?keep=1")
        let sockets = try ["", "&strict=1"].map {
            try WebSocketClient.opened(
                daemon.tcp, "/topics/t?as=raw\($0)", receiveBufferBytes: 4_096)
        }
        let big = String(repeating: "x", count: 64 << 10)
        for number in 0..<40 { try client.publish("\(number) \(big)", to: "t") }
        var last: [WebSocketReader.Message] = []
        for socket in sockets {
            while true {
                let message = try socket.message()
                guard case .text(let text) = message, text.hasPrefix("{\"gap\"") else { continue }
                last.append(try socket.message())
                break
            }
        }
        #expect(last[0] == .binary(Array("39 \(big)".utf8)))
        guard case .close(let code, _) = last[1] else {
            Issue.record("a strict one goes on by \(last[1])")
            return
        }
        #expect(code == 1000)
    }

    @Test func drainingEndsSocketsAndTheirPublishing() throws {
        let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t?type=none")
        let id = try client.publish("x", to: "t")
        try socket.send(.text(#"{"data":1,"ref":1}"#))
        #expect(try socket.text().contains("\"id\":"))
        daemon.send(SIGTERM)
        var cursor: String?
        var code: UInt16?
        while code == nil {
            switch try socket.message() {
            case .text(let text): cursor = text
            case .close(let closed, _): code = closed
            default: break
            }
        }
        #expect(code == 1012)
        #expect(cursor.map { $0 > "{\"cursor\":\"\(id)\"}" } == true)
        try socket.send(.close(1012))
        #expect(try daemon.wait() == .exited(0))
    }

    /// Every frame of RFC 6455 is tried in `HTTPFrontTests`.
    @Test func aFrameThatBreaksTheStandardEndsItWithItsCode() throws {
        let broken: [(frame: WebSocketFrame, code: UInt16)] = [
            (WebSocketFrame(WebSocketFrame.Opcode.text, [0x78], mask: nil), 1002),
            (WebSocketFrame(WebSocketFrame.Opcode.text, [0xC3]), 1007),
        ]
        for (frame, code) in broken {
            let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t")
            try socket.send(frame)
            #expect(try socket.closeCode() == code)
        }
        #expect(try client.exchange("HEAD", "/topics/t").status == 404)
    }

    @Test func aClientThatLeavesIsAnsweredInKind() throws {
        for code in [1000, 1001, 4999] as [UInt16] {
            let socket = try WebSocketClient.opened(daemon.tcp, "/topics/t")
            try socket.send(.close(code))
            #expect(try socket.closeCode() == code)
        }
    }
}
