import Glibc
import TestSupport
import Testing
import Topics
import Wire

@testable import Access
@testable import BusAPI

/// `GET /subscribers`, on a served bus, as callers of several kinds.
@Suite(.blocking) struct SubscribersTests {
    private let place: WorkPlace
    private var server: StreamServer { place.server }

    init() throws { place = try WorkPlace(group: nil) }

    private func list(_ query: String = "") throws -> String {
        try place.expect(200, "GET", "/subscribers\(query)").text
    }

    /// Has a request wait.
    private func wait(_ target: String, headers: [(String, String)] = []) throws -> RawClient {
        let before = server.service.waitingCount
        let client = try server.connect()
        try client.send("GET", target, headers: headers)
        try server.wait { server.service.waitingCount == before + 1 }
        return client
    }

    /// The members that tell the filters of a subscriber.
    private func filters(type: String? = nil) -> String {
        FilterField.allCases.map { field in
            let text = field == .type ? type.map { "\"\($0)\"" } : nil
            return "\"\(WireFilter.row(field).name)\":\(text ?? "null"),"
        }.joined() + "\"attributes\":null,"
    }

    @Test func eachSubscriberIsListedWithItsSelectorItsFiltersAndHowFarItIs() throws {
        let first = try place.publish("1", to: "deploys")
        #expect(try list() == "{\"subscribers\":[]}\n")
        let poll = try wait("/topics/deploys,logs?type=build&wait=1h")
        let stream = try server.open("/topics/builds.*?as=sse")
        let text = try list()
        let parts = text.components(separatedBy: "},{")
        #expect(parts.count == 2)
        #expect(
            parts[0].hasPrefix(
                "{\"subscribers\":[{\"selector\":\"builds.*\",\(filters())\"form\":\"sse\""
                    + ",\"user\":\(getuid()),\"token\":null,\"pid\":null,\"since\":\"20"), "\(text)"
        )
        #expect(
            parts[1].hasPrefix(
                "\"selector\":\"deploys,logs\",\(filters(type: "build"))\"form\":\"raw\""),
            "\(text)")
        #expect(parts[1].contains("\"cursor\":\"\(first)\",\"behind\":0}]}"), "\(text)")
        #expect(try list("?topic=logs").contains("\"selector\":\"deploys,logs\""))
        #expect(try !list("?topic=logs").contains("builds"))
        #expect(try list("?topic=builds.a").contains("\"selector\":\"builds.*\""))
        #expect(try list("?topic=other") == "{\"subscribers\":[]}\n")
        try place.refuse(400, "PARAMETER_INVALID", "GET", "/subscribers?topic=a.*")
        poll.close()
        stream.close()
        try server.wait { server.service.waitingCount == 0 }
        #expect(try list() == "{\"subscribers\":[]}\n")
    }

    @Test func whoDoesNotReadFallsBehind() throws {
        let stream = try server.open("/topics/a?as=ndjson", receiveBufferBytes: 4_096)
        let text = String(repeating: "x", count: 100_000)
        // More than the sockets of both ends take.
        for _ in 0..<100 { try place.publish(text, to: "a") }
        var behind = 0
        try server.wait {
            let row = (try? list()) ?? ""
            let digits = row.components(separatedBy: "\"behind\":").last?.prefix { $0.isNumber }
            behind = digits.flatMap { Int($0) } ?? 0
            return behind > 0
        }
        #expect(behind < 100)
        stream.close()
    }

    @Test func whoWaitsForJobsOrForTheListOfTopicsIsNoSubscriber() throws {
        try place.expect(201, "PUT", "/groups/g?of=a")
        let worker = try place.wait()
        let lists = try place.expect(200, "GET", "/topics?match=none").text
        let next = lists.components(separatedBy: "\"next\":\"").last?.prefix { $0 != "\"" }
        let poll = try wait("/topics?since=\(next ?? "")&match=none&wait=1h")
        #expect(try list() == "{\"subscribers\":[]}\n")
        worker.close()
        poll.close()
    }

    @Test func theyAreListedAcrossTheTurnsOfALoop() throws {
        let clients = try (0..<300).map { try wait("/topics/t\($0 % 7)?wait=1h") }
        let text = try list()
        #expect(text.components(separatedBy: "\"form\":\"raw\"").count == 301)
        #expect(try list("?topic=t0").components(separatedBy: "\"selector\"").count == 44)
        for client in clients { client.close() }
    }

    // MARK: Who may know

    private static let me = Caller(uid: 1_000)

    private func sees(
        _ selector: String, _ rules: String..., caller: Caller = me, owner: UInt32? = nil
    ) throws -> Bool {
        let selector = try Selector(selector)
        return WorkPlace.access(rules).seesOthers(at: selector, madeBy: { _ in owner }, caller)
    }

    @Test func rootAndTheBusSeeEverybodyOthersWhatTheyMayReceiveAndAdminister() throws {
        let closed = "a subscribe uid:1"
        #expect(try sees("a", closed, caller: Caller(uid: 0)))
        #expect(try sees("a,b.>", closed, caller: Caller(uid: 4_242)))
        #expect(try !sees("a"))
        #expect(try !sees("a", caller: .unknown))
        #expect(try sees("a", owner: 1_000))
        #expect(try sees("a", "a administer uid:1000"))
        #expect(try sees("a", "> administer uid:1000"))
        #expect(try !sees("a", "a administer uid:1000", closed))
        #expect(try !sees("a", closed, owner: 1_000))
        #expect(try !sees("a,b", "a administer uid:1000"))
        #expect(try !sees("a.*", "a.b administer uid:1000"))
        #expect(try sees("a.*", "a.> administer uid:1000"))
        #expect(try !sees("a.*,b", "a.> administer uid:1000"))
    }

    @Test func oneIsKnownToOneselfByUserAndToken() throws {
        let (one, other) = (Token(name: "one", digest: []), Token(name: "other", digest: []))
        let me = Self.me
        #expect(me.isKnown(as: me) && !me.isKnown(as: Caller(uid: 1_001)))
        #expect(!Caller.unknown.isKnown(as: .unknown))
        let behindProxy = Caller(uid: 33, token: one)
        #expect(behindProxy.isKnown(as: behindProxy))
        #expect(!behindProxy.isKnown(as: Caller(uid: 33, token: other)))
        #expect(!behindProxy.isKnown(as: Caller(uid: 33)))
        #expect(Caller(token: one).isKnown(as: Caller(token: one)))
    }
}
