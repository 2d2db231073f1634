import Protection
import TestSupport
import Testing
import Topics

@testable import Work

/// Whose groups are woken first where many wait for the events of a topic.
@Suite(.blocking) struct WakeTests {
    private let greedy = WorkCaller(uid: 2_000)

    /// Groups over all topics, each with a worker that waits; who gets a job is noted by its group.
    private func crowd(
        _ count: Int, on bench: WorkBench, _ served: Protected<[String]>
    ) throws {
        for number in 0..<count {
            let name = "crowd\(number)"
            try bench.set(name, of: "*.*", by: greedy)
            try wait(for: name, on: bench, served)
        }
    }

    private func wait(
        for name: String, on bench: WorkBench, _ served: Protected<[String]>
    ) throws {
        bench.work.next(try GroupName(name), NextRequest(), by: WorkBench.caller) { result in
            if case .success(let answer) = result, answer.delivery != nil {
                served.write { $0.append(name) }
            }
        }
    }

    @Test func aWorkerOfANamedTopicIsWokenByThePublisherHoweverManyListenToAll() throws {
        let (bench, served) = (try WorkBench(), Protected<[String]>([]))
        try crowd(20, on: bench, served)
        try bench.set("mine", of: "jobs.a")
        try wait(for: "mine", on: bench, served)
        try bench.withoutWorkThread {
            try bench.publish("a", to: "jobs.a")
            #expect(served.value == ["mine"])
        }
        for _ in 0..<20 { try bench.awaitReads(of: greedy) }
        #expect(served.value.count == 21)
    }

    @Test func wakesGoByTurnsOfThoseWhoMadeTheGroups() throws {
        let (bench, served) = (try WorkBench(), Protected<[String]>([]))
        try crowd(100, on: bench, served)
        // Whichever selector is found first.
        let others = ["narrow": "jobs.*", "wide": ">"]
        for (index, (name, selector)) in others.enumerated() {
            try bench.set(name, of: selector, by: WorkCaller(uid: 3_000 + UInt32(index)))
            try wait(for: name, on: bench, served)
        }
        try bench.withoutWorkThread {
            try bench.publish("a", to: "jobs.a")
            #expect(served.value.isEmpty)
        }
        for _ in 0..<40 { try bench.awaitReads(of: greedy) }
        #expect(served.value.count == 102)
        for name in others.keys {
            let place = try #require(served.value.firstIndex(of: name))
            #expect(place <= 2 * Limits.inlineGroupsMax)
        }
    }

    @Test func whatComesWhileGroupsAreWokenWakesThemAgain() throws {
        let (bench, served) = (try WorkBench(), Protected<[String]>([]))
        try crowd(20, on: bench, served)
        for number in 0..<3 { try bench.publish("a", to: "jobs.t\(number)") }
        for _ in 0..<40 { try bench.awaitReads(of: greedy) }
        #expect(served.value.count == 20)
        for name in served.value { try wait(for: name, on: bench, served) }
        for _ in 0..<40 { try bench.awaitReads(of: greedy) }
        #expect(served.value.count == 40)
    }
}
