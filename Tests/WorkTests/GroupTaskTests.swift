import Protection
import SQLiteStore
import TestSupport
import Testing
import Topics

@testable import Work

/// Tasks that work on the groups of a bus in their own process.
@Suite(.timeLimit(.minutes(20))) struct GroupTaskTests {
    /// Returns once `condition` holds.
    private func until(_ condition: () throws -> Bool) async rethrows {
        while try !condition() { await Task.yield() }
    }

    private func publish(_ bus: EventBus, _ texts: String...) async throws {
        for text in texts { try await bus.publish(text, to: "jobs") }
    }

    /// The case of the error that `body` throws.
    private func refusal<Value>(_ body: () async throws -> Value) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? WorkError)?.kind ?? "\(error)"
        }
    }

    // MARK: Sharing

    @Test(arguments: [false, true])
    func tasksShareJobsAndEachIsDoneOnce(isOnFile: Bool) async throws {
        let folder = TemporaryFolder(inMemory: true)
        let bus = try isOnFile ? EventBus(file: folder.path + "/bus.db") : EventBus()
        defer { bus.close() }
        let group = try await WorkGroups(on: bus).patientGroup(of: "jobs.*")
        let (count, done) = (120, Protected<[String: Int]>([:]))
        try await withThrowingTaskGroup { tasks in
            for worker in 0..<4 {
                tasks.addTask {
                    try await group.work(worker: worker == 0 ? nil : "w\(worker)") { job in
                        let doneBefore = done.write { done in
                            done[job.event.payload.text, default: 0] += 1
                            return done.count
                        }
                        await Task.yield()
                        if doneBefore == count { group.groups.drain() }
                        return .done
                    }
                }
            }
            for number in 0..<count {
                try await bus.publish("\(number)", to: "jobs.\(number % 3)")
            }
            try await tasks.waitForAll()
        }
        #expect(done.value.count == count && done.value.values.allSatisfy { $0 == 1 })
        let description = try group.describe()
        #expect(description.done == Int64(count) && description.open == 0)
    }

    @Test func aJobIsTakenExtendedAndSettledByAnyTask() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a")
        let job = try #require(try await group.next(worker: "w1", for: .seconds(5)))
        #expect(job.event.payload.text == "a" && job.attempt == 1 && job.gap == nil)
        #expect(job.deadline == bench.bus.now.advanced(microseconds: 5_000_000))
        try await group.extend(job, for: .seconds(60))
        #expect(try group.jobs().map(\.due) == [.seconds(60)])
        #expect(try await Task { try await group.settle(job, .done) }.value.count == 1)
        #expect(await refusal { try await group.settle(job, .done) } == "jobSettled")
        #expect(try await group.next(wait: .zero) == nil)
    }

    @Test func aBatchIsSettledInParts() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a", "b", "c")
        let jobs = try await group.next(max: 10)
        #expect(jobs.map(\.event.payload.text) == ["a", "b", "c"])
        try await group.settle(Array(jobs[..<2]), .done)
        try await group.settle(jobs[2], .retry(after: .zero))
        let again = try #require(try await group.next())
        #expect(again.event.payload.text == "c" && again.attempt == 2)
    }

    @Test func whatComesOutOfAJobIsPublishedWithIt() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a")
        let job = try #require(try await group.next())
        let output = PublishBatch(topic: try TopicName("done"), payloads: [Payload([1])])
        let receipt = try await group.settle(job, .done(publishing: output))
        #expect(try bench.bus.description(of: TopicName("done"))?.newest == receipt.published?.last)
    }

    @Test func aDeadLetterIsRevived() async throws {
        let bench = try WorkBench()
        var settings = GroupSettings(of: try Selector("jobs"))
        settings.dead = .topic(try TopicName("failed"))
        let group = try await bench.work.set("g", settings)
        try await publish(bench.bus, "a")
        try await group.settle(try #require(try await group.next()), .dead)
        let letter = try #require(try bench.bus.description(of: TopicName("failed"))?.newest)
        try await group.revive(letter)
        #expect(try await group.next()?.event.payload.text == "a")
        #expect(await refusal { try await group.revive(letter) } == "letterRevived")
    }

    // MARK: Waiting no longer

    @Test func aCancelledTaskWaitsNoLongerAndLosesNothing() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        let waiting = Task { try await group.next() }
        try await until { try group.describe().workers == 1 }
        waiting.cancel()
        #expect(try await waiting.value == nil)
        #expect(try group.describe().workers == 0)
        try await publish(bench.bus, "a")
        #expect(try await group.next()?.attempt == 1)
        let late = Task {
            await until { Task.isCancelled }
            return try await group.next()
        }
        late.cancel()
        #expect(try await late.value == nil)
    }

    @Test func aJobThatWasJustDecidedForACancelledTaskGoesBack() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a")
        bench.store.hold()
        let changes = bench.store.changes
        let waiting = Task { try await group.next(worker: "w") }
        await until { bench.store.changes == changes + 1 }
        waiting.cancel()
        bench.store.release()
        #expect(try await waiting.value == nil)
        let description = try group.describe()
        #expect(description.waiting == 1 && description.leased == 0)
        #expect(try await group.next()?.attempt == 1)
    }

    @Test func aWaitIsOverWhenItsTimeIs() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        #expect(try await group.next(wait: .milliseconds(1)) == nil)
        #expect(try await group.next(max: 3, wait: .zero).isEmpty)
        #expect(try group.describe().workers == 0)
    }

    @Test func whoeverWaitsIsToldThatTheGroupIsGone() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        let waiting = Task { try await group.next() }
        try await until { try group.describe().workers == 1 }
        try await group.remove()
        #expect(await refusal { _ = try await waiting.value } == "groupDeleted")
        #expect(await refusal { _ = try await group.next() } == "groupUnknown")
        #expect(await refusal { _ = try group.describe() } == "groupUnknown")
    }

    @Test(arguments: [false, true], [false, true])
    func nobodyWaitsForABusThatIsOver(isOnFile: Bool, isClosed: Bool) async throws {
        let folder = TemporaryFolder(inMemory: true)
        let bench = try WorkBench(file: isOnFile ? folder.path + "/bus.db" : nil)
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a")
        let job = try #require(try await group.next())
        bench.work.sweepItself(everyMilliseconds: 5)
        let waiting = Task { try await group.next() }
        let worker = Task { try await group.work { _ in .done } }
        try await until { try group.describe().workers == 2 }
        if isClosed { bench.bus.close() } else { bench.bus.drain() }
        #expect(try await waiting.value == nil)
        try await worker.value
        let settled = await refusal { try await group.settle(job, .done) }
        #expect(settled == (isClosed ? "bus" : nil))
        bench.bus.close()
    }

    // MARK: A whole worker

    private struct Failure: Error {}

    @Test func aWorkerSettlesByHowItsBodyEnds() async throws {
        let bench = try WorkBench()
        var settings = GroupSettings(of: try Selector("jobs"))
        settings.attempts = 2
        settings.dead = .topic(try TopicName("failed"))
        let group = try await bench.work.set("g", settings)
        bench.work.sweepItself(everyMilliseconds: 5)
        try await publish(bench.bus, "a", "throws", "b")
        let attempts = Protected<[String]>([])
        let worker = Task {
            try await group.work { job in
                let text = job.event.payload.text
                attempts.write { $0.append("\(text) \(job.attempt)") }
                if text == "throws" { throw Failure() }
                return .done
            }
        }
        try await until { try group.describe().done == 2 }
        // The first retry comes after a second.
        bench.clock.advance(seconds: 2)
        try await until { try group.describe().failed == 1 }
        worker.cancel()
        try await worker.value
        #expect(attempts.value == ["a 1", "throws 1", "b 1", "throws 2"])
    }

    @Test func aCancelledWorkerSettlesWhatItsBodyHasDone() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a", "b")
        let worker = Task {
            try await group.work { _ in
                await until { Task.isCancelled }
                return .done
            }
        }
        try await until { try group.describe().leased == 1 }
        worker.cancel()
        try await worker.value
        #expect(try group.describe().done == 1 && group.describe().open == 0)
        let second = Task {
            try await group.work { _ in
                await until { Task.isCancelled }
                throw CancellationError()
            }
        }
        try await until { try group.describe().leased == 1 }
        second.cancel()
        try await second.value
        // At once, as the next attempt: its body had begun.
        #expect(try await group.next(wait: .zero)?.attempt == 2)
    }

    @Test func aWorkerPassesOverAJobThatSomebodyElseSettled() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a", "b")
        let done = Protected<[String]>([])
        try await group.work { job in
            done.write { $0.append(job.event.payload.text) }
            if done.value.count == 1 {
                try await group.settle(job, .done)
            } else {
                bench.work.drain()
            }
            return .done
        }
        #expect(done.value == ["a", "b"])
        #expect(try group.describe().done == 2)
    }

    @Test func aWorkerEndsWithWhatAskingAgainWouldNotHelp() async throws {
        let bench = try WorkBench()
        let group = try await bench.work.group("g", of: "jobs")
        try await publish(bench.bus, "a")
        #expect(await refusal { try await group.work { _ in .dead } } == "deadMissing")
        #expect(
            await refusal { try await group.work(worker: "ä") { _ in .done } } == "valueInvalid")
    }

    // MARK: Requests

    @Test func aTaskAsksAndAnotherReplies() async throws {
        let bench = try WorkBench()
        var settings = GroupSettings(of: try Selector("math"))
        settings.replies = true
        let group = try await bench.work.set("adder", settings)
        let unheard = await refusal {
            _ = try await bench.work.ask("2+3", to: "math", within: .seconds(10))
        }
        #expect(unheard == "noResponder")
        let worker = Task {
            try await group.work { job in
                job.event.payload.text == "2+3"
                    ? .done(reply: Reply("5")) : .dead(reply: Reply("no"))
            }
        }
        try await until { try group.describe().workers == 1 }
        let reply = try await bench.work.ask("2+3", to: "math", within: .seconds(600))
        #expect(reply.payload.text == "5" && reply.request != nil)
        await #expect {
            try await bench.work.ask("2+", to: "math", within: .seconds(600))
        } throws: { error in
            guard case .replyRefused(let reply?) = error as? WorkError else { return false }
            return reply.payload.text == "no"
        }
        worker.cancel()
        try await worker.value
    }

    @Test func aRequesterThatIsCancelledOrOutOfTimeEndsItsRequest() async throws {
        let bench = try WorkBench()
        var settings = GroupSettings(of: try Selector("math"))
        settings.replies = true
        let group = try await bench.work.set("adder", settings)
        _ = try await group.next(wait: .zero)
        let asking = Task { try await bench.work.ask("2+3", to: "math", within: .seconds(600)) }
        await until { bench.work.figures.requests == 1 }
        asking.cancel()
        #expect(await refusal { _ = try await asking.value } == "replyTimeout")
        let late = await refusal {
            _ = try await bench.work.ask("2+3", to: "math", within: .milliseconds(1))
        }
        #expect(late == "replyTimeout")
        #expect(try await group.next(wait: .zero) == nil)
    }
}
