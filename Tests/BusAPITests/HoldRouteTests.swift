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

    /// `{"name":"t",…}` of the list.
    private static func row(_ client: RawClient) throws -> String {
        let list = try client.exchange("GET", "/topics?match=t").text
        return list.prefix { $0 != "]" }.description
    }

    @Test func aHoldEndsWithItsGroupAndNoOtherGroupOfTheNameHolds() throws {
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let client = try server.connect()
        func expect(_ status: Int, _ method: String, _ target: String) throws {
            let body: [UInt8]? = method == "POST" ? [0x78] : nil
            let answer = try client.exchange(method, target, body: body)
            #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        }
        try expect(201, "PUT", "/groups/mail?of=t")
        try expect(201, "PUT", "/topics/t?keep=1&hold=mail")
        try expect(201, "POST", "/topics/t")
        try expect(507, "POST", "/topics/t")
        try expect(409, "DELETE", "/groups/mail")
        try expect(204, "DELETE", "/groups/mail?force=1")
        try expect(201, "POST", "/topics/t")
        #expect(try Self.row(client).contains("\"hold\":null"))
        for topics in ["other", "t"] {
            try expect(201, "PUT", "/groups/mail?of=\(topics)")
            for _ in 0..<3 { try expect(201, "POST", "/topics/t") }
            #expect(try Self.row(client).contains("\"hold\":null"))
            // What no topic is held for ends without force.
            try expect(204, "DELETE", "/groups/mail")
        }
        // A registration that does not name the hold brings none back.
        try expect(200, "PUT", "/topics/t?keep=1")
        #expect(try Self.row(client).contains("\"hold\":null"))
        try expect(201, "PUT", "/groups/mail?of=t")
        try expect(200, "PUT", "/topics/t?keep=1&hold=mail")
        try expect(507, "POST", "/topics/t")
        #expect(try Self.row(client).contains("\"hold\":\"mail\""))
    }

    @Test func aListThatFollowsChangesIsToldOfTheEndOfAHold() throws {
        let server = try StreamServer()
        defer { withExtendedLifetime(server) {} }
        let client = try server.connect()
        #expect(try client.exchange("PUT", "/groups/mail?of=t").status == 201)
        #expect(try client.exchange("PUT", "/topics/t?hold=mail").status == 201)
        let list = try client.exchange("GET", "/topics").text
        let next = try #require(list.split(separator: "\"next\":\"").last).prefix { $0 != "\"" }
        #expect(try client.exchange("DELETE", "/groups/mail?force=1").status == 204)
        server.bus.sweep()
        let changes = try client.exchange("GET", "/topics?since=\(next)&wait=0").text
        #expect(changes.contains("\"name\":\"t\"") && changes.contains("\"hold\":null"))
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
