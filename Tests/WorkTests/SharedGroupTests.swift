import TestSupport
import Testing
import Topics

@testable import Work

/// A group on an order that hosts share: each host that has its rows decides as the others do.
@Suite struct SharedGroupTests {
    private static let number = GroupNumber(rawValue: 7)
    private static let token = LeaseToken(high: 1, low: 2)
    private static let room = GroupMachine.Room(
        open: 100, parked: 100, openPerGroup: 100, parkedPerGroup: 100)

    /// A group, and the rows that its replica has of it.
    private struct Rig {
        var turns: GroupTransaction
        private var record: GroupRecord
        private var rows: [EventID: JobRecord] = [:]
        private var number: RequestNumber = 0
        private let events: [Event]

        /// - Parameter types: The types of the events of its topic.
        init(
            types: [String?] = [nil, nil], _ change: (inout GroupSettings) -> Void = { _ in }
        ) throws {
            var wish = GroupSettings(of: try Selector("jobs"))
            wish.lease = .seconds(10)
            change(&wish)
            let name = try GroupName("g")
            record = try GroupRecord.make(
                name, wish, try #require(wish.selector), at: LogPosition(after: .zero),
                by: StoredCaller(uid: 1, token: nil)
            ).get()
            turns = GroupTransaction(
                GroupMachine(
                    SharedGroupTests.number, name, try Selector("jobs"), record, isShared: true))
            let topic = try TopicName("jobs")
            events = try types.enumerated().flatMap { index, type in
                PublishBatch(
                    topic: topic, metadata: try EventMetadata(type: type),
                    payloads: [Payload(Array("\(index + 1)".utf8))]
                ).events(from: UInt64(index + 1), at: Timestamp(microseconds: 1))
            }
        }

        var machine: GroupMachine { turns.machine }

        /// Decides a request at a time of the order. Returns its answer.
        @discardableResult
        mutating func decide(
            _ verb: WorkRequest.Verb, at now: Int64
        ) -> Result<WorkAnswer.Outcome, WorkError>? {
            number += 1
            var answer: Result<WorkAnswer.Outcome, WorkError>?
            turns.decide(WorkRequest(number: number, verb: verb))
            while let step = turns.step(now: now, room: SharedGroupTests.room) {
                switch step {
                case .fetch(let fetch): turns.supply(.success(supply(fetch)), now: now)
                case .commit(let change, _):
                    keep(change)
                    turns.committed(.success([]), now: now)
                case .answer(let answers, _):
                    answer = answers.first { $0.number == number }?.outcome ?? answer
                case .judge, .recall: Issue.record("it asks something of its host")
                }
            }
            return answer
        }

        private func supply(_ fetch: GroupTransaction.Fetch) -> GroupMachine.Supply {
            var supply = GroupMachine.Supply()
            for (id, _) in fetch.known {
                supply.known[id] = events.first { $0.id == id }.map { .event($0) } ?? .gone
            }
            var next = fetch.position
            let fresh = events.filter { $0.id > next.after }.prefix(fetch.freshMax)
            next.after = fresh.last?.id ?? EventID(rawValue: 9)
            supply.fresh = .events(
                fresh.map { ($0, false) }, next: next, isCutShort: !fresh.isEmpty)
            return supply
        }

        private mutating func keep(_ change: WorkChange) {
            record = change.record ?? record
            for id in change.settled { rows[id] = nil }
            for job in change.open { rows[job.id] = job }
        }

        /// The group on a host that starts with these rows.
        var another: Rig {
            var another = self
            let stored = StoredGroup(
                number: SharedGroupTests.number, record: record,
                jobs: rows.values.sorted { $0.id < $1.id })
            another.turns = GroupTransaction(
                GroupMachine(shared: stored, machine.name, machine.selector))
            return another
        }
    }

    private static func take(_ token: LeaseToken = token) -> WorkRequest.Verb {
        .next(
            WorkRequest.Next(
                holder: nil, caller: "uid 1", settlement: nil, isReplyAwaited: false, length: nil,
                countMax: 1, token: token, waits: false))
    }

    private static func delivery(
        _ answer: Result<WorkAnswer.Outcome, WorkError>?
    ) throws -> GroupMachine.LeasedJobs? {
        guard case .delivery(let grant, _)? = try answer?.get() else { return nil }
        return grant
    }

    @Test func anEventOfTheBusIsNoJobAndIsHeldNoLonger() throws {
        var rig = try Rig(types: ["$silent", nil, "$back"])
        let first = { (rig: inout Rig) in
            try Self.delivery(rig.decide(Self.take(), at: 0))?.jobs[0].event.id.rawValue
        }
        #expect(try first(&rig) == 2)
        #expect(rig.machine.heldFrom.rawValue == 2)
        var silent = try Rig(types: ["$silent"])
        #expect(try first(&silent) == nil)
        #expect([silent, silent.another].allSatisfy { $0.machine.heldFrom.rawValue > 1 })
        var named = try Rig(types: ["$silent"]) { $0.type = "$silent" }
        #expect(try first(&named) == 1)
    }

    @Test func aLeaseLastsUntilSomebodySaysThatItHasPassed() throws {
        var rig = try Rig()
        let grant = try #require(try Self.delivery(rig.decide(Self.take(), at: 0)))
        rig.decide(.bury, at: 1_000_000_000)
        #expect(rig.machine.table.leasedCount == 1)
        rig.decide(.expire([GroupRequest.PassedLease(Self.token, until: grant.until)]), at: 0)
        #expect(rig.machine.table.leasedCount == 0)
        // Its worker may settle until another one has the job.
        let settlement = Settlement(.done(nil), lease: grant.lease.text)
        let answer = rig.decide(.settle(settlement, isReplyAwaited: false), at: 0)
        guard case .settled(let settled)? = try answer?.get() else {
            Issue.record("it is answered \(String(describing: answer))")
            return
        }
        #expect(settled.ids == [EventID(rawValue: 1)])
    }

    @Test func anExpiryCountsOnlyForTheEndThatItNames() throws {
        var rig = try Rig()
        let grant = try #require(try Self.delivery(rig.decide(Self.take(), at: 0)))
        let old = GroupRequest.PassedLease(Self.token, until: grant.until)
        // The time of an order may stand still: the lease lasts as long as before, and is another.
        rig.decide(.extend(lease: grant.lease.text, microseconds: 10_000_000), at: 0)
        rig.decide(.expire([old]), at: 0)
        #expect(rig.machine.table.leasedCount == 1)
        let end = try #require(rig.machine.table.end(of: Self.token))
        rig.decide(.expire([GroupRequest.PassedLease(Self.token, until: end)]), at: 0)
        #expect(rig.machine.table.leasedCount == 0)
    }

    @Test func aHostThatStartsKnowsWhichLeasesHavePassed() throws {
        var rig = try Rig()
        let first = try #require(try Self.delivery(rig.decide(Self.take(), at: 0)))
        let other = LeaseToken(high: 3, low: 4)
        rig.decide(Self.take(other), at: 0)
        rig.decide(.expire([GroupRequest.PassedLease(Self.token, until: first.until)]), at: 0)
        var another = rig.another
        #expect(another.machine.table.leasedCount == 1)
        for at in [0, 5_000_000] as [Int64] {
            let token = LeaseToken(high: 5, low: UInt64(at))
            let words = try [
                rig.decide(Self.take(token), at: at), another.decide(Self.take(token), at: at),
            ]
            .map { try Self.delivery($0).map { "\($0.jobs.map(\.attempt)) \($0.until)" } }
            #expect(words[0] == words[1])
        }
    }

    /// Else a host that starts would look for jobs from an older place than the others.
    @Test func aPlaceWithoutJobsIsCommittedToo() throws {
        var rig = try Rig { $0.type = "other" }
        rig.decide(Self.take(), at: 0)
        rig.decide(Self.take(), at: 0)
        rig.decide(Self.take(), at: 0)
        #expect(rig.machine.record.reach == EventID(rawValue: 9))
        #expect(rig.another.machine.record.reach == EventID(rawValue: 9))
    }

    @Test(arguments: [nil, 5_000_000] as [Int64?])
    func jobsThatRestAreDueByTheTimeOfTheOrder(delay: Int64?) throws {
        var rig = try Rig()
        let grant = try #require(try Self.delivery(rig.decide(Self.take(), at: 0)))
        let settlement = Settlement(.retry(delay: delay), lease: grant.lease.text)
        rig.decide(.settle(settlement, isReplyAwaited: false), at: 1_000_000)
        let jitter = RetryDelay.microseconds(
            after: 1, of: grant.jobs[0].event.id, in: rig.machine.name)
        let due = 1_000_000 + (delay ?? jitter)
        var another = rig.another
        for at in [due - 1, due] {
            let token = LeaseToken(high: 6, low: UInt64(at))
            let attempts = try [
                rig.decide(Self.take(token), at: at), another.decide(Self.take(token), at: at),
            ]
            .map { try Self.delivery($0)?.jobs.map(\.attempt) }
            #expect(attempts == (at < due ? [[1], [1]] : [[2], [2]]))
        }
    }
}
