import TestSupport
import Testing

@testable import BusAPI

@Suite(.blocking) struct EventFormTests {
    private static let forms = DeliveryForm.allCases.filter { $0 != .websocket }

    @Test(arguments: forms)
    func aFormIsChosenByItsNameAndByItsMediaType(form: DeliveryForm) throws {
        let server = try StreamServer()
        let client = try server.connect()
        #expect(try client.exchange("POST", "/topics/t", body: [0x78]).status == 201)
        func mediaType(_ query: String, accept: String) throws -> String? {
            let answer = try client.exchange(
                "GET", "/topics/t?since=earliest&wait=0\(query)", headers: [("Accept", accept)])
            #expect(answer.status == 200, "\(query) \(accept): \(answer.text)")
            return answer.header("content-type")
        }
        let named = try #require(try mediaType("&as=\(form)", accept: "*/*"))
        #expect(try mediaType("", accept: named) == named)
        #expect((named == "application/octet-stream") == (form == .raw))
    }

    @Test func thePagesNameEveryForm() throws {
        let names = Self.forms.map(\.rawValue)
        let asked = names.map { "`\($0)`" }.joined(separator: ", ")
        #expect(try PackageFiles.text("docs/http-events.md").contains("| `as` | \(asked);"))
        #expect(
            try PackageFiles.text("docs/openapi.yaml")
                .contains("enum: [\(names.joined(separator: ", "))]"))
        let delivered = DeliveryForm.allCases.map(\.rawValue).joined(separator: " ")
        let operations = try PackageFiles.text("docs/operations.md")
        let parts = operations.split(separator: "`\(delivered)`", omittingEmptySubsequences: false)
        #expect(parts.count == 3, "twice")
    }
}
