import TestSupport
import Testing
import Topics

@testable import BusAPI

/// What is refused, by its code, before a group is even asked, and by it.
@Suite(.blocking) struct WorkRefusalTests {
    private let place: WorkPlace

    init() throws { place = try WorkPlace(group: "of=jobs.>&lease=1m") }

    @Test(
        arguments: [
            ("PUT", "/groups/a%20b?of=x", 400, "GROUP_NAME_INVALID"),
            ("PUT", "/groups/new", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=a..b", 400, "SELECTOR_INVALID"),
            ("PUT", "/groups/new?of=x&what=1", 400, "PARAMETER_UNKNOWN"),
            ("PUT", "/groups/new?of=x&of=x", 400, "PARAMETER_REPEATED"),
            ("PUT", "/groups/new?of=x&lease=999ms", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&lease=13h", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&attempts=0", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&attempts=1001", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&in_flight=10001", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&order=id", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&persist=maybe", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&replies=1", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&dead=a.*", 400, "TOPIC_NAME_INVALID"),
            ("PUT", "/groups/new?of=x.*&dead=x.y", 400, "PARAMETER_INVALID"),
            ("PUT", "/groups/new?of=x&type=%20", 400, "EVENT_TYPE_INVALID"),
            ("PUT", "/groups/new?of=x&since=then", 400, "CURSOR_INVALID"),
            ("PUT", "/groups/g?of=other", 409, "GROUP_DIFFERS"),
            ("PUT", "/groups/g?type=x", 409, "GROUP_DIFFERS"),
            ("PUT", "/groups/g?order=key", 409, "GROUP_DIFFERS"),
            ("PUT", "/groups/g?persist=no", 409, "GROUP_DIFFERS"),
            ("PUT", "/groups/g?dead=jobs.x", 400, "PARAMETER_INVALID"),
            ("GET", "/groups?match=x", 400, "PARAMETER_UNKNOWN"),
            ("GET", "/groups/none", 404, "GROUP_UNKNOWN"),
            ("GET", "/groups/none/jobs", 404, "GROUP_UNKNOWN"),
            ("GET", "/groups/g/jobs?max=1001", 400, "PARAMETER_INVALID"),
            ("GET", "/groups/g/jobs?after=x", 400, "CURSOR_INVALID"),
            ("GET", "/groups/g/what", 404, "PATH_UNKNOWN"),
            ("GET", "/groups/", 404, "PATH_UNKNOWN"),
            ("GET", "/groups/g/next", 405, "METHOD_NOT_ALLOWED"),
            ("POST", "/groups/g", 405, "METHOD_NOT_ALLOWED"),
            ("DELETE", "/groups/none", 404, "GROUP_UNKNOWN"),
            ("DELETE", "/groups/g?force=yes", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/none/next", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/next?worker=a%20b", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?worker=", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?wait=2h", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?for=13h", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?max=2", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?max=257&as=json", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?as=ndjson", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?done=a&retry=b", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?done=a&delay=1s", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?retry=a&delay=25h", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?to=out", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?done=a&type=x", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/next?done=nothing&wait=0", 409, "LEASE_LOST"),
            ("POST", "/groups/g/next?of=other", 409, "GROUP_DIFFERS"),
            ("POST", "/groups/g/done", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/done?lease=x&only=1,", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/done?lease=x&to=a..b", 400, "TOPIC_NAME_INVALID"),
            ("POST", "/groups/g/done?lease=x&key=%20", 400, "EVENT_KEY_INVALID"),
            ("POST", "/groups/none/done?lease=x", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/retry", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/retry?lease=x&delay=25h", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/none/retry?lease=x", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/dead", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/none/dead?lease=x", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/extend?lease=x", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/extend?for=1m", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/extend?lease=x&for=0", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/none/extend?lease=x&for=1m", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/seek", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/seek?since=1795251600", 400, "CURSOR_INVALID"),
            ("POST", "/groups/none/seek?since=now", 404, "GROUP_UNKNOWN"),
            ("POST", "/groups/g/revive", 400, "PARAMETER_INVALID"),
            ("POST", "/groups/g/revive?id=x", 404, "EVENT_UNKNOWN"),
            ("POST", "/groups/g/revive?id=1", 404, "EVENT_UNKNOWN"),
            ("POST", "/groups/none/revive?id=1", 404, "GROUP_UNKNOWN"),
            ("POST", "/topics/t?reply=10s&split=lines", 400, "PARAMETER_INVALID"),
            ("POST", "/topics/t?reply=10s&ttl=1m", 400, "PARAMETER_INVALID"),
            ("POST", "/topics/t?reply=0", 400, "PARAMETER_INVALID"),
            ("POST", "/topics/t?reply=2h", 400, "PARAMETER_INVALID"),
            ("POST", "/topics/jobs.x?reply=10s", 503, "NO_RESPONDER"),
        ])
    func isRefusedByItsCode(
        _ method: String, _ target: String, _ status: Int, _ code: String
    ) throws {
        try place.refuse(status, code, method, target)
    }

    @Test(
        arguments: [
            ("/groups/g/retry?lease=x", "BODY_NOT_EXPECTED"),
            ("/groups/g/extend?lease=x&for=1m", "BODY_NOT_EXPECTED"),
            ("/groups/g/seek?since=now", "BODY_NOT_EXPECTED"),
            ("/groups/g/revive?id=1", "BODY_NOT_EXPECTED"),
            ("/groups/g/next", "BODY_NOT_EXPECTED"),
            ("/groups/g/next?retry=x", "BODY_NOT_EXPECTED"),
            ("/groups/g/done?lease=x&type=t", "PARAMETER_INVALID"),
        ])
    func aBodyThatWouldBeLostIsRefused(_ target: String, _ code: String) throws {
        try place.refuse(400, code, "POST", target, "something")
    }

    @Test func aReplyToAGroupThatDoesNotReplyIsRefusedAndTheJobStays() throws {
        try place.publish("x")
        let lease = try place.take()
        try place.refuse(
            400, "BODY_NOT_EXPECTED", "POST", "/groups/g/done?lease=\(lease)", "a reply")
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
    }

    @Test func nobodyIsDeadWithoutAPlaceToGo() throws {
        try place.publish("x")
        let lease = try place.take()
        try place.refuse(400, "PARAMETER_INVALID", "POST", "/groups/g/dead?lease=\(lease)")
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
    }

    @Test func aRequestThatNobodyAnswersIsNotInTheLog() throws {
        try place.refuse(503, "NO_RESPONDER", "POST", "/topics/jobs.x?reply=10s", "hello")
        #expect(try place.ask("HEAD", "/topics/jobs.x").status == 404)
    }
}
