import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct GatheringTests {
    private static func gathering(_ groups: [Int], commitMicroseconds: Int) -> Gathering {
        var gathering = Gathering()
        for entries in groups {
            gathering.note(entries: entries)
            for _ in 0..<100 { gathering.note(microseconds: commitMicroseconds) }
        }
        return gathering
    }

    @Test func whoPublishesAloneIsNotHeldUpNorAnybodyOnAFastDisk() {
        #expect(Self.gathering([], commitMicroseconds: 0).milliseconds == 0)
        #expect(Self.gathering([1, 1], commitMicroseconds: 9_000).milliseconds == 0)
        #expect(Self.gathering([64, 1, 1], commitMicroseconds: 9_000).milliseconds == 0)
        #expect(Self.gathering([64, 64], commitMicroseconds: 1_500).milliseconds == 0)
    }

    @Test func aPartOfASlowCommitIsWaitedForAsManyAsCameLately() {
        let gathering = Self.gathering([3, 64, 2], commitMicroseconds: 9_000)
        #expect(gathering.wanted == 64 && gathering.milliseconds == 2)
        let slow = Self.gathering([2], commitMicroseconds: 5_000_000)
        #expect(Int(slow.milliseconds) == Limits.gatheringMillisecondsMax)
    }

    @Test func theQueueGivesWhatIsThereWhenEnoughIsOrNobodyElseComes() throws {
        let queue = try CommitQueue()
        queue.open(bytesMax: 1 << 20)
        let gathering = Self.gathering([2], commitMicroseconds: 100_000)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        @Sendable func add() {
            let entry = StoreEntry.events(batch, persists: true)
            _ = queue.add(CommitQueue.EntryJob(entry: entry, queuedBytes: 1) { _ in })
        }
        add()
        add()
        #expect(queue.take(milliseconds: -1, gathering).count == 2)
        add()
        #expect(queue.take(milliseconds: -1, gathering).count == 1)
        #expect(queue.take(milliseconds: 0, gathering).isEmpty)
        // Of two that come from another thread none is left behind, however they are grouped.
        try inParallel(2) { thread in
            if thread == 0 {
                add()
                add()
            } else {
                var taken = 0
                while taken < 2 { taken += queue.take(milliseconds: -1, gathering).count }
                #expect(taken == 2)
            }
        }
        add()
        queue.close()
        #expect(queue.take(milliseconds: -1, gathering).count == 1)
        #expect(queue.take(milliseconds: -1, gathering).isEmpty)
    }
}
