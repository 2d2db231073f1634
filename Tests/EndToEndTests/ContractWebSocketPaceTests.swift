import TestSupport
import Testing

/// WebSockets whose readers, or whose store, take their time.
@Suite(.blocking) struct ContractWebSocketPaceTests {
    private func publish(_ count: Int, _ client: RawClient) throws -> [UInt64] {
        let big = String(repeating: "x", count: 64 << 10)
        return try (0..<count).map { try client.publish("\($0) \(big)", to: "t") }
    }

    @Test func whoeverReadsNothingIsClosedAndToldSoBehindWhatWasOnItsWay() throws {
        let daemon = try RunningDaemon(configuration: "[http]\nsend_seconds = 1\n")
        let client = try daemon.connect()
        let raw = try RawClient(daemon.tcp, receiveBufferBytes: 4_096)
        try raw.send("GET", "/topics/t?as=raw", headers: WebSocketClient.handshake)
        let socket = try WebSocketClient(accepting: raw)
        let ids = try publish(40, client)
        try client.await(subscribers: 0, of: "t")
        var delivered = 0
        var code: UInt16?
        while code == nil {
            switch try socket.message() {
            case .binary: delivered += 1
            case .close(let closed, _): code = closed
            default: break
            }
        }
        #expect(code == 1013)
        #expect(delivered > 0 && delivered < ids.count)
    }

    @Test(arguments: ["", "&as=raw"])
    func aSocketOpensWhereTheStoreSays(form: String) throws {
        let daemon = try RunningDaemon(
            configuration: "[bus]\nmemory_bytes = 1M\nevent_bytes = 128K\n",
            arguments: ["--store", "sqlite"])
        let ids = try publish(40, try daemon.connect())
        for (since, first) in [
            ("earliest", 0), ("-30", 10), ("\(ids[4])", 5), ("latest", 39), ("now", 40),
        ] {
            let socket = try WebSocketClient(
                daemon.tcp, "/topics/t?wait=0&since=\(since)\(form)")
            let cursor = try #require(socket.cursor)
            #expect(try socket.text() == "{\"cursor\":\"\(cursor)\"}")
            #expect(first == 0 ? cursor < ids[0] : cursor >= ids[first - 1])
            #expect(first == ids.count || cursor < ids[first])
            var payloads: [Substring] = []
            var code: UInt16?
            while code == nil {
                switch try socket.message() {
                case .binary(let bytes):
                    payloads.append(String(decoding: bytes, as: UTF8.self).prefix { $0 != " " })
                case .text(let text):
                    if let data = text.firstMatch(of: /"data":"([0-9]+)\s/) {
                        payloads.append(data.1)
                    }
                case .close(let closed, _): code = closed
                default: break
                }
            }
            #expect(code == 1000)
            #expect(payloads == (first..<ids.count).map { "\($0)" }, "since=\(since)")
        }
    }
}
