import Access
import Digests
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// Requests for jobs that wait, and what ends their wait.
@Suite(.blocking) struct WorkWaitingTests {
    @Test func theWorkerThatWaitsLongestGetsTheJob() throws {
        let place = try WorkPlace()
        let (first, second) = (try place.wait(), try place.wait("as=json"))
        try place.publish("one")
        #expect(try first.readAnswer().text == "one")
        #expect(second.isSilent(for: 0.05))
        try place.publish("two")
        #expect(try second.readAnswer().text.contains("\"data\":\"two\""))
    }

    @Test func aWaitThatIsOverIsAnsweredWithoutAJob() throws {
        let place = try WorkPlace()
        try place.expect(204, "POST", "/groups/g/next?wait=20ms")
        try place.expect(204, "POST", "/groups/g/next?wait=0")
        let preferred = try place.ask(
            "POST", "/groups/g/next", headers: [("Prefer", "wait=0")])
        #expect(preferred.status == 204)
        #expect(preferred.header("preference-applied") == "wait=0")
    }

    @Test func aConnectionIsKeptFromJobToJob() throws {
        let place = try WorkPlace()
        for text in ["a", "b", "c"] { try place.publish(text) }
        let client = try place.server.connect()
        var lease = ""
        for text in ["a", "b", "c"] {
            let answer = try client.exchange("POST", "/groups/g/next?wait=0\(lease)")
            #expect(answer.text == text)
            lease = "&done=" + (answer.header("work-lease") ?? "")
        }
        #expect(try client.exchange("POST", "/groups/g/next?wait=0\(lease)").status == 204)
        #expect(try place.group().contains(#""open":0"#))
    }

    @Test func aClientThatLeavesWaitsNoMoreAndItsJobIsAnothers() throws {
        let place = try WorkPlace()
        let leaver = try place.wait("worker=w")
        leaver.close()
        try place.server.wait { place.server.groups.figures.workers == 0 }
        try place.publish("one")
        let answer = try place.expect(200, "POST", "/groups/g/next")
        #expect(answer.text == "one")
        #expect(answer.header("work-attempt") == "1")
        #expect(place.server.service.waitingCount == 0)
    }

    @Test func aHandOutThatItsClientDoesNotReadToItsEndIsGivenBackAndDoesNotCount() throws {
        let place = try WorkPlace()
        let text = String(repeating: "x", count: 900_000)
        try place.publish(text)
        let leaver = try place.server.connect(receiveBufferBytes: 4_096)
        try leaver.send("POST", "/groups/g/next?wait=0")
        try place.server.wait { place.server.memory.used(.unsent) > 0 }
        leaver.reset()
        let answer = try place.expect(200, "POST", "/groups/g/next")
        #expect(answer.text == text)
        #expect(answer.header("work-attempt") == "1")
    }

    @Test func anEndedGroupEndsItsWaits() throws {
        let place = try WorkPlace()
        let waiter = try place.wait()
        try place.expect(204, "DELETE", "/groups/g")
        let answer = try waiter.readAnswer()
        #expect(answer.status == 410)
        #expect(answer.text.contains("GROUP_DELETED"))
        #expect(place.server.service.waitingCount == 0)
    }

    @Test func aSecondLoopOfOneWorkerEndsTheFirst() throws {
        let place = try WorkPlace()
        let first = try place.wait("worker=w")
        let second = try place.server.connect()
        try second.send("POST", "/groups/g/next?worker=w")
        let answer = try first.readAnswer()
        #expect(answer.status == 409 && answer.header("retry-after") == "1")
        try place.publish("x")
        #expect(try second.readAnswer().text == "x")
    }

    @Test func aLoopWhoseNameAnotherOneTookIsToldBehindAPause() throws {
        let place = try WorkPlace()
        try place.publish("x")
        let lease = try place.take()
        let first = try place.wait("worker=w")
        let second = try place.server.connect()
        try second.send("POST", "/groups/g/next?worker=w&done=\(lease)")
        try place.server.wait { place.server.groups.figures.done == 1 }
        #expect(first.isSilent(for: 0.05))
        place.server.drain()
        let answer = try first.readAnswer()
        #expect(answer.status == 409 && answer.text.contains("LEASE_LOST"))
        #expect(try second.readAnswer().status == 204)
        #expect(place.server.service.waitingCount == 0)
    }

    @Test func twoLoopsOfOneNameDoNotTakeEachOthersJobsForEver() throws {
        let place = try WorkPlace()
        try place.publish("one")
        let lost = try place.take("worker=w")
        let held = try place.take("worker=w")
        let first = try place.server.connect()
        try first.send("POST", "/groups/g/next?worker=w&done=\(lost)")
        #expect(first.isSilent(for: 0.05))
        try place.expect(204, "POST", "/groups/g/done?lease=\(held)")
        try place.publish("two")
        let answer = try first.readAnswer()
        #expect(answer.text == "two" && answer.header("work-attempt") == "1")
        #expect(try place.group().contains(#""done":1"#))
    }

    @Test func aDrainAnswersThoseWhoWait() throws {
        let place = try WorkPlace()
        let waiter = try place.wait()
        place.server.drain()
        #expect(try waiter.readAnswer().status == 204)
    }

    @Test func whereThereIsNoPlaceToWaitWhatIsAtHandIsGivenNevertheless() throws {
        var configuration = WorkPlace.configuration()
        configuration.subscribersMax = 1
        let place = try WorkPlace(configuration)
        let waiter = try place.wait()
        let refused = try place.refuse(503, "LIMIT_BUS", "POST", "/groups/g/next")
        #expect(refused.header("retry-after") == "1")
        try place.publish("one")
        #expect(try waiter.readAnswer().text == "one")
        let next = try place.wait()
        let lease = try #require(try place.lease(of: "w", publishing: "two", taking: next))
        let full = try place.wait()
        let settled = try place.expect(204, "POST", "/groups/g/next?done=\(lease)")
        #expect(settled.header("retry-after") == "1")
        full.close()
    }

    @Test func aCallerThatHasItsShareOfWaitsIsToldSo() throws {
        var configuration = WorkPlace.configuration()
        configuration.subscribersPerUIDMax = 1
        let place = try WorkPlace(configuration)
        let waiter = try place.wait()
        try place.refuse(429, "LIMIT_CALLER", "POST", "/groups/g/next")
        waiter.close()
        try place.server.wait { place.server.service.waitingCount == 0 }
        try place.expect(204, "POST", "/groups/g/next?wait=1ms")
    }

    @Test func aReloadEndsTheWaitsThatItsRulesForbid() throws {
        let place = try WorkPlace()
        let waiter = try place.wait()
        place.server.service.reload(WorkPlace.configuration("jobs.> work uid:4242"))
        let answer = try waiter.readAnswer()
        #expect(answer.status == 403)
        #expect(answer.text.contains("ACCESS_DENIED"))
        place.server.service.reload(WorkPlace.configuration())
        let allowed = try place.wait()
        place.server.service.reload(WorkPlace.configuration("other.> work uid:4242"))
        try place.publish("x")
        #expect(try allowed.readAnswer().text == "x")
    }

    @Test func aReloadAsksForATokenWhereOneCouldHelp() throws {
        let place = try WorkPlace()
        let waiter = try place.wait()
        place.server.service.reload(WorkPlace.configuration("jobs.> subscribe token:t"))
        let answer = try waiter.readAnswer()
        #expect(answer.status == 401)
        #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
    }
}

extension WorkPlace {
    /// Has a worker that waits take a job, and returns its lease.
    fileprivate func lease(
        of worker: String, publishing text: String, taking client: RawClient
    ) throws -> String? {
        try publish(text)
        return try client.readAnswer().header("work-lease")
    }
}
