import DiskSupport
import Glibc
import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// `BELFRY_LONG` makes the run fifty times as long, `BELFRY_SEED` repeats one.
@Suite(.blocking) struct LongPowerLossTests {
    private static let rounds = getenv("BELFRY_LONG") == nil ? 3 : 150

    /// What four publishers were told before the power went.
    private struct Told {
        var answered: [EventID] = []
        var refused: Set<String> = []
    }

    private static func publish(
        _ bench: StoreBench, _ disk: Disk, _ random: inout SeededRandom, _ life: Int
    ) throws -> Told {
        let told = Protected(Told())
        let cut = Int.random(in: 5...60, using: &random)
        let seed = random.next()
        let bus = bench.bus
        let count = Protected(0)
        try inParallel(4) { thread in
            for round in 0..<20 {
                let text = "\(life) \(thread) \(round)"
                let batch = PublishBatch(
                    topic: try TopicName("t\(thread % 3)"),
                    payloads: [Payload(Array(text.utf8)), Payload(Array("\(text) too".utf8))])
                let gate = Gate()
                bus.publish(batch) { outcome in
                    told.write { told in
                        switch outcome {
                        case .success(let receipt): told.answered += [receipt.first, receipt.last]
                        case .failure: told.refused.insert(text)
                        }
                    }
                    gate.open()
                }
                if count.write({
                    $0 += 1; return $0
                }) == cut {
                    disk.powerOff(seed: seed)
                }
                // Whoever is not told what became of its events waits in vain.
                guard (try? gate.wait(within: .milliseconds(200))) != nil else { return }
            }
        }
        return told.value
    }

    @Test func withEveryCommitSyncedNothingThatWasAnsweredIsLost() throws {
        var random = SeededRandom(for: "power loss")
        for _ in 0..<Self.rounds {
            let folder = TemporaryFolder(inMemory: true)
            let clock = ManualClock()
            var answered: [EventID] = []
            var refused: Set<String> = []
            for life in 0..<3 {
                let disk = Disk(rememberingPower: true)
                let bench = try StoreBench(
                    in: folder, clock: clock, StoreBench.Settings(sync: .full, disk: disk))
                let received = try bench.follow("*", from: .after(answered.min()?.before ?? .zero))
                let there = Set(received.ids)
                #expect(received.gaps.isEmpty)
                #expect(answered.filter { !there.contains($0) } == [])
                let texts = Set(received.events.map(\.payload.text))
                #expect(texts.intersection(refused) == [])
                // A batch is there as a whole or not at all.
                let halves = texts.filter { !$0.hasSuffix("too") && !texts.contains("\($0) too") }
                #expect(halves == [])
                let told = try Self.publish(bench, disk, &random, life)
                answered += told.answered
                refused.formUnion(told.refused)
                bench.close()
            }
        }
    }

    @Test func withoutThatAReaderIsToldThatSomethingMayBeMissing() throws {
        let bench = try StoreBench()
        let ids = try bench.publish("a", "first", "second")
        let copy = TemporaryFolder(inMemory: true)
        for name in ["belfry.db", "belfry.db-wal"] {
            Files.copy("\(bench.folder.path)/\(name)", to: "\(copy.path)/\(name)")
        }
        var record = try #require(LifeRecord(Files.read("\(bench.path)-life") ?? []))
        record.boot = "another"
        Files.write(record.bytes, to: "\(copy.path)/belfry.db-life")
        let again = try StoreBench(in: copy, clock: bench.clock)
        let received = try again.follow("a", from: .after(ids[0]))
        #expect(received.gaps.count == 1)
        #expect(received.gaps.first.map { $0.after == ids[0] && $0.through > ids[1] } == true)
        #expect(received.ids == [ids[1]])
        record.isSynced = true
        Files.write(record.bytes, to: "\(bench.path)-life")
        let synced = try bench.killed()
        #expect(try synced.follow("a", from: .after(ids[0])).gaps.isEmpty)
    }
}
