import TestSupport
import Testing

@testable import BusAPI

/// Requests whose publishers wait for what a worker replies.
@Suite(.blocking) struct WorkReplyTests {
    private let place: WorkPlace

    init() throws { place = try WorkPlace(group: "of=math.*&persist=no&replies=yes&dead=failed") }

    /// Sends a request, and returns its connection with the job that a worker got.
    private func request(_ text: String) throws -> (client: RawClient, job: RawClient.Answer) {
        let worker = try place.wait()
        let client = try place.server.connect()
        try client.send("POST", "/topics/math.add?reply=60s", body: Array(text.utf8))
        return (client, try worker.readAnswer())
    }

    /// Has the time of everybody pass who waits for a reply.
    private func passTime() {
        place.server.handles.value[0].onBus { loop in
            for (wait, _) in loop.waits.others.values { (wait as? ReplyWait)?.end() }
        }
    }

    @Test func theReplyIsTheAnswerToTheRequest() throws {
        let (client, job) = try request("2+3")
        #expect(job.text == "2+3")
        #expect(job.header("work-reply") == "wanted")
        let lease = try #require(job.header("work-lease"))
        let done = try place.ask(
            "POST", "/groups/g/done?lease=\(lease)", "5",
            headers: [("Content-Type", "text/x-number")])
        #expect(done.status == 204)
        #expect(done.header("work-reply") == nil)
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.text == "5")
        #expect(answer.header("content-type") == "text/x-number")
        #expect(answer.header("event-id") == job.header("event-id"))
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(place.server.service.waitingCount == 0)
    }

    @Test func theReplyMayComeWithTheNextRequestForAJob() throws {
        let (client, job) = try request("2+3")
        let lease = try #require(job.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/next?wait=0&done=\(lease)", "5")
        #expect(try client.readAnswer().text == "5")
    }

    @Test func theReplyIsNotHeldUpByTheWaitForTheNextJob() throws {
        let (client, job) = try request("2+3")
        let lease = try #require(job.header("work-lease"))
        let worker = try place.server.connect()
        try worker.send("POST", "/groups/g/next?wait=1h&done=\(lease)", body: [0x35])
        #expect(try client.readAnswer().text == "5")
    }

    @Test func aBatchSaysOfEachJobWhetherAReplyIsWanted() throws {
        let worker = try place.wait("as=json")
        let client = try place.server.connect()
        try client.send("POST", "/topics/math.add?reply=60s", body: [0x31])
        #expect(try worker.readAnswer().text.contains(#""attempt":1,"reply":"wanted"}"#))
    }

    @Test func aDeadLetterIsARefusalWithWhatTheWorkerSaid() throws {
        let (client, job) = try request("2/0")
        let lease = try #require(job.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/dead?lease=\(lease)", "division by zero")
        let answer = try client.readAnswer()
        #expect(answer.status == 502 && answer.text == "division by zero")
        let (second, again) = try request("2/0")
        let other = try #require(again.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/dead?lease=\(other)")
        let refusal = try second.readAnswer()
        #expect(refusal.status == 502 && refusal.text.contains("REPLY_REFUSED"))
    }

    @Test func aReplyThatComesLateIsSaidToBe() throws {
        let (client, job) = try request("2+3")
        passTime()
        let answer = try client.readAnswer()
        #expect(answer.status == 504 && answer.text.contains("REPLY_TIMEOUT"))
        let lease = try #require(job.header("work-lease"))
        let late = try place.expect(204, "POST", "/groups/g/done?lease=\(lease)", "5")
        #expect(late.header("work-reply") == "late")
    }

    @Test func aPublisherThatHangsUpEndsItsRequest() throws {
        let (client, job) = try request("2+3")
        client.close()
        try place.server.wait { place.server.groups.figures.requests == 0 }
        #expect(place.server.service.waitingCount == 0)
        let lease = try #require(job.header("work-lease"))
        let late = try place.expect(204, "POST", "/groups/g/done?lease=\(lease)", "5")
        #expect(late.header("work-reply") == "late")
    }

    @Test func aRequestCountsAsAWaitingRequest() throws {
        let (client, job) = try request("2+3")
        #expect(place.server.service.waitingCount == 1)
        let lease = try #require(job.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)", "5")
        #expect(try client.readAnswer().status == 200)
        #expect(place.server.memory.used(.bodies) == 0)
    }

    @Test func aReloadEndsTheWaitOfWhomRulesNoLongerLetPublish() throws {
        let (client, job) = try request("2+3")
        var configuration = WorkPlace.configuration()
        configuration.access = WorkPlace.access(["other publish uid:4242"])
        place.server.service.reload(configuration)
        configuration.access = WorkPlace.access(["math.* publish uid:4242"])
        place.server.service.reload(configuration)
        let answer = try client.readAnswer()
        #expect(answer.status == 403 && answer.text.contains("ACCESS_DENIED"))
        let lease = try #require(job.header("work-lease"))
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
        #expect(place.server.service.waitingCount == 0)
    }
}
