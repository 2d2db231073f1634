import TestSupport
import Testing
import Topics

@testable import BusAPI

/// The table of the documentation: what is said of a lease, by what became of it.
@Suite(.blocking) struct WorkLeaseTests {
    /// What became of a lease.
    enum Fate: CaseIterable {
        case leased, done, dead, takenAgain, givenBack, beforeSeek, ofAnotherGroup, neverGiven
    }

    private let place: WorkPlace

    init() throws { place = try WorkPlace(group: "of=jobs.>&dead=failed") }

    /// A lease with this fate, whose job is the only one.
    private func lease(_ fate: Fate) throws -> String {
        try place.publish("x")
        guard fate != .neverGiven else { return "AAAAAAAAAAAAAAAAAAAAAAAAAAAA" }
        let lease = try place.take("worker=w")
        switch fate {
        case .leased, .neverGiven: break
        case .done: try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
        case .dead: try place.expect(204, "POST", "/groups/g/dead?lease=\(lease)")
        case .takenAgain: _ = try place.take("worker=w")
        case .givenBack: try place.expect(204, "POST", "/groups/g/retry?lease=\(lease)&delay=1h")
        case .beforeSeek: try place.expect(200, "POST", "/groups/g/seek?since=now")
        case .ofAnotherGroup:
            try place.expect(201, "PUT", "/groups/other?of=jobs.>")
            try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
            let answer = try place.expect(200, "POST", "/groups/other/next")
            return try #require(answer.header("work-lease"))
        }
        return lease
    }

    private func status(_ fate: Fate) -> (Int, String?) {
        switch fate {
        case .leased: (204, nil)
        case .done: (410, "JOB_SETTLED")
        case .dead: (410, "JOB_DEAD")
        default: (409, "LEASE_LOST")
        }
    }

    /// The id of the only dead letter.
    private func letter() throws -> String? {
        try place.expect(200, "GET", "/topics/failed?since=earliest").header("event-id")
    }

    @Test func whoeverComesTooLateIsToldWhichLetterTheJobBecame() throws {
        let lease = try lease(.dead)
        let refused = try place.refuse(410, "JOB_DEAD", "POST", "/groups/g/done?lease=\(lease)")
        #expect(refused.text.contains(try #require(try letter())), "\(refused.text)")
        try place.publish("next")
        let taken = try place.expect(200, "POST", "/groups/g/next?done=\(lease)")
        #expect(taken.text == "next")
        #expect(taken.header("work-dead") == (try letter()))
    }

    @Test(arguments: Fate.allCases, ["done", "retry", "dead", "extend"])
    func eachVerbAnswersByTheFateOfTheLease(_ fate: Fate, _ verb: String) throws {
        let lease = try lease(fate)
        let (status, code) = status(fate)
        let length = verb == "extend" ? "&for=1m" : ""
        try place.refuse(status, code, "POST", "/groups/g/\(verb)?lease=\(lease)\(length)")
    }

    @Test(arguments: Fate.allCases, ["done", "retry", "dead"])
    func nextTakesWhatIsSettledForSuccess(_ fate: Fate, _ verb: String) throws {
        let lease = try lease(fate)
        let target = "/groups/g/next?wait=0&\(verb)=\(lease)" + (verb == "retry" ? "&delay=1h" : "")
        switch fate {
        case .leased, .done:
            #expect(try place.expect(204, "POST", target).header("work-dead") == nil)
        case .dead:
            #expect(try place.expect(204, "POST", target).header("work-dead") == (try letter()))
        default: try place.refuse(409, "LEASE_LOST", "POST", target)
        }
    }

    @Test func aNamedWorkerThatLostItsLeaseGetsWhatItHolds() throws {
        let lease = try lease(.takenAgain)
        let answer = try place.expect(200, "POST", "/groups/g/next?worker=w&done=\(lease)")
        #expect(answer.header("work-attempt") == "3")
    }

    @Test func aRepeatedNextSettlesOnceAndGivesTheNextJobAgain() throws {
        for text in ["a", "b"] { try place.publish(text) }
        let lease = try place.take("worker=w")
        let first = try place.expect(200, "POST", "/groups/g/next?worker=w&done=\(lease)")
        let second = try place.expect(200, "POST", "/groups/g/next?worker=w&done=\(lease)")
        #expect(first.text == "b" && second.text == "b")
        #expect(second.header("work-attempt") == "2")
        #expect(try place.group().contains(#""done":1"#))
    }
}
