import Glibc
import Protection
import TestSupport
import Testing
import Topics

@testable import Work

/// Many publishers and workers at once, on threads of their own.
@Suite(.blocking) struct WorkHammeringTests {
    private static let publishers = 3
    private static let workers = 6
    private static let each = 150

    /// What workers did.
    private struct Ledger {
        var done: [EventID: Int] = [:]
        /// What was handed out of each key, repeats included.
        var order: [String: [EventID]] = [:]
        var held: Set<EventID> = []
        var doubles: [EventID] = []
        var isOver = false

        /// Notes what somebody got.
        mutating func note(_ events: [Event]) {
            for event in events {
                if !held.insert(event.id).inserted { doubles.append(event.id) }
                guard let key = event.metadata.key else { continue }
                order[key, default: []].append(event.id)
            }
        }
    }

    @Test(arguments: [false, true])
    func eachJobIsDoneOnceWhoeverComesWhen(isOnFile: Bool) throws {
        let folder = TemporaryFolder(inMemory: true)
        let bench = try WorkBench(file: isOnFile ? folder.path + "/bus.db" : nil)
        defer { bench.bus.close() }
        try bench.set(of: "jobs.*") { $0.isOrderedByKey = true }
        let ledger = Protected(Ledger())
        let total = Self.publishers * Self.each
        try inParallel(Self.publishers + Self.workers + 1) { index in
            if index == Self.publishers + Self.workers {
                while try bench.group()?.done != Int64(total) { poll(nil, 0, 1) }
                ledger.write { $0.isOver = true }
                // Those who wait have nothing to wait for.
                bench.work.drain()
            } else if index < Self.publishers {
                for number in 0..<Self.each {
                    let key = number % 3 == 0 ? nil : "k\(number % 5)"
                    try bench.publish("x", to: "jobs.\(index)", key: key)
                }
            } else {
                try Self.work(bench, "w\(index)", ledger)
            }
        }
        let (done, doubles, order) = ledger.read { ($0.done, $0.doubles, $0.order) }
        #expect(done.count == total && done.values.allSatisfy { $0 == 1 })
        #expect(doubles.isEmpty)
        for (key, ids) in order { #expect(ids == ids.sorted(), "\(key)") }
        let group = try bench.group()
        #expect(group?.done == Int64(total) && group?.open == 0 && group?.parked == 0)
    }

    /// One worker's loop: it settles with the next request, and gives some jobs back.
    private static func work(
        _ bench: WorkBench, _ name: String, _ ledger: Protected<Ledger>
    ) throws {
        var random = SeededRandom(for: name)
        let worker = try WorkerName(name)
        var settlement: Settlement?
        var doing: [Event] = []
        while !ledger.read({ $0.isOver }) || settlement != nil {
            ledger.write { ledger in for event in doing { ledger.held.remove(event.id) } }
            let (answer, waiting) = try bench.ask(
                NextRequest(
                    worker: worker, settlement: settlement,
                    countMax: Int.random(in: 1...3, using: &random)))
            if Int.random(in: 0..<4, using: &random) == 0 { waiting.cancel() }
            let settled = doing
            let next = try answer.get()
            ledger.write { ledger in
                for event in settled { ledger.done[event.id, default: 0] += 1 }
            }
            (settlement, doing) = (nil, [])
            guard let delivery = next.delivery else { continue }
            let events = delivery.jobs.map(\.event)
            ledger.write { $0.note(events) }
            guard Int.random(in: 0..<6, using: &random) > 0 else {
                ledger.write { ledger in for event in events { ledger.held.remove(event.id) } }
                bench.work.giveBack(delivery.ticket)
                continue
            }
            doing = events
            settlement = Settlement(.done(nil), lease: delivery.lease)
        }
    }
}
