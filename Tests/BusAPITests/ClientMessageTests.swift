import JSON
import TestSupport
import Testing
import Topics

@testable import BusAPI

@Suite struct ClientMessageTests {
    @Test(
        "what a message publishes is its string, its JSON text or its bytes",
        arguments: [
            (#"{"data":"hello"}"#, "hello", nil),
            (#"{"data":""}"#, "", nil),
            (
                #"{"data":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00"}"#, "\"\\/\u{8}\u{c}\n\r\tAé😀",
                nil
            ),
            ("{\"data\":\"\u{7F}\u{2028}é\"}", "\u{7F}\u{2028}é", nil),
            (#" { "data" : { "a" : [ 1 , 2.50 ] } } "#, #"{"a":[1,2.50]}"#, "application/json"),
            ("\r\n\t{\"data\":\t[ ]}\n", "[]", "application/json"),
            (#"{"data":-1E2}"#, "-1E2", "application/json"),
            (#"{"data":null}"#, "null", "application/json"),
            (#"{"data":false}"#, "false", "application/json"),
            (#"{"\u0064ata":true}"#, "true", "application/json"),
            (#"{"data_base64":"aGVsbG8="}"#, "hello", nil),
            (#"{"data_base64":"Pz8\u002f\/\/\/\/"}"#, "???\u{FFFD}\u{FFFD}\u{FFFD}", nil),
            (#"{"data_base64":""}"#, "", nil),
        ] as [(String, String, String?)])
    func payload(text: String, payload: String, contentType: String?) throws {
        let message = try read(text)
        #expect(String(decoding: message.payload.bytes, as: UTF8.self) == payload)
        #expect(message.metadata.contentType == contentType)
        #expect(message.topic == nil)
        #expect(message.metadata.type == nil && message.metadata.key == nil)
    }

    @Test func everyMemberIsRead() throws {
        var ref: MessageRef?
        let text =
            #"{"ref":"a","topic":"x.y","type":"done","key":"17","data_base64":"/wA="}"#
        let message = try read(text, &ref)
        #expect(message.topic?.text == "x.y")
        #expect(message.metadata.type == "done" && message.metadata.key == "17")
        #expect(Array(message.payload.bytes) == [0xFF, 0x00])
        #expect(ref?.json == Array("\"a\"".utf8))
    }

    @Test(
        "a ref comes back as it was written",
        arguments: [
            "0", "-0", "17", "1.50", "1E400000", "\"\"", "\"a b\"", #""\u0041\n""#, "\"é\"",
        ])
    func refs(json: String) throws {
        var ref: MessageRef?
        guard json != "1E400000" else {
            #expect(refusal(#"{"data":1,"ref":1E400000}"#)?.code == "REQUEST_MALFORMED")
            return
        }
        _ = try read("{\"data\":1,\"ref\":\(json)}", &ref)
        #expect(ref?.json == Array(json.utf8))
    }

    @Test(
        "a message that is not as it should be is refused, and the refusal names the member",
        arguments: [
            ("", "REQUEST_MALFORMED", "byte 0"),
            ("[]", "REQUEST_MALFORMED", "byte 0"),
            ("\"data\"", "REQUEST_MALFORMED", "not a JSON object"),
            ("{", "REQUEST_MALFORMED", "byte 1"),
            ("{\"data\"", "REQUEST_MALFORMED", "'data'"),
            ("{\"data\":", "REQUEST_MALFORMED", "'data'"),
            ("{\"data\":1", "REQUEST_MALFORMED", "byte 9"),
            ("{\"data\":1,}", "REQUEST_MALFORMED", "byte 10"),
            ("{\"data\":1 \"ref\":1}", "REQUEST_MALFORMED", "byte 10"),
            ("{\"data\":1}}", "REQUEST_MALFORMED", "byte 10"),
            ("{data:1}", "REQUEST_MALFORMED", "byte 1"),
            ("{\"data\":01}", "REQUEST_MALFORMED", "byte 9"),
            ("{\"data\":1e999}", "REQUEST_MALFORMED", "'data'"),
            (#"{"data":"\ud800"}"#, "REQUEST_MALFORMED", "'data'"),
            (#"{"type":"\x","data":1}"#, "REQUEST_MALFORMED", "'type'"),
            ("{}", "PARAMETER_INVALID", "'data' is missing"),
            (#"{"topic":"a"}"#, "PARAMETER_INVALID", "'data' is missing"),
            (#"{"data":1,"data_base64":""}"#, "PARAMETER_INVALID", "both"),
            (#"{"data":1,"data":1}"#, "PARAMETER_REPEATED", "'data'"),
            (#"{"ref":1,"ref":1,"data":1}"#, "PARAMETER_REPEATED", "'ref'"),
            (#"{"data":1,"Topic":"a"}"#, "PARAMETER_UNKNOWN", "'Topic'"),
            (#"{"id":1,"id":1,"data":1}"#, "PARAMETER_UNKNOWN", "'id'"),
            (#"{"data_base64":1}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"YQ"}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"YR=="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"Y==="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"===="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"YQ==YQ=="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"Y\nQ="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"data_base64":"-_8="}"#, "PARAMETER_INVALID", "'data_base64'"),
            (#"{"topic":null,"data":1}"#, "PARAMETER_INVALID", "'topic'"),
            (#"{"topic":"","data":1}"#, "TOPIC_NAME_INVALID", "topic"),
            (#"{"topic":"a.*","data":1}"#, "TOPIC_NAME_INVALID", "topic"),
            (#"{"topic":"a\u0000","data":1}"#, "TOPIC_NAME_INVALID", "topic"),
            (#"{"type":1,"data":1}"#, "PARAMETER_INVALID", "'type'"),
            (#"{"type":"","data":1}"#, "EVENT_TYPE_INVALID", "type"),
            (#"{"type":" a","data":1}"#, "EVENT_TYPE_INVALID", "type"),
            (#"{"key":"\n","data":1}"#, "EVENT_KEY_INVALID", "key"),
            (#"{"key":["a"],"data":1}"#, "PARAMETER_INVALID", "'key'"),
            (#"{"ref":null,"data":1}"#, "PARAMETER_INVALID", "'ref'"),
            (#"{"ref":true,"data":1}"#, "PARAMETER_INVALID", "'ref'"),
            (#"{"ref":{},"data":1}"#, "PARAMETER_INVALID", "'ref'"),
        ])
    func refuses(text: String, code: String, detail: String) {
        let problem = refusal(text)
        #expect(problem?.code == code)
        #expect(problem?.detail.contains(detail) == true, "\(problem?.detail ?? "")")
    }

    @Test func aRefusalOfAWholeMessageStillSaysWhichOneItWas() {
        for text in [
            #"{"unknown":1,"ref":7}"#, #"{"topic":"..","data":1,"ref":7}"#, #"{"ref":7}"#,
            #"{"data":1,"data":2,"ref":7}"#,
        ] {
            var ref: MessageRef?
            #expect(throws: Refusal.self) { try read(text, &ref) }
            #expect(ref?.json == Array("7".utf8), "\(text)")
        }
    }

    @Test func dataMayNestAsDeepAsAnEnvelopeMay() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let deepest = nested(JSONLimits.depthMax)
        #expect(try read("{\"data\":\(deepest)}").payload.count == deepest.utf8.count)
        #expect(refusal("{\"data\":\(nested(JSONLimits.depthMax + 1))}") != nil)
        #expect(refusal(String(repeating: "{\"data\":", count: 100_000)) != nil)
    }

    @Test func aRefIsAsLongAsANameAndNotLonger() throws {
        let longest = String(repeating: "9", count: Limits.refBytesMax)
        var ref: MessageRef?
        _ = try read("{\"data\":1,\"ref\":\(longest)}", &ref)
        #expect(ref?.json.count == Limits.refBytesMax)
        #expect(refusal("{\"data\":1,\"ref\":\(longest)9}")?.code == "PARAMETER_INVALID")
    }

    @Test func aRefusalDoesNotRepeatAnEndlessName() {
        let name = String(repeating: "n", count: 100_000)
        #expect((refusal("{\"\(name)\":1}")?.detail.count ?? .max) < 300)
        #expect((refusal("{\"\(name)\"}")?.detail.count ?? .max) < 300)
    }

    @Test func whateverArrivesIsReadOrRefused() {
        var random = SeededRandom(for: "client messages")
        let model = Array(
            #"{"topic":"a.b","type":"t","key":"k","ref":"\ud83d\ude00","data":{"x":[1,"\n"]}}"#
                .utf8)
        let alphabet = Array("{}[]\",:\\u0dD8cbfnrt ea1-.E/+=\u{7F}".utf8)
        var read = 0
        for _ in 0..<20_000 {
            var text = model
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = alphabet.randomElement(using: &random)!
                case 1: text.insert(alphabet.randomElement(using: &random)!, at: place)
                case 2: text.remove(at: place)
                default: text.removeSubrange(place..<min(place + 9, text.count))
                }
            }
            var ref: MessageRef?
            if let message = try? text.withUnsafeBytes({ try ClientMessage($0, ref: &ref) }) {
                read += 1
                #expect(message.payload.count < text.count)
            }
        }
        #expect(read > 1_000)
    }

    @Test func whateverIsPublishedComesBackFromItsEnvelope() throws {
        var random = SeededRandom(for: "published strings")
        for _ in 0..<500 {
            let count = Int.random(in: 0...40, using: &random)
            let scalars = (0..<count).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
                    ?? Unicode.Scalar(UInt32.random(in: 0...0xFF, using: &random))
            }
            let string = String(String.UnicodeScalarView(scalars))
            var json = JSONWriter()
            json.beginObject()
            json.name("data")
            json.string(string)
            json.endObject()
            let message = try read(String(decoding: json.bytes, as: UTF8.self))
            #expect(Array(message.payload.bytes) == Array(string.utf8))
        }
    }

    @discardableResult
    private func read(_ text: String, _ ref: inout MessageRef?) throws -> ClientMessage {
        try Array(text.utf8).withUnsafeBytes { try ClientMessage($0, ref: &ref) }
    }

    private func read(_ text: String) throws -> ClientMessage {
        var ref: MessageRef?
        return try read(text, &ref)
    }

    private func refusal(_ text: String) -> (code: String, detail: String)? {
        var ref: MessageRef?
        do {
            try read(text, &ref)
            return nil
        } catch {
            return (error as? Refusal).map { ($0.problem.code, $0.problem.detail) }
        }
    }
}
