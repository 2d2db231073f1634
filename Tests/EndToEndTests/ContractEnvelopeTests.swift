import Glibc
import TestSupport
import Testing

/// Envelopes, byte for byte.
@Suite(.blocking, .serialized) struct ContractEnvelopeTests {
    private static let shared = SharedDaemon()
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try Self.shared.running()
        client = try daemon.connect()
    }

    /// The last event's envelope without what the machine decides.
    private func envelope() throws -> String {
        let text = try client.get("/topics/t?as=json&since=latest").text
        let envelope = try #require(
            text.wholeMatch(of: #/{"events":\[(.*)\],"cursor":"\d+","gap":null}\n/#)?.1)
        return String(envelope).replacing(#/"id":"\d+"/#, with: "\"id\":I")
            .replacing(#/"time":"[0-9T:.Z-]+"/#, with: "\"time\":T")
    }

    private func data(_ body: [UInt8], _ contentType: String?) throws -> String {
        let answer = try client.exchange(
            "POST", "/topics/t", headers: contentType.map { [("Content-Type", $0)] } ?? [],
            body: body)
        try #require(answer.status == 201)
        let envelope = try envelope()
        let match = try #require(
            envelope.wholeMatch(of: #/.*?"(data(?:_base64)?)":(.*),"sender":{"uid":\d+}}/#))
        return "\(match.1): \(match.2)"
    }

    @Test func membersComeInOrderAndAbsentOnesAreLeftOut() throws {
        try client.publish("x", to: "t")
        let uid = getuid()
        #expect(
            try envelope()
                == "{\"id\":I,\"topic\":\"t\",\"time\":T,\"data\":\"x\",\"sender\":{\"uid\":\(uid)}}"
        )
        let local = try RawClient(daemon.unix)
        try local.publish(
            "{ }", to: "t",
            headers: [
                ("Event-Type", "a\"b"), ("Event-Key", "k"), ("Content-Type", "application/json"),
            ])
        #expect(
            try envelope() == """
                {"id":I,"topic":"t","time":T,"type":"a\\"b","key":"k",\
                "content_type":"application/json","data":{},"sender":{"uid":\(uid),\
                "pid":\(getpid())}}
                """)
    }

    @Test(
        arguments: [
            ("text/plain", "{\"a\":1}", #""{\"a\":1}""#),
            (nil, "{\"a\":1}", #""{\"a\":1}""#),
            (nil, "", #""""#),
            (
                "application/json", " {\"b\" : [1, 2.50, -0, 1e5]\n, \"a\":null} ",
                #"{"b":[1,2.50,-0,1e5],"a":null}"#
            ),
            ("application/vnd.x+json; charset=utf-8", "[ true ]", "[true]"),
            ("application/json", "\"a  b\"", #""a  b""#),
            ("application/json", "{\"a\":1} x", #""{\"a\":1} x""#),
            ("application/json", "{\"a\":1,}", #""{\"a\":1,}""#),
            ("application/json", "01", #""01""#),
            ("application/json", "1e400", #""1e400""#),
            ("application/json", "NaN", #""NaN""#),
            ("application/json", "", #""""#),
            ("application/json", #""\ud800""#, #""\"\\ud800\"""#),
            ("application/json", #""\udc00\ud800""#, #""\"\\udc00\\ud800\"""#),
            ("application/json", #""\ud83d\ude00\/""#, #""\ud83d\ude00\/""#),
            ("application/json", "\u{FEFF}{}", "\"\u{FEFF}{}\""),
            ("text/json", "{}", #""{}""#),
        ] as [(String?, String, String)])
    func aPayloadIsJSONOnlyIfItSaysSoAndIs(
        contentType: String?, body: String, expected: String
    ) throws {
        #expect(try data(Array(body.utf8), contentType) == "data: \(expected)")
    }

    @Test func sixtyFourLevelsAreTheDeepest() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let type = "application/json"
        #expect(try data(Array(nested(64).utf8), type) == "data: \(nested(64))")
        #expect(try data(Array(nested(65).utf8), type) == "data: \"\(nested(65))\"")
        let abyss = nested(200_000)
        #expect(try data(Array(abyss.utf8), type) == "data: \"\(abyss)\"")
    }

    @Test func whatCouldHurtALineOrATerminalIsEscaped() throws {
        let text = "\u{7F}\u{85}\u{2028}\u{2029}\u{00}\u{1F}\t\r\n\\\"é😀"
        let escaped = #"\u007f\u0085\u2028\u2029\u0000\u001f\t\r\n\\\"é😀"#
        func normalised(_ text: String) -> String {
            text.replacing(#/\\u[0-9A-Fa-f]{4}/#) { $0.0.lowercased() }
        }
        #expect(try normalised(data(Array(text.utf8), nil)) == "data: \"\(escaped)\"")
        let json = "[\"\u{7F}\u{85}\u{2028}\u{2029}é😀\"]"
        #expect(
            try normalised(data(Array(json.utf8), "application/json"))
                == #"data: ["\u007f\u0085\u2028\u2029é😀"]"#)
    }

    @Test(
        arguments: [
            ([0xFF], "/w=="), ([0xC0, 0x80], "wIA="), ([0xED, 0xA0, 0x80], "7aCA"),
            ([0x61, 0x80, 0x62], "YYBi"), ([0xF4, 0x90, 0x80, 0x80], "9JCAgA=="),
            ([0x22, 0xE2, 0x82], "IuKC"),
        ] as [([UInt8], String)])
    func whatIsNotUTF8GoesAsBase64(body: [UInt8], expected: String) throws {
        for type in [nil, "application/json", "text/plain"] {
            #expect(try data(body, type) == "data_base64: \"\(expected)\"")
        }
    }
}
