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
}
