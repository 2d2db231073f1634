import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// What each path below `/groups` does when nothing is wrong.
@Suite(.blocking) struct WorkRouteTests {
    private let place: WorkPlace

    init() throws { place = try WorkPlace(group: nil) }

    @Test func aGroupIsMadeOnceAndShownWithItsSettings() throws {
        let target =
            "/groups/g?of=a,b.*&type=x&lease=2m&attempts=3&dead=c&order=key&in_flight=7&persist=no"
        let made = try place.expect(201, "PUT", target)
        for part in [
            #""name":"g","of":"a,b.*","type":"x","attributes":null,"lease":"2m","attempts":3,"dead":"c""#,
            #""order":"key","in_flight":7,"persist":false,"replies":false"#,
            #""open":0,"leased":0,"waiting":0,"parked":0"#,
            #""done":0,"failed":0,"gone":0,"expired":0,"gap":null}"#,
        ] {
            #expect(made.text.contains(part), "\(made.text)")
        }
        #expect(made.header("content-type") == "application/json")
        #expect(try place.expect(200, "PUT", target).text == made.text)
        // Only what reads looks how far the group is behind. `ahead` is its name of before.
        let shown = made.text.replacing(
            #""behind":null,"ahead":null"#, with: #""behind":0,"ahead":0"#)
        #expect(try place.group() == shown)
        #expect(try place.expect(200, "PUT", "/groups/g?of=b.*,a").text == made.text)
        #expect(
            try place.expect(200, "GET", "/groups").text
                == "{\"groups\":[\(shown.dropLast())]}\n")
        #expect(try place.ask("HEAD", "/groups/g").status == 200)
    }

    @Test func aGroupOfAttributesIsShownAndNoOtherOne() throws {
        let target = "/groups/g?of=jobs&attribute.host=web1&attribute.note=a%3Db"
        let made = try place.expect(201, "PUT", target)
        #expect(
            made.text.contains(#""type":null,"attributes":{"host":"web1","note":"a=b"},"lease""#),
            "\(made.text)")
        #expect(try place.expect(200, "PUT", target).text == made.text)
        #expect(try place.expect(200, "PUT", "/groups/g?lease=5m").text.contains("web1"))
        try place.refuse(409, "GROUP_DIFFERS", "PUT", "/groups/g?attribute.host=web2")
        try place.refuse(400, "EVENT_ATTRIBUTE_INVALID", "PUT", "/groups/h?of=a&attribute.Host=1")
        try place.refuse(409, "GROUP_DIFFERS", "PUT", "/topics/jobs?hold=g")
        try place.expect(201, "POST", "/topics/jobs?attribute.host=web1", "no")
        try place.expect(
            201, "POST", "/topics/jobs?attribute.host=web1&attribute.note=a%3Db", "yes")
        #expect(try place.expect(200, "POST", "/groups/g/next").text == "yes")
        #expect(try place.group().contains(#""behind":0"#))
    }

    @Test func aGroupMayNameATypeOfTheBusAndHoldsNoTopicThen() throws {
        let made = try place.expect(201, "PUT", "/groups/g?of=jobs&type=$silent")
        #expect(made.text.contains(#""type":"$silent""#))
        try place.refuse(409, "GROUP_DIFFERS", "PUT", "/topics/jobs?hold=g")
        try place.refuse(400, "EVENT_TYPE_INVALID", "POST", "/topics/jobs?type=$silent", "x")
    }

    @Test func whatAPutDoesNotNameStays() throws {
        try place.expect(201, "PUT", "/groups/g?of=a&lease=2m&attempts=3&dead=c")
        let changed = try place.expect(200, "PUT", "/groups/g?lease=5m")
        #expect(changed.text.contains(#""lease":"5m","attempts":3,"dead":"c""#), "\(changed.text)")
        let freed = try place.expect(200, "PUT", "/groups/g?dead=none&in_flight=9")
        #expect(freed.text.contains(#""dead":null"#), "\(freed.text)")
        #expect(freed.text.contains(#""in_flight":9"#), "\(freed.text)")
    }

    @Test func aRawJobComesWithTheHeadersOfItsEventAndOfItsLease() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs")
        let published = try place.ask(
            "POST", "/topics/jobs?type=mail&key=k", "to root",
            headers: [("Content-Type", "text/plain")])
        let job = try place.expect(200, "POST", "/groups/g/next")
        #expect(job.text == "to root")
        #expect(job.header("event-id") == published.header("event-id"))
        #expect(job.header("event-topic") == "jobs")
        #expect(job.header("event-type") == "mail")
        #expect(job.header("event-key") == "k")
        #expect(job.header("content-type") == "text/plain")
        #expect(job.header("content-security-policy") == "sandbox")
        #expect(job.header("work-attempt") == "1")
        #expect(job.header("work-reply") == nil)
        #expect(job.header("event-gap") == nil)
        let lease = try #require(job.header("work-lease"))
        #expect(try lease.wholeMatch(of: Regex("[A-Za-z0-9_-]{1,64}")) != nil)
        let deadline = try #require(job.header("work-deadline").flatMap(Timestamp.init(rfc3339:)))
        let left = deadline.microseconds - place.server.bus.now.microseconds
        #expect((30_000_000...60_000_000).contains(left))
        #expect(try place.expect(204, "POST", "/groups/g/done?lease=\(lease)").body.isEmpty)
        #expect(try place.group().contains(#""open":0,"leased":0"#))
        #expect(try place.group().contains(#""done":1"#))
    }

    @Test func aBatchHasOneLeaseAndItsJobsAreSettledTogetherOrAlone() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs.*")
        let ids = try (0..<5).map { try place.publish("job \($0)", to: "jobs.\($0)") }
        let batch = try place.expect(200, "POST", "/groups/g/next?as=json&max=4")
        #expect(batch.header("work-lease") == nil)
        #expect(batch.text.hasPrefix(#"{"lease":""#) && batch.text.hasSuffix("],\"gap\":null}\n"))
        let lease = String(batch.text.split(separator: "\"")[3])
        for (index, id) in ids.enumerated() {
            let isHere = batch.text.contains(#"{"id":"\#(id)","topic":"jobs.\#(index)""#)
            #expect(isHere == (index < 4), "\(batch.text)")
        }
        #expect(batch.text.count(of: #","attempt":1}"#) == 4)
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)&only=\(ids[0]),\(ids[2])")
        #expect(try place.group().contains(#""open":2,"leased":2"#))
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
        #expect(try place.group().contains(#""open":0,"leased":0"#))
    }

    @Test func whatCameOutOfAJobIsPublishedWithItsSettlement() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs")
        for _ in 0..<2 { try place.publish("x", to: "jobs") }
        let first = try place.take()
        let second = try place.expect(
            200, "POST", "/groups/g/next?done=\(first)&to=out&type=done&key=1", "one")
        let lease = try #require(second.header("work-lease"))
        let settled = try place.ask(
            "POST", "/groups/g/done?lease=\(lease)&to=out", "two",
            headers: [("Event-Type", "late"), ("Content-Type", "text/x-out")])
        #expect(settled.status == 204)
        let out = try place.expect(200, "GET", "/topics/out?since=earliest&as=json")
        #expect(out.text.contains(#""type":"done","key":"1","data":"one""#), "\(out.text)")
        #expect(out.text.contains(#""type":"late","content_type":"text/x-out","data":"two""#))
        #expect(try place.group().contains(#""done":2"#))
    }

    @Test func aJobThatIsGivenBackComesAgainAndOneThatIsDeadGoesWhereDeadLettersGo() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs&dead=failed")
        let id = try place.publish("poison", to: "jobs")
        try place.expect(204, "POST", "/groups/g/retry?lease=\(place.take())&delay=0")
        let again = try place.expect(200, "POST", "/groups/g/next")
        #expect(again.header("work-attempt") == "2")
        #expect(again.header("event-id") == "\(id)")
        let lease = try #require(again.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/dead?lease=\(lease)")
        let letter = try place.expect(200, "GET", "/topics/failed?since=earliest")
        #expect(letter.text == "poison")
        #expect(try place.group().contains(#""failed":1"#))
        let letterID = try #require(letter.header("event-id"))
        let revived = try place.expect(201, "POST", "/groups/g/revive?id=\(letterID)")
        let third = try place.expect(200, "POST", "/groups/g/next")
        #expect(third.text == "poison")
        #expect(third.header("event-id") == revived.header("event-id"))
        #expect(third.header("work-attempt") == "1")
        try place.refuse(410, "JOB_SETTLED", "POST", "/groups/g/revive?id=\(letterID)")
    }

    @Test func aDeadLetterSaysWhyItsWorkerCouldNotDoTheJob() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs&dead=failed&attempts=1")
        var reasons: [String] = []
        for form in ["retry?lease=", "dead?lease=", "next?wait=0&retry=", "next?wait=0&dead="] {
            try place.publish("poison", to: "jobs")
            let reason = "exit \(reasons.count): é"
            reasons.append(reason)
            try place.expect(
                204, "POST",
                "/groups/g/\(form)\(place.take())&reason=exit+\(reasons.count - 1):%20%C3%A9")
        }
        let letters = try place.expect(200, "GET", "/topics/failed?since=earliest&as=json").text
        for reason in reasons { #expect(letters.contains(#""deadreason":"\#(reason)""#)) }
        for path in ["next?reason=x&wait=0", "next?done=x&reason=x&wait=0"] {
            try place.refuse(400, "PARAMETER_INVALID", "POST", "/groups/g/\(path)")
        }
        try place.refuse(400, "PARAMETER_UNKNOWN", "POST", "/groups/g/done?lease=x&reason=x")
    }

    @Test func openJobsAreListedByTheirIdsAPageAtATime() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs")
        let ids = try (0..<3).map { _ in try place.publish("x", to: "jobs") }
        _ = try place.expect(200, "POST", "/groups/g/next?worker=w&as=json&max=3")
        let all = try place.expect(200, "GET", "/groups/g/jobs")
        let first =
            #"{"jobs":[{"id":"\#(ids[0])","topic":"jobs","key":null,"state":"leased","attempt":1,"#
            + #""worker":"w","uid":\#(getuid()),"due":""#
        #expect(all.text.hasPrefix(first), "\(all.text)")
        #expect(all.text.contains(#""reason":null}"#))
        let page = try place.expect(200, "GET", "/groups/g/jobs?after=\(ids[0])&max=1")
        #expect(page.text.contains("\(ids[1])"))
        #expect(!page.text.contains("\(ids[0])") && !page.text.contains("\(ids[2])"))
    }

    @Test func aLeaseIsExtendedAndEndsWithASeek() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs")
        try place.publish("x", to: "jobs")
        let lease = try place.take()
        try place.expect(204, "POST", "/groups/g/extend?lease=\(lease)&for=1h")
        let sought = try place.expect(200, "POST", "/groups/g/seek?since=earliest")
        #expect(sought.text.contains(#""open":0"#), "\(sought.text)")
        try place.refuse(409, "LEASE_LOST", "POST", "/groups/g/extend?lease=\(lease)&for=1h")
        let again = try place.expect(200, "POST", "/groups/g/next")
        #expect(again.header("work-attempt") == "1")
    }

    @Test func aFirstWorkerNeedsNoPut() throws {
        try place.publish("x", to: "jobs")
        let job = try place.expect(200, "POST", "/groups/g/next?of=jobs&worker=w")
        #expect(job.text == "x")
        #expect(try place.group().contains(#""of":"jobs""#))
        try place.refuse(409, "GROUP_DIFFERS", "POST", "/groups/g/next?of=other&wait=0")
    }

    @Test func anEndedGroupIsGoneAndItsEventsAreNot() throws {
        try place.expect(201, "PUT", "/groups/g?of=jobs")
        try place.publish("x", to: "jobs")
        try place.expect(204, "DELETE", "/groups/g")
        try place.refuse(404, "GROUP_UNKNOWN", "GET", "/groups/g")
        #expect(try place.expect(200, "GET", "/groups").text == "{\"groups\":[]}\n")
        #expect(try place.ask("GET", "/topics/jobs?since=earliest").text == "x")
    }

    @Test func theFiguresOfGroupsAreOnTheMetricsPageAndNameNone() throws {
        try place.expect(201, "PUT", "/groups/secret-name?of=jobs")
        try place.publish("x", to: "jobs")
        try place.expect(200, "POST", "/groups/secret-name/next")
        let page = try place.ask("GET", "/metrics").text
        for line in [
            "belfry_groups 1", "belfry_jobs{state=\"leased\"} 1", "belfry_jobs_taken_total 1",
            "belfry_job_pickup_seconds_count 1",
        ] {
            #expect(page.contains("\n\(line)\n"), "\(line)")
        }
        #expect(!page.contains("secret-name"))
    }
}

extension String {
    /// How often a part stands in it.
    fileprivate func count(of part: String) -> Int {
        ranges(of: part).count
    }
}
