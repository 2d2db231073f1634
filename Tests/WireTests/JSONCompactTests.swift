import JSON
import Testing

@Suite struct JSONCompactTests {
    @Test(
        "white space between tokens goes, the tokens stay as they were written",
        arguments: [
            (
                " { \"a\" : [ 1 , 2.50 , -0 , 1E2 ] , \"b\" : null } ",
                #"{"a":[1,2.50,-0,1E2],"b":null}"#
            ),
            ("\"a  b\"", "\"a  b\""), ("[]", "[]"), ("[ ]", "[]"), ("{\n}", "{}"),
            ("true", "true"), (" false\r\n", "false"), ("0", "0"), ("-12.5e-3", "-12.5e-3"),
            (#""\u00e9\ud83d\ude00\/\n""#, #""\u00e9\ud83d\ude00\/\n""#),
            ("\"\u{7F}\u{85}\u{2028}\u{2029}é\"", #""\u007f\u0085\u2028\u2029é""#),
            ("{\"\u{2028}\":1}", #"{"\u2028":1}"#),
            ("[1e308,1.7976931348623157e308]", "[1e308,1.7976931348623157e308]"),
        ])
    func compacts(text: String, compact: String) {
        #expect(compacted(text) == compact)
    }

    @Test(
        "what is not one JSON text that every reader can take in is refused",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "01",
            "-", "1.", ".5", "1e", "1e+", "+1", "NaN", "Infinity", "tru", "nul", "\"a", "\"\\x\"",
            "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"",
            "\"a\u{1}b\"",
            "\"a\nb\"", "1 2", "{} {}", "[1]x", "1e309", "-1e999", "'a'", "//x\n1",
        ])
    func refuses(text: String) {
        #expect(compacted(text) == nil)
    }

    @Test func nestingIsTakenUpToTheLimitAndNotOneLevelMore() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(compacted(nested(JSONLimits.depthMax)) == nested(JSONLimits.depthMax))
        #expect(compacted(nested(JSONLimits.depthMax + 1)) == nil)
        #expect(compacted(nested(100_000)) == nil)
    }

    @Test func aNumberOfManyDigitsBeyondADoubleIsRefused() {
        #expect(compacted(String(repeating: "9", count: 308)) != nil)
        #expect(compacted(String(repeating: "9", count: 400)) == nil)
    }

    private func compacted(_ text: String) -> String? {
        var output = Array("kept".utf8)
        let isValue = Array(text.utf8).withUnsafeBytes { JSONText.compact($0, into: &output) }
        #expect(output.starts(with: "kept".utf8))
        return isValue ? String(decoding: output.dropFirst(4), as: UTF8.self) : nil
    }
}
