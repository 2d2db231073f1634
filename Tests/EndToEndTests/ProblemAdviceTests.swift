import TestSupport
import Testing

/// A refusal at a bound that somebody set says where it is set.
@Suite(.blocking) struct ProblemAdviceTests {
    /// One request, and the words that its refusal has to have.
    struct Row: CustomStringConvertible, Sendable {
        let status: Int
        let words: String
        let method: String
        let target: String
        var headers: [(String, String)] = []
        var body: [UInt8]?

        var description: String { "\(method) \(target): \(words)" }
    }

    private static let configuration = """
        [bus]
        event_bytes = 10
        autocreate = no
        [poll]
        wait_max = 1m
        wait_default = 1m
        subscribers = 1
        [access]
        rule = closed publish uid:4000000

        """

    private static let long = [UInt8](repeating: 0x78, count: 11)

    static let rows: [Row] = [
        Row(
            status: 413, words: "bus.event_bytes in belfryd.conf", method: "POST",
            target: "/topics/t", body: long),
        Row(
            status: 413, words: "bus.event_bytes in belfryd.conf", method: "POST",
            target: "/topics/t?split=lines", body: long),
        Row(
            status: 413, words: "`bytes` of the topic", method: "POST", target: "/topics/small",
            body: [0x78, 0x78, 0x78]),
        Row(
            status: 404, words: "bus.autocreate in belfryd.conf", method: "POST",
            target: "/topics/none", body: [0x78]),
        Row(
            status: 400, words: "poll.wait_max in belfryd.conf", method: "GET",
            target: "/topics/t?wait=2m"),
        Row(
            status: 403, words: "access.rule in belfryd.conf", method: "POST",
            target: "/topics/closed", body: [0x78]),
        Row(
            status: 403, words: "http.origins in belfryd.conf", method: "GET", target: "/topics/t",
            headers: [("Origin", "http://evil.example")]),
        Row(
            status: 503, words: "poll.subscribers in belfryd.conf", method: "GET",
            target: "/topics/t"),
    ]

    @Test func refusalsSayWhereTheirBoundIsSet() throws {
        let daemon = try RunningDaemon(configuration: Self.configuration)
        let client = try daemon.connect()
        for topic in ["t", "small?bytes=2"] { try client.register(topic) }
        let waiting = try daemon.connect()
        try waiting.send("GET", "/topics/t")
        try client.await(subscribers: 1, of: "t")
        for row in Self.rows {
            let answer = try daemon.connect().exchange(
                row.method, row.target, headers: row.headers, body: row.body)
            #expect(answer.status == row.status, "\(row): \(answer.text)")
            #expect(answer.text.contains(row.words), "\(row): \(answer.text)")
        }
        let host = try daemon.connect()
        try host.send("GET /topics/t HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        let answer = try host.readAnswer()
        #expect(answer.status == 421 && answer.text.contains("http.hosts in belfryd.conf"))
    }
}
