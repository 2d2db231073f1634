import TestSupport
import Testing
import Topics

@testable import BusAPI

/// `hold` of a topic, as requests set and meet it.
@Suite(.blocking) struct HoldRouteTests {
    @Test func aHoldStaysUnlessItIsNamedAndRefusesWhatItHasNoRoomFor() throws {
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let client = try server.connect()
        #expect(try client.exchange("PUT", "/groups/mail?of=t").status == 201)
        func put(_ query: String) throws -> String {
            let answer = try client.exchange("PUT", "/topics/t?\(query)")
            #expect(answer.status == 200 || answer.status == 201)
            return answer.text
        }
        #expect(try put("keep=1").contains("\"hold\":null"))
        #expect(try put("keep=1&hold=mail").contains("\"hold\":\"mail\""))
        #expect(try put("keep=2").contains("\"hold\":\"mail\""))
        for _ in 0..<2 {
            #expect(try client.exchange("POST", "/topics/t", body: [0x78]).status == 201)
        }
        let full = try client.exchange("POST", "/topics/t", body: [0x78])
        #expect(full.status == 507 && full.text.contains("\"code\":\"TOPIC_FULL\""))
        #expect(full.text.contains("the group mail has not settled"))
        #expect(try client.exchange("GET", "/topics").text.contains("\"hold\":\"mail\""))
        #expect(try put("keep=2&hold=none").contains("\"hold\":null"))
        #expect(try client.exchange("POST", "/topics/t", body: [0x78]).status == 201)
    }

    @Test(
        arguments: [
            ("none", 201, nil), ("mail", 201, nil), ("other", 409, "GROUP_DIFFERS"),
            ("typed", 409, "GROUP_DIFFERS"), ("nobody", 404, "GROUP_UNKNOWN"),
            ("a%20b", 400, "GROUP_NAME_INVALID"),
        ] as [(String, Int, String?)])
    func onlyAGroupThatTakesEveryEventOfATopicHoldsIt(
        _ group: String, _ status: Int, _ code: String?
    ) throws {
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let client = try server.connect()
        for made in ["mail?of=t.*", "other?of=t", "typed?of=t.*&type=x"] {
            #expect(try client.exchange("PUT", "/groups/\(made)").status == 201)
        }
        let answer = try client.exchange("PUT", "/topics/t.a?hold=\(group)")
        #expect(answer.status == status, "\(answer.text)")
        if let code { #expect(answer.text.contains("\"code\":\"\(code)\"")) }
    }
}
