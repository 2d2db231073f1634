import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Work

/// Requests that are taken further together.
@Suite(.blocking) struct GroupBatchTests {
    @Test(arguments: [1, 16]) func requestsOfOneRoundAreOneCommitOfEachGroup(count: Int) throws {
        let bench = try WorkBench()
        for name in ["g", "h"] { try bench.set(name, of: name) }
        for number in 0..<2 * count {
            try bench.publish("\(number)", to: "g")
            try bench.publish("\(number)", to: "h")
        }
        let round = GroupBatch()
        var leases: [(name: String, lease: String)] = []
        for turn in 0..<2 {
            let before = bench.store.changes
            var answers: [(name: String, answer: Answer<NextAnswer, WorkError>)] = []
            for index in 0..<count {
                for name in ["g", "h"] {
                    var request = NextRequest(worker: try WorkerName("w\(index)"), waits: false)
                    let held = leases.first { $0.name == name }
                    leases.removeAll { $0.lease == held?.lease }
                    request.settlement = held.map { Settlement(.done(nil), lease: $0.lease) }
                    let answer = Answer<NextAnswer, WorkError>()
                    bench.work.next(
                        try GroupName(name), request, by: WorkBench.caller, in: round
                    ) { answer.give($0) }
                    answers.append((name, answer))
                }
            }
            #expect(answers.allSatisfy { !$0.answer.isGiven } && bench.store.changes == before)
            round.go()
            #expect(bench.store.changes == before + 2)
            for (name, answer) in answers {
                let delivery = try #require(try answer.get().delivery)
                #expect(delivery.jobs[0].attempt == 1)
                leases.append((name, delivery.lease))
            }
            #expect(try bench.group("g")?.done == Int64(turn * count))
        }
        round.go()
        #expect(try bench.group("h")?.leased == count)
    }

    @Test func whoeverComesMeanwhileTakesARoundAlong() throws {
        let bench = try WorkBench()
        try bench.set()
        for text in ["a", "b"] { try bench.publish(text) }
        let round = GroupBatch()
        let (gathered, settled) = (
            Answer<NextAnswer, WorkError>(), Answer<SettleReceipt, WorkError>()
        )
        let name = try GroupName("g")
        bench.work.next(name, NextRequest(), by: WorkBench.caller, in: round) { gathered.give($0) }
        #expect(!gathered.isGiven)
        let other = try bench.take()
        #expect(try gathered.get().delivery?.text == "a" && other.text == "b")
        bench.work.settle(
            name, Settlement(.done(nil), lease: other.lease), by: WorkBench.caller, in: round
        ) { settled.give($0) }
        #expect(!settled.isGiven)
        round.go()
        #expect(try settled.get().count == 1)
    }
}
