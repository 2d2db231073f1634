import Glibc
import TestSupport
import Testing

/// Every form of `since`, and what beats it. An id of a time before the first start of the bus is
/// told as a gap, and such a time is none: nothing was lost.
@Suite(.blocking, .serialized) struct ContractSinceTests {
    private static let shared = SharedDaemon()
    private static let published = Result { try Published(on: shared.running()) }
    private let client: RawClient
    private let ids: [UInt64]
    private let times: [String]

    /// Five events of the topic between those of another, which no test changes.
    private struct Published {
        let ids: [UInt64]
        let times: [String]

        init(on daemon: RunningDaemon) throws {
            let client = try daemon.connect()
            var ids: [UInt64] = []
            for number in 1...5 {
                try client.publish("other", to: "u")
                ids.append(try client.publish("\(number)", to: "t"))
            }
            try client.publish("other", to: "u")
            self.ids = ids
            times = try ids.map { id in
                try #require(client.get("/topics/t/events/\(id)").header("event-time"))
            }
        }
    }

    init() throws {
        client = try Self.shared.running().connect()
        let published = try Self.published.get()
        ids = published.ids
        times = published.times
    }

    private func events(
        _ since: String, selector: String = "t", headers: [(String, String)] = [],
        hasGap: Bool = false
    ) throws -> [String] {
        let answer = try client.get(
            "/topics/\(selector)?as=json&wait=0&since=\(since)", headers: headers)
        try #require(answer.status == 200, "\(answer.text)")
        #expect(answer.text.hasSuffix("\"gap\":null}\n") != hasGap, "\(since): \(answer.text)")
        return answer.text.matches(of: #/"data":"(\w+)"/#).map { String($0.1) }
    }

    @Test func wordsAndCounts() throws {
        let all = ["1", "2", "3", "4", "5"]
        #expect(try events("earliest") == all)
        #expect(try events("0") == all)
        #expect(try events("now") == [])
        #expect(try events("latest") == ["5"])
        #expect(try events("-1") == ["5"])
        #expect(try events("-3") == ["3", "4", "5"])
        #expect(try events("-99") == all)
        #expect(try events("latest", selector: "*") == ["other"])
        #expect(try events("-2", selector: "*") == ["5", "other"])
        #expect(try events("-2", selector: "t,v") == ["4", "5"])
        #expect(try events("latest", selector: "empty") == [])
    }

    @Test func idsAreNotDense() throws {
        #expect(try events("\(ids[1])") == ["3", "4", "5"])
        #expect(try events("\(ids[1] - 1)") == ["2", "3", "4", "5"])
        #expect(try events("\(ids[4])") == [])
        #expect(try events("1", hasGap: true) == ["1", "2", "3", "4", "5"])
        #expect(try events("0000\(ids[3])".suffix(16).description) == ["5"])
    }

    @Test func timesBackAndForth() throws {
        let all = ["1", "2", "3", "4", "5"]
        // Longer than the tests of the suite take on the busiest machine.
        for back in ["1h", "3600s", "90m", "24h", "7d", "9000000ms", "1h30m", "1d12h"] {
            #expect(try events(back) == all)
        }
        #expect(try events("0ms") == [])
        #expect(try events("@1") == all)
        #expect(try events("@1.5") == all)
        #expect(try events("@4102444800") == [])
        #expect(try events("2001-02-03T04:05:06Z") == all)
        #expect(try events("2001-02-03T04:05:06.123%2B01:00") == all)
        #expect(try events("2099-12-31T23:59:59Z") == [])
        #expect(try events("2001-02-03") == all)
        #expect(try events("2099-12-31") == [])
        let firstOfThatTime = try #require(times.firstIndex(of: times[2]))
        #expect(try events(times[2]) == Array(all[firstOfThatTime...]))
    }

    @Test func lastEventIDBeatsSince() throws {
        #expect(try events("earliest", headers: [("Last-Event-ID", "\(ids[2])")]) == ["4", "5"])
        #expect(try events("now", headers: [("Last-Event-ID", "0")]).count == 5)
        #expect(try events("-1", headers: [("Last-Event-ID", "")]) == ["5"])
        let bad = try client.get(
            "/topics/t?since=0&wait=0", headers: [("Last-Event-ID", "earliest")])
        #expect(bad.status == 400 && bad.member("code") == "CURSOR_INVALID")
    }

    /// The detail of the refusal of a request.
    private func refusal(
        since: String? = nil, headers: [(String, String)] = []
    ) throws -> String {
        let answer = try client.get(
            "/topics/t?wait=0" + (since.map { "&since=\($0)" } ?? ""), headers: headers)
        #expect(answer.status == 400 && answer.member("code") == "CURSOR_INVALID", "\(answer.text)")
        return answer.member("detail") ?? ""
    }

    @Test func aUnixTimeIsNotTakenForAnId() throws {
        let seconds = time(nil)
        #expect(try refusal(since: "\(seconds)").contains("did you mean @\(seconds)?"))
        #expect(try refusal(since: "\(seconds)123").contains("did you mean @\(seconds).123?"))
        #expect(
            try refusal(since: "\(seconds)123456789").contains("@\(seconds).123456789"))
        #expect(
            try refusal(headers: [("Last-Event-ID", "\(seconds)")])
                .contains("leave it out, and begin with since=@\(seconds)"))
        #expect(try events("1", hasGap: true).count == 5)
        #expect(try events("1000000000", hasGap: true).count == 5)
        #expect(try events("\(ids[4])") == [])
    }

    @Test func aPlusThatBecameASpaceIsToldSo() throws {
        for since in ["2026-11-22T12:50:03+00:00", "2026-11-22T12:50:03.5+02:00"] {
            #expect(
                try refusal(since: since).contains("in a query a + is a space. Write it as %2B"))
        }
        for since in ["1+h", "10m+", "2026-11-22+"] {
            #expect(try !refusal(since: since).contains("%2B"), "\(since)")
        }
    }

    @Test func theDefaultIsNow() throws {
        let answer = try client.get("/topics/t?wait=0")
        #expect(answer.status == 204)
        #expect(try #require(answer.number("event-cursor")) > ids[4])
    }

    @Test(arguments: [
        "yesterday", "-", "-0", "-x", "--1", "1x", "1.5s", "@", "@x", "@-1", "+1", "%201",
        "9007199254740992", "99999999999999999", "2001-02-30", "2001-02-30T00:00:00Z", "30m1h",
        "2001-02-03T04:05:06", "NOW", "0x10", "",
    ])
    func anythingElseIsNoCursor(since: String) throws {
        let answer = try client.get("/topics/t?wait=0&since=\(since)")
        #expect(answer.status == 400)
        #expect(answer.member("code") == "CURSOR_INVALID")
    }
}
