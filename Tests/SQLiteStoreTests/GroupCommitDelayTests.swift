import DiskSupport
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

@Suite(.blocking) struct GroupCommitDelayTests {
    private static func delay(_ groups: [Int], commitMicroseconds: Int) -> GroupCommitDelay {
        var delay = GroupCommitDelay()
        for entries in groups {
            delay.note(entries: entries)
            for _ in 0..<100 { delay.note(microseconds: commitMicroseconds) }
        }
        return delay
    }

    @Test func whoPublishesAloneIsNotHeldUpNorAnybodyOnAFastDisk() {
        #expect(Self.delay([], commitMicroseconds: 0).milliseconds == 0)
        #expect(Self.delay([1, 1], commitMicroseconds: 9_000).milliseconds == 0)
        #expect(Self.delay([64, 1, 1], commitMicroseconds: 9_000).milliseconds == 0)
        #expect(Self.delay([64, 64], commitMicroseconds: 1_500).milliseconds == 0)
    }

    @Test func aPartOfASlowCommitIsWaitedForAsManyAsCameLately() {
        let delay = Self.delay([3, 64, 2], commitMicroseconds: 9_000)
        #expect(delay.wanted == 64 && delay.milliseconds == 2)
        let slow = Self.delay([2], commitMicroseconds: 5_000_000)
        #expect(Int(slow.milliseconds) == Limits.gatheringMillisecondsMax)
    }

    @Test func theQueueGivesWhatIsThereWhenEnoughIsOrNobodyElseComes() throws {
        let queue = CommitQueue()
        queue.open(bytesMax: 1 << 20)
        let delay = Self.delay([2], commitMicroseconds: 100_000)
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        @Sendable func add() {
            let entry = StoreEntry.events(batch, persists: true)
            _ = queue.add(CommitQueue.EntryJob(entry: entry, queuedBytes: 1) { _ in })
        }
        add()
        add()
        #expect(queue.take(milliseconds: -1, delay).count == 2)
        add()
        #expect(queue.take(milliseconds: -1, delay).count == 1)
        #expect(queue.take(milliseconds: 0, delay).isEmpty)
        // Of two that come from another thread none is left behind, however they are grouped.
        try inParallel(2) { thread in
            if thread == 0 {
                add()
                add()
            } else {
                var taken = 0
                while taken < 2 { taken += queue.take(milliseconds: -1, delay).count }
                #expect(taken == 2)
            }
        }
        add()
        queue.close()
        #expect(queue.take(milliseconds: -1, delay).count == 1)
        #expect(queue.take(milliseconds: -1, delay).isEmpty)
    }
}
