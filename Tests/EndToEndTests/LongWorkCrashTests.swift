import Glibc
import TestSupport
import Testing

/// The daemon is killed at random moments while workers share jobs, and started again on the same
/// store. The short form kills it twice, since `Simulation` kills a bus between any two steps and here a
/// process and its file system do the same; `BELFRY_LONG` makes it three hundred, `BELFRY_SEED` repeats the
/// moments.
@Suite(.blocking) struct LongWorkCrashTests {
    private static let kills = getenv("BELFRY_LONG") == nil ? 2 : 300
    private static let publishers = 2
    private static let workers = 16
    /// How many settlements at least are answered in every second life.
    private static let settledMin = 20

    @Test func everyJobEndsOnceAndNoneComesAfterItsSettlementWasAnswered() throws {
        var random = SeededRandom(for: "kills of workers")
        let witness = WorkWitness(workers: Self.workers)
        var daemon = try RunningDaemon(
            configuration: """
                [store]
                store = sqlite
                [retention]
                keep = none
                bytes = none
                """)
        try WorkWitness.prepare(daemon.connect())
        for life in 0..<Self.kills {
            try live(life, daemon, witness, within: Int.random(in: 5...300, using: &random))
            daemon = try daemon.restarted()
            try #require(witness.faults == [])
        }
        try finish(daemon, witness)
        try compare(daemon, witness)
        #expect(witness.settled >= Self.settledMin * Self.kills / 2)
        let (jobs, runs) = witness.handedOut
        print("\(Self.kills) kills of a daemon with workers: \(jobs) jobs, \(runs) runs")
        #expect(try daemon.terminate() == .exited(0))
    }

    /// Publishes and works until the daemon is killed.
    private func live(
        _ life: Int, _ daemon: RunningDaemon, _ witness: WorkWitness, within milliseconds: Int
    ) throws {
        let address = daemon.unix
        let pid = daemon.pid
        let settled = witness.settled + (life % 2 == 0 ? Self.settledMin : 0)
        try inParallel(Self.publishers + Self.workers + 1) { part in
            switch part {
            case 0..<Self.publishers: witness.publish(from: part, life, at: address)
            case Self.publishers:
                defer { kill(pid, SIGKILL) }
                try eventually("\(settled) jobs are settled", within: 60) {
                    witness.settled >= settled
                }
                // Nobody opens it: the moment is to be any.
                try? Gate().wait(within: .milliseconds(milliseconds))
            default: try witness.work(part - Self.publishers - 1, at: address)
            }
        }
        _ = try daemon.wait()
    }

    /// Works until nothing is left of either group.
    private func finish(_ daemon: RunningDaemon, _ witness: WorkWitness) throws {
        let address = daemon.unix
        try inParallel(Self.workers, within: .seconds(300)) { index in
            try witness.work(index, at: address) {
                let client = try RawClient(address)
                return try [WorkWitness.pool, WorkWitness.ordered].allSatisfy { group in
                    let left = try Self.figures(of: group, client)
                    return left["open"] == 0 && left["behind"] == 0 && left["parked"] == 0
                }
            }
        }
        #expect(witness.faults == [])
    }

    /// Compares what workers were told with what the topics have.
    private func compare(_ daemon: RunningDaemon, _ witness: WorkWitness) throws {
        let client = try daemon.connect()
        let plain = try events(of: "jobs.plain", client)
        let keyed = try events(of: "jobs.keyed", client)
        for (group, jobs) in [(WorkWitness.pool, plain), (WorkWitness.ordered, keyed)] {
            let lost = jobs.filter { !witness.isAsked($0.id, in: group) }
            #expect(lost.isEmpty, "\(group): nobody settled \(lost.count) of \(jobs.count)")
            let figures = try Self.figures(of: group, client)
            let ended = (figures["done"] ?? 0) + (figures["failed"] ?? 0)
            #expect(ended == jobs.count, "\(group): \(figures)")
            #expect(figures["gone"] == 0 && figures["expired"] == 0, "\(group): \(figures)")
        }
        let outputs = try events(of: WorkWitness.results, client).map(\.text)
        let wanted = plain.filter { $0.text.hasPrefix("out ") }.map { "\($0.id)" }
        #expect(outputs.sorted() == wanted.sorted(), "\(outputs.count) for \(wanted.count)")
        let dead = try events(of: WorkWitness.failed, client)
        let poisoned = plain.filter { $0.text.hasPrefix("dead ") }.map(\.text)
        #expect(dead.map(\.text).sorted() == poisoned.sorted())
        #expect(!wanted.isEmpty && !poisoned.isEmpty)
    }

    private func events(
        of topic: String, _ client: RawClient
    ) throws -> [(id: UInt64, text: String)] {
        var found: [(id: UInt64, text: String)] = []
        var since = "earliest"
        while true {
            let body = try PollBody(
                client.get("/topics/\(topic)?as=json&wait=0&max=10000&since=\(since)"))
            if body.events.isEmpty { return found }
            found += try body.events.map { (try #require(UInt64($0.id)), $0.data ?? "") }
            since = body.cursor
        }
    }

    /// The numbers of a group, by their names.
    private static func figures(of group: String, _ client: RawClient) throws -> [String: Int] {
        let answer = try client.get("/groups/\(group)")
        try #require(answer.status == 200, "\(answer.text)")
        let names = ["open", "parked", "behind", "done", "failed", "gone", "expired"]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                answer.integer(name).map { (name, $0) }
            })
    }
}
