import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// In which order and in which commits entries of several users go.
struct CommitQueueTests {
    /// An entry of so many small events of a user, in a topic that says which of its entries it is.
    private func job(
        _ number: Int, of user: UInt32?, events: Int = 1
    ) throws -> CommitQueue.EntryJob {
        let batch = PublishBatch(
            topic: try TopicName("e\(number)"), sender: Sender(uid: user, pid: nil),
            payloads: Array(repeating: .empty, count: events))
        let entry = StoreEntry.events(batch, persists: true)
        return CommitQueue.EntryJob(entry: entry, queuedBytes: entry.queuedBytes) { _ in }
    }

    private func queue() -> CommitQueue {
        let queue = CommitQueue()
        queue.open(bytesMax: .max)
        return queue
    }

    /// The next commit, as users and the numbers of their entries.
    private func commit(_ queue: CommitQueue) -> [(user: UInt32?, number: Int)] {
        queue.take(milliseconds: 0, GroupCommitDelay()).compactMap { job in
            guard case .entry(let entry) = job, case .events(let batch, _, _) = entry.entry
            else { return nil }
            return (batch.sender.uid, Int(batch.topic.text.dropFirst()) ?? -1)
        }
    }

    @Test func aPublishBesideManyLargeBatchesGoesWithTheNextCommit() throws {
        let queue = queue()
        for number in 0..<100 { _ = queue.add(try job(number, of: 1, events: 10_000)) }
        for number in 0..<100 { _ = queue.add(try job(number, of: 2, events: 10_000)) }
        let first = commit(queue)
        #expect(first.count == 1 && first[0].user == 1 && first[0].number == 0)
        for number in 0..<50 {
            _ = queue.add(try job(number, of: 3))
            let next = commit(queue)
            #expect(next.filter { $0.user == 3 }.map(\.number) == [number])
            // And the two have a batch in each, in turn.
            let large = next.filter { $0.user != 3 }
            #expect(large.count == 1 && large[0].user == (number % 2 == 0 ? 2 : 1))
        }
    }

    @Test func manySmallPublishesOfOneUserHaveAsMuchAsLargeBatchesOfAnother() throws {
        let queue = queue()
        for number in 0..<10 { _ = queue.add(try job(number, of: 1, events: 10_000)) }
        for number in 0..<20_000 { _ = queue.add(try job(number, of: 2)) }
        var (large, small) = (0, 0)
        while small < 20_000 {
            let next = commit(queue)
            large += next.count { $0.user == 1 }
            small += next.count { $0.user == 2 }
        }
        #expect((1...4).contains(large))
    }

    /// Random entries of some users: nothing is lost, each user's keep their order, commits are bounded.
    @Test func eachUsersEntriesKeepTheirOrderAndNoneIsLost() throws {
        var random = SeededRandom(for: "commit queue")
        let queue = queue()
        var added: [UInt32?: Int] = [:]
        var taken: [UInt32?: Int] = [:]
        func take() -> Int {
            let next = commit(queue)
            for (user, number) in next {
                #expect(number == taken[user, default: 0])
                taken[user] = number + 1
            }
            return next.count
        }
        for _ in 0..<2_000 {
            let number = UInt32.random(in: 0..<4, using: &random)
            let user = number == 0 ? nil : number
            let events = Int.random(in: 0..<10, using: &random) == 0 ? 10_000 : 3
            _ = queue.add(try job(added[user, default: 0], of: user, events: events))
            added[user, default: 0] += 1
            if Int.random(in: 0..<8, using: &random) == 0 { _ = take() }
        }
        while take() > 0 {}
        #expect(taken == added && queue.isEmpty)
    }
}
