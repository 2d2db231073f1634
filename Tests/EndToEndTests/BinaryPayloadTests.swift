import TestSupport
import Testing

/// Payloads that are no text survive every form, from curl to curl.
@Suite(.blocking) struct BinaryPayloadTests {
    private static let payloads: [[UInt8]] = [
        [], [0], [0, 0, 0], [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        [0x0A], [0x0D, 0x0A], [0x61, 0x0A, 0x00, 0xFE, 0x0A], Array(0...255),
        Array("Grüße \u{85}\u{2028}\u{7F} \"\\\u{1}\u{1F514}".utf8),
        (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) },
    ]

    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon()
        client = try daemon.connect()
        for payload in Self.payloads { _ = try Curl.publish(payload, to: daemon.url("/topics/b")) }
    }

    @Test func theySurviveRaw() throws {
        var cursor = "earliest"
        for payload in Self.payloads {
            let answer = try client.exchange("GET", "/topics/b?since=\(cursor)")
            #expect(answer.status == 200 && answer.body == payload)
            // curl's form type is what it says when nobody chose one.
            #expect(answer.header("content-type") == "application/octet-stream")
            cursor = try #require(answer.header("event-cursor"))
        }
        #expect(try client.exchange("GET", "/topics/b?since=\(cursor)&wait=0").status == 204)
    }

    @Test func theySurviveJSON() throws {
        let body = try PollBody(client.exchange("GET", "/topics/b?as=json&since=earliest"))
        #expect(try body.events.map { try $0.payload } == Self.payloads)
        for (event, payload) in zip(body.events, Self.payloads) {
            #expect((event.data != nil) == (String(validating: payload, as: UTF8.self) != nil))
            #expect(event.content_type == nil)
        }
    }

    @Test func theySurviveAsLinesOfABatch() throws {
        let lines = Self.payloads.filter {
            !$0.isEmpty && !$0.contains(0x0A) && $0.last != 0x0D
        }
        let batch = Array(lines.joined(separator: [0x0A]))
        _ = try Curl.publish(batch, to: daemon.url("/topics/lines?split=lines"))
        let body = try PollBody(client.exchange("GET", "/topics/lines?as=json&since=earliest"))
        #expect(try body.events.map { try $0.payload } == lines)
    }

    @Test func curlReceivesWhatCurlSent() throws {
        for (index, payload) in Self.payloads.enumerated() where !payload.isEmpty {
            let topic = daemon.url("/topics/one.\(index)")
            _ = try Curl.publish(payload, to: topic, options: ["-H", "Content-Type: image/png"])
            let curl = try ChildProcess(
                ChildProcess.curl,
                ["-sS", "-w", "%{stderr}%{content_type}", "\(topic)?since=earliest"])
            #expect(try curl.wait() == .exited(0))
            #expect(curl.written(to: .output) == payload)
            #expect(curl.text(of: .errors) == "image/png")
        }
    }
}
