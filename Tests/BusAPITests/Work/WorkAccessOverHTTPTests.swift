import TestSupport
import Testing

@testable import BusAPI

/// Who may do what with a group, under rules, as a caller that they do not name.
@Suite(.blocking) struct WorkAccessOverHTTPTests {
    /// A place whose group was made before these rules came.
    private func place(_ rules: String..., group: String = "of=jobs.>") throws -> WorkPlace {
        let place = try WorkPlace(group: group)
        try place.publish("x")
        var configuration = WorkPlace.configuration()
        configuration.access = WorkPlace.access(rules)
        place.server.service.reload(configuration)
        return place
    }

    @Test func whoMayNotReadAllTopicsOfAGroupSeesAndTakesNothing() throws {
        let place = try place("jobs.secret subscribe uid:4242")
        for (method, target) in [
            ("GET", "/groups/g"), ("GET", "/groups/g/jobs"), ("POST", "/groups/g/next"),
            ("POST", "/groups/g/done?lease=x"), ("POST", "/groups/g/retry?lease=x"),
            ("POST", "/groups/g/dead?lease=x"), ("POST", "/groups/g/extend?lease=x&for=1m"),
            ("POST", "/groups/g/revive?id=1"), ("PUT", "/groups/new?of=jobs.>"),
            ("POST", "/groups/new/next?of=jobs.*"),
        ] {
            try place.refuse(403, "ACCESS_DENIED", method, target)
        }
        #expect(try place.expect(200, "GET", "/groups").text == "{\"groups\":[]}\n")
        try place.expect(201, "PUT", "/groups/open?of=jobs.a")
        #expect(try place.expect(200, "GET", "/groups").text.contains("\"open\""))
    }

    @Test func whoMayReadAndNotWorkSeesTheGroupAlone() throws {
        let place = try place("jobs.> work uid:4242")
        try place.expect(200, "GET", "/groups/g")
        try place.refuse(403, "ACCESS_DENIED", "GET", "/groups/g/jobs")
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/next")
    }

    @Test func deadLettersAndOutputsGoWhereTheCallerMayPublish() throws {
        let place = try place("closed publish uid:4242")
        try place.refuse(403, "ACCESS_DENIED", "PUT", "/groups/new?of=jobs.>&dead=closed")
        try place.refuse(403, "ACCESS_DENIED", "PUT", "/groups/g?dead=closed")
        let lease = try place.take()
        try place.refuse(
            403, "ACCESS_DENIED", "POST", "/groups/g/done?lease=\(lease)&to=closed", "x")
        try place.refuse(
            403, "ACCESS_DENIED", "POST", "/groups/g/next?done=\(lease)&to=closed", "x")
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)&to=open", "x")
    }

    @Test func repliesAndRevivalsTakeTheRightToPublishToAllOfTheGroup() throws {
        let place = try place("jobs.a publish uid:4242", group: "of=jobs.>&replies=yes")
        try place.refuse(403, "ACCESS_DENIED", "PUT", "/groups/new?of=jobs.*&replies=yes")
        let lease = try place.take()
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/done?lease=\(lease)", "reply")
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/dead?lease=\(lease)", "reply")
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/revive?id=1")
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
    }
}
