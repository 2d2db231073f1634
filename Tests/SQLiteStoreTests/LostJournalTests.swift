import Glibc
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Events that were answered, and whose journal is gone or damaged when the next life begins:
/// readers have them, or are told a gap.
@Suite(.blocking) struct LostJournalTests {
    enum Damage: CaseIterable {
        case removed, emptied, cut, flipped, none

        func apply(to path: String, _ random: inout SeededRandom) {
            guard var bytes = Files.read(path) else { return }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch self {
            case .removed: unlink(path)
            case .emptied: Files.write([], to: path)
            case .cut: Files.write(Array(bytes[..<place]), to: path)
            case .flipped:
                bytes[place] ^= UInt8(1) << Int.random(in: 0..<8, using: &random)
                Files.write(bytes, to: path)
            case .none: break
            }
        }
    }

    /// A store whose journal holds all that was published since its start, because somebody reads.
    private struct Held {
        let bench: StoreBench
        private let reader: Database
        var ids: [EventID] = []

        init(_ settings: StoreBench.Settings = StoreBench.Settings()) throws {
            let first = try StoreBench(settings)
            ids += try first.publish("t0", "in the file")
            bench = try first.reopened()
            // What the start wrote is in the file; the journal has the events alone.
            try Database(path: bench.path, mode: .creating).checkpoint(.truncating)
            reader = try Database(path: bench.path, mode: .reading)
            try reader.execute("BEGIN")
            _ = try reader.integer("SELECT count(*) FROM events")
        }

        /// Nobody reads any more: the end would wait for that.
        func end() throws {
            try reader.execute("COMMIT")
            bench.close()
        }
    }

    @Test(arguments: Damage.allCases, SQLiteStoreConfiguration.Sync.allCases)
    func whoeverMissesAnEventIsToldAGap(
        damage: Damage, sync: SQLiteStoreConfiguration.Sync
    ) throws {
        var random = SeededRandom(for: "journals, \(damage), \(sync)")
        var losses = 0
        for _ in 0..<6 {
            var held = try Held(StoreBench.Settings(sync: sync))
            for index in 0..<20 {
                held.ids += try held.bench.publish(
                    "t\(index % 3)", (0...(index % 4)).map { _ in .empty })
            }
            let again = try held.bench.killed(meddling: { folder in
                damage.apply(to: "\(folder)/belfry.db-wal", &random)
            })
            for cursor in [held.ids[0].before, held.ids[held.ids.count / 2]] {
                let received = try again.follow(">", from: .after(cursor))
                let isWhole = received.ids == held.ids.filter { $0 > cursor }
                #expect(isWhole || received.gaps.count == 1, "after \(cursor)")
                if !isWhole { losses += 1 }
                if damage == .none { #expect(received.gaps.isEmpty) }
            }
            try held.end()
            // It is told once: the life that follows has lost nothing more.
            let last = try again.publish("t0", "last")
            let next = try again.killed()
            #expect(try next.follow("t0", from: .after(last[0])).gaps.isEmpty)
        }
        #expect((losses > 0) == (damage != .none))
    }

    /// What retention, removal, and topics that do not persist leave of the newest ids is no loss.
    @Test func whatWasRemovedAndWhatWasNeverStoredIsNotMissed() throws {
        var bench = try StoreBench(StoreBench.Settings(tombstonesMax: 8))
        try bench.register("live", persists: false)
        try bench.register("short", keep: 1)
        try bench.publish("kept", "x")
        for round in 0..<20 {
            try bench.publish("gone\(round)", "x", "y")
            try bench.publish("short", "x", "y", "z")
            try bench.publish("live", "x")
            try bench.remove("gone\(round)")
            let last = try bench.publish("short", "last")
            if round % 3 == 0 { try bench.remove("short") }
            bench = try bench.killed()
            #expect(try bench.follow("kept", from: .after(last[0])).gaps.isEmpty, "\(round)")
        }
    }

    @Test func aRecordOfAnEarlierVersionTellsNoGap() throws {
        let bench = try StoreBench()
        let ids = try bench.publish("a", "x", "y")
        let again = try bench.killed(meddling: { folder in
            let life = "\(folder)/belfry.db-life"
            Files.write(Array(Files.read(life)!.prefix(Limits.lifeRecordBytes)), to: life)
        })
        let received = try again.follow("a", from: .after(ids[0]))
        #expect(received.gaps.isEmpty && received.ids == [ids[1]])
        #expect(try again.publish("a", "z")[0] > ids[1])
    }
}
