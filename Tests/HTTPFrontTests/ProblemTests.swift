import Testing

@testable import HTTPFront

@Suite struct ProblemTests {
    @Test func aProblemIsJSONThatEndsInLF() {
        let problem = Problem(
            405, "METHOD_NOT_ALLOWED", detail: "Say \"GET\".", headers: [("Allow", "GET")])
        #expect(
            String(decoding: problem.json, as: UTF8.self)
                == #"{"status":405,"title":"Method Not Allowed","code":"METHOD_NOT_ALLOWED","#
                + #""detail":"Say \"GET\"."}"# + "\n")
        let response = problem.response
        #expect(response.status == 405)
        #expect(
            String(decoding: response.headers.bytes, as: UTF8.self)
                == "Content-Type: application/problem+json\r\nAllow: GET\r\n")
        #expect(!response.closesConnection)
        #expect(response.body.count == problem.json.count)
    }

    @Test(arguments: [
        ("", #""""#), ("plain é 😀", #""plain é 😀""#), (#"a"b\c/"#, #""a\"b\\c/""#),
        ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1F}\u{7F}", #""\u0000\u001f\u007f""#),
        ("\u{80}\u{85}\u{A0}", "\"\u{80}\\u0085\u{A0}\""),
        ("\u{2027}\u{2028}\u{2029}\u{202A}", "\"\u{2027}\\u2028\\u2029\u{202A}\""),
    ])
    func stringsAreEscapedAsJSONAndReadersOfLinesNeed(text: String, json: String) {
        var output: [UInt8] = []
        JSONText.append(text, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == json)
    }
}
