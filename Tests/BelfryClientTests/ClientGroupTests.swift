import TestSupport
import Testing
import Topics

@testable import BelfryClient

@Suite(.blocking) struct ClientGroupTests {
    private func client(of daemon: RunningDaemon) throws -> BusClient {
        try BusClient(ClientConfiguration(address: #require(BusAddress(daemon.url("")))))
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            guard case .refused(let refusal)? = error as? ClientError else { return "\(error)" }
            return refusal.code
        }
    }

    private func bytes(_ text: String) -> Payload { Payload(Array(text.utf8)) }

    @Test func aJobIsTakenSettledAndGivesWayToTheNext() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let group = client.group("mail")
        let metadata = try EventMetadata(
            type: "letter", key: "ann", contentType: "application/json")
        let topic = try TopicName("jobs")
        let first = try await client.publish(
            PublishBatch(topic: topic, metadata: metadata, payloads: [bytes("{ }")]),
            ttl: 3_600_000_000)
        try await client.publish("second", to: "jobs")

        let selector = Selector(topic)
        let one = try #require(
            try await group.next(worker: "w", of: selector, lease: 43_200_000_000, wait: 0).job)
        #expect(one.event.id == first.first && one.event.topic == topic && one.attempt == 1)
        try await group.set(parameters: [("of", "jobs"), ("lease", "12h")])
        #expect(one.event.payload.text == "{ }" && one.event.metadata.key == "ann")
        #expect(one.event.metadata.type == "letter" && one.event.metadata.expires != nil)
        #expect(!one.isReplyWanted && one.gap == nil)
        try await group.extend(one.lease, by: 43_200_000_000)

        // The same request again hands the job that its answer lost out again.
        let again = try #require(try await group.next(worker: "w", wait: 0).job)
        #expect(again.event.id == first.first && again.attempt == 2)
        #expect(await code { try await group.settle(one.done) } == "LEASE_LOST")

        let output = ClientOutput(
            bytes("sent"), metadata: try EventMetadata(key: "k"), to: try TopicName("sent"))
        let done = again.settled(.done(output))
        let two = try #require(
            try await group.next(worker: "w", settling: done, wait: 0).job)
        #expect(two.event.payload.text == "second")
        #expect(await code { try await group.settle(done) } == "JOB_SETTLED")
        try await group.settle(two.settled(.retry(delay: 0)))
        let three = try #require(try await group.next(worker: "w").job)
        #expect(three.event.id == two.event.id && three.attempt == 2)
        #expect(await code { try await group.settle(three.dead) } == "PARAMETER_INVALID")
        #expect(try await group.next(worker: "w", settling: three.done, wait: 0).job == nil)

        let sent = try await client.subscribe(
            Selector(TopicName("sent")), since: .earliest, until: .now)
        for try await case .event(let event) in sent {
            #expect(event.payload.text == "sent" && event.metadata.key == "k")
        }
    }

    @Test func aBatchIsTakenUnderOneLeaseAndSettledInParts() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let group = client.group("mail")
        let topic = try TopicName("jobs")
        #expect(try await group.next(max: 9, of: Selector(topic), wait: 0).jobs.isEmpty)
        try await group.set(parameters: [("of", "jobs"), ("lease", "12h")])
        for text in ["a", "b", "c", "d"] { try await client.publish(text, to: "jobs") }
        let batch = try await group.next(max: 3)
        #expect(batch.jobs.map(\.event.payload.text) == ["a", "b", "c"])
        #expect(batch.jobs.allSatisfy { $0.attempt == 1 && $0.gap == nil && !$0.isReplyWanted })
        #expect(Set(batch.jobs.map(\.lease)).count == 1)
        try await group.settle(batch.jobs[1].done)
        #expect(try await group.jobs().map(\.id) == [0, 2].map { batch.jobs[$0].event.id })
        let rest = try #require(batch.settled(.done(nil)))
        let next = try await group.next(max: 3, settling: rest)
        #expect(next.jobs.map(\.event.payload.text) == ["d"])
        #expect(try await group.description()?.progress?.done == 3)
        #expect(await code { try await group.settle(rest) } == "JOB_SETTLED")
    }

    @Test func aGroupIsMadeDescribedMovedAndRemoved() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let group = client.group("a..b")
        #expect(try await group.description() == nil)
        #expect(await code { try await group.set(parameters: []) } == "PARAMETER_INVALID")
        var settings = GroupSettings(of: try Selector("jobs.*"))
        settings.lease = .seconds(43_200)
        settings.attempts = 1
        settings.dead = .topic(try TopicName("dead"))
        settings.isOrderedByKey = true
        settings.persists = false
        let made = try await group.set(settings)
        #expect(made.isNew && made.group.name == "a..b")
        var wanted = settings
        (wanted.inFlightMax, wanted.replies) = (1_000, false)
        #expect(made.group.settings == wanted)
        let id = try await client.publish("bad", to: "jobs.x")
        let job = try #require(try await group.next(worker: "w", wait: 0).job)
        let open = try await group.jobs()
        #expect(open.map(\.id) == [id] && open[0].state == .leased && open[0].worker == "w")
        #expect(try await group.jobs(after: id).isEmpty)
        try await group.settle(job.dead)

        let progress = try #require(try await group.description()?.progress)
        #expect(progress.failed == 1 && progress.done == 0 && progress.open == 0)
        #expect(try await client.groups().map(\.name) == ["a..b"])
        let letters = try await client.subscribe(
            Selector(TopicName("dead")), since: .earliest, until: .now)
        for try await case .event(let letter) in letters {
            #expect(letter.metadata.attributes["deadid"] == "\(id)")
            let revived = try await group.revive(letter.id)
            #expect(revived > letter.id)
            #expect(await code { try await group.revive(letter.id) } == "JOB_SETTLED")
        }
        #expect(try await group.seek(to: .earliest).name == "a..b")
        #expect(try await group.next(wait: 0).job?.event.id == id)
        try await group.remove()
        #expect(await code { try await group.remove() } == "GROUP_UNKNOWN")
    }

    @Test func aRequestIsRepliedToRefusedOrToldWhyNot() async throws {
        let daemon = try RunningDaemon()
        let client = try client(of: daemon)
        let topic = try TopicName("math")
        let ask = { (text: String, wait: Int64) async throws in
            try await client.ask(Payload(Array(text.utf8)), of: topic, within: wait)
        }
        #expect(await code { _ = try await ask("1", 60_000_000) } == "NO_RESPONDER")
        let group = client.group("adder")
        try await group.set(parameters: [
            ("of", "math"), ("lease", "12h"), ("persist", "no"), ("replies", "yes"),
        ])
        let worker = Task {
            var settlement: ClientSettlement?
            for _ in 0..<3 {
                var taken: ClientJob?
                while taken == nil {
                    taken = try await group.next(
                        worker: "w", settling: settlement, wait: 60_000_000
                    ).job
                }
                let job = taken!
                #expect(job.isReplyWanted)
                let output = ClientOutput(
                    job.event.payload, metadata: try EventMetadata(contentType: "text/x"))
                settlement =
                    switch job.event.payload.text {
                    case "good": job.settled(.done(output))
                    case "empty": job.done
                    default: job.settled(.dead(refusal: output))
                    }
            }
            try await group.settle(settlement!)
        }
        while try await group.description()?.progress?.workers == 0 {}
        guard
            case .replied(let payload, contentType: "text/x") = try await ask("good", 3_600_000_000)
        else {
            Issue.record("no reply")
            return
        }
        #expect(payload.text == "good")
        guard
            case .replied(let nothing, contentType: nil) = try await ask("empty", 3_600_000_000)
        else {
            Issue.record("no empty reply")
            return
        }
        #expect(nothing.count == 0)
        guard case .refused(let why, _) = try await ask("bad", 3_600_000_000) else {
            Issue.record("not refused")
            return
        }
        #expect(why.text == "bad")
        try await worker.value
        // The worker was here a moment ago, and does not come back.
        let late = await code { _ = try await ask("late", 1_000) }
        #expect(late == "REPLY_TIMEOUT" || late == "NO_RESPONDER")
    }

    @Test func onlyWhatCostsNothingTwiceIsAskedAgain() {
        for (status, code, isPassing) in [
            (503, "NO_RESPONDER", true), (503, "LIMIT_BUS", true), (504, "", true),
            (504, "REPLY_TIMEOUT", false), (502, "REPLY_REFUSED", false), (409, "", false),
        ] {
            let refusal = BusRefusal(status: status, code: code, detail: "")
            #expect(refusal.isPassing == isPassing, "\(status) \(code)")
        }
    }
}
