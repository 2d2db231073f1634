import Glibc
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
        // Root may know of every group; to others this one is as if it was not there.
        let (status, code) = getuid() == 0 ? (403, "ACCESS_DENIED") : (404, "GROUP_UNKNOWN")
        for (method, target) in [
            ("GET", "/groups/g"), ("GET", "/groups/g/jobs"), ("POST", "/groups/g/next"),
            ("POST", "/groups/g/done?lease=x"), ("POST", "/groups/g/retry?lease=x"),
            ("POST", "/groups/g/dead?lease=x"), ("POST", "/groups/g/extend?lease=x&for=1m"),
            ("POST", "/groups/g/revive?id=1"),
        ] {
            try place.refuse(status, code, method, target)
        }
        try place.refuse(403, "ACCESS_DENIED", "PUT", "/groups/new?of=jobs.>")
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/new/next?of=jobs.*")
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

    /// The bus publishes letters for whoever chose their topic.
    @Test func aDeadTopicThatWasClosedToItsChooserLeavesTheJobOpenWithTheReason() throws {
        let place = try place("closed publish uid:4242", group: "of=jobs.>&dead=closed&attempts=1")
        let lease = try place.take()
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/dead?lease=\(lease)")
        try place.refuse(403, "ACCESS_DENIED", "POST", "/groups/g/next?dead=\(lease)")
        try place.expect(204, "POST", "/groups/g/retry?delay=0&lease=\(lease)")
        try place.server.wait {
            (try? place.ask("GET", "/groups/g/jobs").text.contains("\"reason\":\"the rules"))
                == true
        }
        // Others go on meanwhile.
        try place.publish("y")
        try place.expect(204, "POST", "/groups/g/done?lease=\(place.take())")
        #expect(try place.group().contains("\"failed\":0"))
        place.server.service.reload(WorkPlace.configuration())
        try place.server.wait {
            place.server.groups.sweep()
            return (try? place.group().contains("\"open\":0")) == true
        }
        #expect(try place.expect(200, "GET", "/topics/closed?since=0").text == "x")
    }
}
