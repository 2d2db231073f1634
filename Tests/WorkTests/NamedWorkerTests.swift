import Testing
import Topics

@testable import Work

/// What a worker with a name has of a batch when it asks again, told by the machine alone.
struct NamedWorkerTests {
    /// A group without threads, between a log that is an array and a clock that is a number.
    private struct Table {
        var machine: GroupMachine
        var events: [Event] = []
        var rows: [EventID: JobRecord] = [:]
        var now: Int64 = 1_000_000
        private var asked: RequestNumber = 0
        private static let room = GroupMachine.Room(
            open: 1_000, parked: 1_000, openPerGroup: 1_000, parkedPerGroup: 1_000)

        init(events count: UInt64, _ change: (inout GroupSettings) throws -> Void = { _ in }) throws
        {
            let (name, selector) = (try GroupName("g"), try Selector("jobs"))
            var wish = GroupSettings(of: selector)
            wish.lease = .seconds(60)
            try change(&wish)
            let record = try GroupRecord.make(
                name, wish, selector, at: LogPosition(after: .zero),
                by: StoredCaller(uid: nil, token: nil)
            ).get()
            machine = GroupMachine(GroupNumber(rawValue: 7), name, selector, record)
            let topic = try TopicName("jobs")
            events = (1...count).map { id in
                Event(
                    id: EventID(rawValue: id), time: Timestamp(microseconds: 1), topic: topic,
                    payload: .empty, metadata: .none, sender: .unknown, isStored: false)
            }
        }

        /// One request for jobs, and its commit; nil where there is none.
        mutating func ask(_ worker: String?, max: Int = 1) -> GroupMachine.LeasedJobs? {
            _ = machine.advance(to: now)
            machine.begin()
            asked += 1
            let entry = GroupLine.Entry(
                number: asked, holder: worker.map { Holder(worker: $0, caller: "a") },
                caller: "a", length: nil, countMax: max,
                token: LeaseToken(high: 0, low: asked), waits: false)
            _ = machine.enter(entry, now: now)
            var grants: [GroupMachine.LeasedJobs] = []
            var goesOn = true
            while goesOn {
                let wants = machine.wants(in: Self.room)
                guard !wants.isEmpty else { break }
                let supply = supply(wants)
                let served = machine.serve(from: supply, in: Self.room, now: now)
                grants += served.grants
                goesOn = served.goesOn
            }
            commit()
            machine.line.remove(asked)
            return grants.first
        }

        /// The same, of which something has to come.
        mutating func take(_ worker: String?, max: Int = 1) throws -> GroupMachine.LeasedJobs {
            guard let grant = ask(worker, max: max) else { throw Nothing() }
            return grant
        }

        struct Nothing: Error {}

        mutating func settle(_ lease: LeaseText, only: [EventID]? = nil) -> GroupMachine.Outcome {
            machine.begin()
            defer { commit() }
            return machine.settle(lease.text, only: only, .done, now: now)
        }

        private mutating func commit() {
            if let change = machine.change(now: now) {
                for row in change.open { rows[row.id] = row }
                for id in change.settled { rows[id] = nil }
            }
            machine.keep(isCommitted: true)
        }

        private func supply(_ wants: GroupMachine.Wants) -> GroupMachine.Supply {
            var supply = GroupMachine.Supply()
            for (id, _) in wants.known {
                let event = events.first { $0.id == id }
                supply.known[id] = event.map { .event($0) } ?? .gone
            }
            let fresh = events.filter { $0.id > machine.record.reach }.prefix(wants.freshMax)
            supply.fresh = .events(
                fresh.map { ($0, false) },
                next: LogPosition(after: fresh.last?.id ?? machine.record.reach),
                isCutShort: false)
            return supply
        }

        /// The same group in the next life of the bus.
        mutating func restart() {
            let stored = StoredGroup(
                number: machine.number, record: machine.record,
                jobs: rows.values.sorted { $0.id < $1.id })
            machine = GroupMachine(
                stored, machine.name, machine.selector, now: now, newest: machine.record.reach)
        }
    }

    /// Which jobs somebody got, and how often they were handed out.
    private func told(_ grant: GroupMachine.LeasedJobs?) -> [String] {
        grant?.jobs.map { "\($0.event.id) for the \($0.attempt)." } ?? []
    }

    private func id(_ number: UInt64) -> EventID { EventID(rawValue: number) }

    @Test(arguments: [false, true])
    func theRestOfABatchComesToItsWorkerAloneUntilItsLeaseHasPassed(restarts: Bool) throws {
        var table = try Table(events: 5)
        #expect(table.ask("w", max: 4)?.jobs.count == 4)
        let first = try table.take("w", max: 4)
        #expect(told(first) == ["1 for the 2."])
        if restarts { table.restart() }
        // Others get what is new, and nothing of the rest.
        #expect(told(table.ask("v", max: 4)) == ["5 for the 1."])
        #expect(told(table.ask(nil)) == [])
        #expect(table.settle(first.lease) == .settled([id(1)]))
        #expect(told(table.ask("w")) == ["2 for the 2."])
        #expect(told(table.ask(nil)) == [])
        table.now += 61_000_000
        #expect(told(table.ask(nil)) == ["2 for the 3."])
        #expect(told(table.ask("u")) == ["3 for the 2."])
    }

    @Test func aWorkerThatAsksAgainStillSettlesTheRestByTheOldLease() throws {
        var table = try Table(events: 3)
        let batch = try table.take("w", max: 3)
        let again = try table.take("w")
        #expect(table.settle(batch.lease, only: [id(1)]) == .lost)
        #expect(table.settle(batch.lease, only: [id(2)]) == .settled([id(2)]))
        #expect(table.settle(again.lease) == .settled([id(1)]))
        #expect(told(table.ask("w")) == ["3 for the 2."])
    }

    @Test func aWorkerThatAsksAgainAndAgainGetsTheFirstOfItsJobs() throws {
        var table = try Table(events: 3)
        _ = table.ask("w", max: 3)
        for attempt in 2...4 { #expect(told(table.ask("w")) == ["1 for the \(attempt)."]) }
        #expect(Set(table.machine.table.jobs.values.map(\.attempt)) == [1, 4])
        #expect(table.machine.table.leasedCount == 3)
    }

    @Test func theNextJobOfABatchComesWhereTheEventOfTheFirstIsGone() throws {
        var table = try Table(events: 4)
        _ = table.ask("w", max: 3)
        table.events.removeFirst(2)
        #expect(told(table.ask("w", max: 2)) == ["3 for the 2."])
        #expect(table.machine.record.tally.gone == 2)
    }

    @Test func aBatchOfLastAttemptsDiesWhereItsWorkerAsksAgain() throws {
        var table = try Table(events: 4) { wish in
            wish.attempts = 1
            wish.dead = .topic(try TopicName("failed"))
        }
        _ = table.ask("w", max: 3)
        #expect(told(table.ask("w", max: 3)) == ["4 for the 1."])
        #expect(table.machine.table.dying.ids == [id(1), id(2), id(3)])
        #expect(table.machine.table.leasedCount == 1)
    }
}
