import CSQLite
import DiskSupport
import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Publishes with keys, on a bus with a file.
@Suite(.blocking) struct IdempotencyTests {
    private static func key(
        _ name: UInt64, print: UInt64 = 1, number: UInt64? = nil, window: UInt32 = 900
    ) -> IdempotencyKey {
        IdempotencyKey(
            IdempotencyKey.Identity(high: 7, low: name), print: print, number: number,
            windowSeconds: window)
    }

    private static func batch(
        _ key: IdempotencyKey?, to topic: String = "a", _ texts: String...
    ) throws -> PublishBatch {
        PublishBatch(
            topic: try TopicName(topic), metadata: .none, sender: Sender(uid: 1, pid: nil),
            payloads: texts.isEmpty ? [.empty] : texts.map { Payload(Array($0.utf8)) },
            idempotencyKey: key)
    }

    private static func publish(
        _ batch: PublishBatch, on bench: StoreBench
    ) throws -> PublishReceipt {
        try bench.answer { bench.bus.publish(batch, then: $0) }
    }

    private static func refusal(_ batch: PublishBatch, on bench: StoreBench) throws -> BusError? {
        do {
            _ = try publish(batch, on: bench)
            return nil
        } catch let error as BusError {
            return error
        }
    }

    @Test func aRepeatHasTheReceiptOfTheFirstAndMakesNoEvent() throws {
        let bench = try StoreBench()
        let first = try Self.publish(Self.batch(Self.key(1), "one", "two"), on: bench)
        bench.clock.advance(microseconds: 1_000_000)
        #expect(first.standing == .new)
        func check(_ bench: StoreBench) throws {
            let again = try Self.publish(Self.batch(Self.key(1), "one", "two"), on: bench)
            #expect(again.standing == .repeated && again.count == 2)
            #expect(again.first == first.first && again.last == first.last)
            #expect(again.time == first.time && again.subscribers == 0)
            #expect(try bench.follow("a", from: .earliest).ids.count == 2)
            let other = try Self.refusal(Self.batch(Self.key(1, print: 2), "other"), on: bench)
            #expect(other == .keyDiffers)
        }
        try check(bench)
        try check(bench.killed())
        try check(bench.reopened())
    }

    @Test func aKeyIsForgottenWithItsWindowAndItsTopic() throws {
        let bench = try StoreBench()
        let long = try Self.publish(Self.batch(Self.key(1)), on: bench)
        for name in 2...200 {
            _ = try Self.publish(
                Self.batch(Self.key(UInt64(name), window: 10), to: "b"), on: bench)
        }
        bench.clock.advance(microseconds: 10_000_000)
        #expect(try Self.publish(Self.batch(Self.key(1)), on: bench).first == long.first)
        let again = try Self.publish(Self.batch(Self.key(2, window: 10), to: "b"), on: bench)
        #expect(again.standing == .new && again.first > long.first)
        for name in 201...300 {
            _ = try Self.publish(Self.batch(Self.key(UInt64(name)), to: "b"), on: bench)
        }
        // Rows of what is forgotten go with those that come.
        let database = try Database(path: bench.path, mode: .reading)
        #expect(try database.integer("SELECT count(*) FROM keys") == 102)
        try bench.remove("a")
        #expect(try Self.publish(Self.batch(Self.key(1)), on: bench).standing == .new)
        #expect(
            try Self.publish(Self.batch(Self.key(300), to: "b"), on: bench).standing == .repeated)
        #expect(try database.integer("SELECT count(*) FROM keys") == 102)
    }

    @Test func aSeriesRemembersItsLastNumber() throws {
        var bench = try StoreBench()
        var receipts: [PublishReceipt] = []
        for number in [3, 4, 9] as [UInt64] {
            let key = Self.key(1, print: number, number: number)
            receipts.append(try Self.publish(Self.batch(key), on: bench))
        }
        for _ in 0..<2 {
            for (number, standing) in [
                (9, .repeated), (8, .passed), (4, .passed), (0, .passed),
            ] as [(UInt64, PublishReceipt.Standing)] {
                let key = Self.key(1, print: number, number: number)
                let again = try Self.publish(Self.batch(key), on: bench)
                #expect(again.standing == standing && again.last == receipts[2].last)
            }
            #expect(
                try Self.refusal(Self.batch(Self.key(1, print: 1, number: 9)), on: bench)
                    == .keyDiffers)
            #expect(try Self.refusal(Self.batch(Self.key(1, print: 9)), on: bench) == .keyDiffers)
            bench = try bench.reopened()
        }
        let database = try Database(path: bench.path, mode: .reading)
        _ = try Self.publish(Self.batch(Self.key(1, print: 10, number: 10)), on: bench)
        _ = try Self.publish(Self.batch(Self.key(1, print: 11, number: 11)), on: bench)
        #expect(try database.integer("SELECT count(*) FROM keys") <= 2)
    }

    @Test func ofManyAtOnceOneIsTheFirst() throws {
        let bench = try StoreBench()
        let receipts = Protected<[PublishReceipt]>([])
        try inParallel(8) { _ in
            for name in 1...50 as ClosedRange<UInt64> {
                let receipt = try Self.publish(Self.batch(Self.key(name), "\(name)"), on: bench)
                receipts.write { $0.append(receipt) }
            }
        }
        let all = receipts.value
        #expect(all.count { $0.standing == .new } == 50)
        #expect(Set(all.map(\.first)).count == 50)
        #expect(try bench.follow("a", from: .earliest).ids.count == 50)
    }

    @Test func aKeyOfEventsThatWereNotWrittenIsFree() throws {
        let disk = Disk()
        let bench = try StoreBench(StoreBench.Settings(sync: .full, disk: disk))
        let first = try Self.publish(Self.batch(Self.key(1), "x"), on: bench)
        disk.fail(.write, SQLITE_FULL)
        for name in [2, 3] as [UInt64] {
            let refusal = try Self.refusal(Self.batch(Self.key(name), "y"), on: bench)
            guard case .storeFull? = refusal else {
                Issue.record("\(String(describing: refusal))")
                return
            }
        }
        // Its events are there: a full disk is no reason to say that they are not.
        #expect(try Self.publish(Self.batch(Self.key(1), "x"), on: bench).first == first.first)
        disk.heal()
        #expect(try Self.publish(Self.batch(Self.key(2), "y"), on: bench).standing == .new)
        #expect(try Self.publish(Self.batch(Self.key(2), "y"), on: bench).standing == .repeated)
        let again = try bench.killed { $0.disk = nil }
        #expect(try Self.publish(Self.batch(Self.key(2), "y"), on: again).standing == .repeated)
        #expect(try Self.publish(Self.batch(Self.key(3), "y"), on: again).standing == .new)
    }

    @Test func aRepeatIsNotRefusedByABusThatStops() throws {
        let bench = try StoreBench()
        let first = try Self.publish(Self.batch(Self.key(1), "x"), on: bench)
        bench.bus.drain()
        let again = try Self.publish(Self.batch(Self.key(1), "x"), on: bench)
        #expect(again.first == first.first && again.standing == .repeated)
        #expect(try Self.refusal(Self.batch(Self.key(2), "x"), on: bench) == .draining)
        #expect(try Self.refusal(Self.batch(Self.key(1, print: 2), "y"), on: bench) == .draining)
    }

    @Test func aTopicThatDoesNotPersistHasKeysForThisLife() throws {
        let bench = try StoreBench()
        try bench.register("a", persists: false)
        _ = try Self.publish(Self.batch(Self.key(1)), on: bench)
        #expect(try Self.publish(Self.batch(Self.key(1)), on: bench).standing == .repeated)
        let again = try bench.reopened()
        #expect(try Self.publish(Self.batch(Self.key(1)), on: again).standing == .new)
    }

    @Test func keysTakeTheirPartOfTheMemoryAndOneUserItsPartOfThat() throws {
        let bench = try StoreBench(StoreBench.Settings(memoryBytesMax: 1 << 20))
        // A quarter of a MiB has room for 1,024.
        for name in 1...768 as ClosedRange<UInt64> {
            _ = try Self.publish(Self.batch(Self.key(name)), on: bench)
        }
        #expect(bench.bus.memory.used(.keys) == 768 * 256)
        #expect(try Self.refusal(Self.batch(Self.key(769)), on: bench) == .keysFull(isOfUser: true))
        #expect(try Self.publish(Self.batch(Self.key(768)), on: bench).standing == .repeated)
        #expect(try Self.publish(Self.batch(nil, to: "b"), on: bench).standing == .new)
        bench.clock.advance(microseconds: 900_000_000)
        #expect(try Self.publish(Self.batch(Self.key(769)), on: bench).standing == .new)
        #expect(bench.bus.memory.used(.keys) == 256)
    }

    @Test func aRowThatMakesNoSenseIsTold() throws {
        let bench = try StoreBench()
        _ = try Self.publish(Self.batch(Self.key(1)), on: bench)
        bench.close()
        for change in ["topic = '>'", "count = 0", "number = -1", "time = 9223372036854775807"] {
            let folder = TemporaryFolder(inMemory: true)
            Files.copy(bench.path, to: "\(folder.path)/belfry.db")
            try Database(path: "\(folder.path)/belfry.db", mode: .writing)
                .execute("UPDATE keys SET \(change)")
            #expect(throws: StoreError.self) { try StoreBench(in: folder) }
        }
    }
}
