import Glibc
import TestSupport
import Testing

/// What a client publishes over a WebSocket, and how it is answered.
@Suite(.blocking) struct ContractWebSocketPublishTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[bus]\nevent_bytes = 4K\n")
        client = try daemon.connect()
    }

    /// A socket of which the cursor it opens with was read.
    private func open(
        _ target: String, at address: RawClient.Address? = nil
    ) throws -> WebSocketClient {
        let socket = try WebSocketClient(address ?? daemon.tcp, target)
        #expect(try socket.text().hasPrefix("{\"cursor\":"))
        return socket
    }

    @Test func whatIsPublishedIsAnsweredByItsIdAndThere() throws {
        let socket = try open("/topics/quiet")
        let answer = try socket.publish(
            #"{"topic":"t","data":"hello","type":"x","key":"y","ref":"a \u00e9"}"#)
        let event = try client.get("/topics/t?since=earliest")
        let id = try #require(event.number("event-id"))
        #expect(answer == #"{"ref":"a \u00e9","id":"\#(id)"}"#)
        #expect(event.text == "hello")
        #expect(event.header("event-type") == "x" && event.header("event-key") == "y")
        #expect(event.header("content-type") == "application/octet-stream")

        #expect(
            try socket.publish(#"{"topic":"t","data":{ "a" : 1.50 }}"#).hasPrefix(#"{"id":"#))
        let json = try client.get("/topics/t?since=\(id)")
        #expect(json.text == #"{"a":1.50}"#)
        #expect(json.header("content-type") == "application/json")

        #expect(
            try socket.publish(#"{"topic":"t","data_base64":"/wA=","ref":-0.0}"#)
                .hasPrefix(#"{"ref":-0.0,"id":"#))
        #expect(try client.get("/topics/t?since=latest").body == [0xFF, 0x00])
    }

    @Test func aSocketOfOneNameNeedNotSayItAndHearsItself() throws {
        let socket = try open("/topics/t")
        try socket.send(.text(#"{"data":"x","ref":1}"#))
        let texts = try [socket.text(), socket.text()].sorted()
        #expect(texts[0].contains("\"topic\":\"t\",") && texts[0].contains("\"data\":\"x\""))
        #expect(texts[1].hasPrefix(#"{"ref":1,"id":""#))
    }

    @Test func rawMessagesArePayloadsOfTheOneName() throws {
        let socket = try open("/topics/t?as=raw&type=never")
        try socket.send(.text("{\"data\":1}"))
        let first = try socket.text()
        try socket.send(WebSocketFrame(WebSocketFrame.Opcode.binary, [0xFF, 0x00]))
        let second = try socket.text()
        let poll = try client.get("/topics/t?as=json&since=earliest").text
        #expect(poll.contains(#""data":"{\"data\":1}""#) && poll.contains(#""data_base64":"/wA=""#))
        #expect(!poll.contains("content_type") && !poll.contains("\"type\""))
        for (answer, id) in zip([first, second], poll.matches(of: /"id":"([0-9]+)"/)) {
            #expect(answer == #"{"id":"\#(id.1)"}"#)
        }
    }

    @Test func theKernelSaysWhoPublishes() throws {
        let socket = try open("/topics/t", at: daemon.unix)
        _ = try socket.publish(#"{"data":1,"topic":"u"}"#)
        let sender = #""sender":{"uid":\#(getuid()),"pid":\#(getpid())}"#
        #expect(try client.get("/topics/u?as=json&since=earliest").text.contains(sender))
    }

    @Test(
        "what cannot be published is a problem that stands in the place of its answer",
        arguments: [
            ("nonsense", 400, "REQUEST_MALFORMED"),
            (#"{"data":1,"data":1,"ref":"r"}"#, 400, "PARAMETER_REPEATED"),
            (#"{"data":1,"what":1,"ref":"r"}"#, 400, "PARAMETER_UNKNOWN"),
            (#"{"data_base64":"a","ref":"r"}"#, 400, "PARAMETER_INVALID"),
            (#"{"data":1,"ref":"r"}"#, 400, "TOPIC_NAME_INVALID"),
            (#"{"data":1,"topic":"a..b","ref":"r"}"#, 400, "TOPIC_NAME_INVALID"),
            (#"{"data":1,"topic":"$a","ref":"r"}"#, 403, "TOPIC_RESERVED"),
            (#"{"data":1,"topic":"a","type":"$a","ref":"r"}"#, 400, "EVENT_TYPE_INVALID"),
            (#"{"data":1,"topic":"a","type":"","ref":"r"}"#, 400, "EVENT_TYPE_INVALID"),
            (#"{"data":1,"topic":"a","key":" ","ref":"r"}"#, 400, "EVENT_KEY_INVALID"),
            (#"{"data":"\#(large)","topic":"a","ref":"r"}"#, 413, "EVENT_TOO_LARGE"),
            (#"{"data":"small","topic":"strict","ref":"r"}"#, 413, "EVENT_TOO_LARGE"),
        ])
    func problems(message: String, status: Int, code: String) throws {
        try client.register("strict", "?bytes=1")
        let socket = try open("/topics/a.>,$never")
        try socket.send(.text(#"{"data":0,"topic":"b","ref":0}"#))
        try socket.send(.text(message))
        try socket.send(.text(#"{"data":2,"topic":"b","ref":2}"#))
        #expect(try socket.text().hasPrefix(#"{"ref":0,"id":"#))
        let problem = try socket.text()
        let ref = message.contains("\"ref\"") ? #""ref":"r","# : ""
        #expect(problem.hasPrefix(#"{\#(ref)"status":\#(status),"title":"#), "\(problem)")
        #expect(problem.contains(#","code":"\#(code)","detail":""#), "\(problem)")
        #expect(try socket.text().hasPrefix(#"{"ref":2,"id":"#))
        #expect(try client.get("/topics/a.>?wait=0&since=earliest").status == 204)
    }

    private static let large = String(repeating: "x", count: 4_097)

    @Test func whatMayNotBePublishedRawIsToldSo() throws {
        let wide = try open("/topics/a.*?as=raw")
        try wide.send(.text("x"))
        #expect(try wide.text().contains(#""code":"TOPIC_NAME_INVALID""#))
        let json = try open("/topics/a")
        try json.send(WebSocketFrame(WebSocketFrame.Opcode.binary, Array("{\"data\":1}".utf8)))
        #expect(try json.text().contains(#""code":"REQUEST_MALFORMED""#))
    }

    @Test func whereTopicsAreNotMadeByPublishingItIsAProblem() throws {
        let daemon = try RunningDaemon(configuration: "[bus]\nautocreate = no\n")
        try daemon.connect().register("t")
        let socket = try WebSocketClient(daemon.tcp, "/topics/t?type=none")
        _ = try socket.text()
        #expect(
            try socket.publish(#"{"topic":"u","data":1}"#).contains(#""code":"TOPIC_UNKNOWN""#))
        #expect(try socket.publish(#"{"data":1}"#).hasPrefix(#"{"id":"#))
    }

    @Test func aMessageThatCanBeNoEventClosesTheSocketAsTooBig() throws {
        let raw = try open("/topics/t?as=raw")
        try raw.send(
            WebSocketFrame(WebSocketFrame.Opcode.binary, [UInt8](repeating: 0, count: 4096)))
        _ = try raw.message()
        _ = try raw.message()
        try raw.send(
            WebSocketFrame(WebSocketFrame.Opcode.binary, [UInt8](repeating: 0, count: 4097)))
        #expect(try raw.closeCode() == 1009)

        let json = try open("/topics/t")
        let escaped = String(repeating: #"\u0001"#, count: 4_096)
        let answer = try json.publish(#"{"topic":"u","data":"\#(escaped)"}"#)
        #expect(answer.hasPrefix(#"{"id":"#))
        try json.send(.text(String(repeating: " ", count: 128 << 10)))
        #expect(try json.closeCode() == 1009)
    }

    @Test func aClientThatPublishesWithoutReadingIsAnsweredInOrderWhenItReads() throws {
        let count = 2_000
        // The buffers of a unix socket are small: neither messages nor answers fit in.
        let socket = try open("/topics/quiet", at: daemon.unix)
        let data = String(repeating: "x", count: 500)
        let padding = String(repeating: "r", count: 240)
        let frames = (0..<count).map {
            WebSocketFrame.text(
                #"{"topic":"many","data":"\#(data)","ref":"\#(padding)\#($0)"}"#
            ).encoded()
        }
        var next = 0
        try fill(socket, frames, &next, untilBlockedFor: 200)
        #expect(next < count)
        var answered = 0
        var id: UInt64 = 0
        while answered < count {
            for message in try #require(try socket.available(within: 60)) {
                // A sign of life comes in between where all this takes long.
                guard case .text(let text) = message, !text.hasPrefix(#"{"cursor":"#)
                else { continue }
                let prefix = #"{"ref":"\#(padding)\#(answered)","id":""#
                let own =
                    text.hasPrefix(prefix)
                    ? UInt64(text.dropFirst(prefix.count).dropLast(2)) : nil
                try #require(own.map { $0 > id } == true, "\(text)")
                id = own ?? 0
                answered += 1
            }
            try fill(socket, frames, &next, untilBlockedFor: 0)
        }
        let head = try client.exchange("HEAD", "/topics/many")
        #expect(head.number("event-count") == UInt64(count))
    }

    /// Sends frames until the other end takes no more for so many milliseconds.
    private func fill(
        _ socket: WebSocketClient, _ frames: [[UInt8]], _ next: inout Int,
        untilBlockedFor milliseconds: Int32
    ) throws {
        while next < frames.count {
            var entry = pollfd(
                fd: socket.client.descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, milliseconds) == 1 else { return }
            try socket.client.send(frames[next])
            next += 1
        }
    }
}
