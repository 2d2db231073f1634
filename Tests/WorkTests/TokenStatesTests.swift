import TestSupport
import Testing
import Topics

@testable import Work

/// What a lease is good for in each state that it can be in: the table of the documentation.
@Suite(.blocking) struct TokenStatesTests {
    enum LeaseState: CaseIterable {
        case valid, passed, settled, handedOn, retried, givenBack, takenOver, batchInParts
        case earlierEpoch, otherGroup, otherLife, garbage
    }

    enum Verb: CaseIterable {
        case done, retry, dead, extend, next
    }

    private static func expected(_ state: LeaseState, _ verb: Verb) -> String? {
        switch (state, verb) {
        case (.valid, _), (.passed, _): nil
        case (.settled, .next): nil
        case (.settled, _): "jobSettled"
        case (.takenOver, .next): nil
        default: "leaseLost"
        }
    }

    @Test(arguments: LeaseState.allCases)
    func aLeaseIsGoodForWhatTheTableSays(state: LeaseState) throws {
        for verb in Verb.allCases {
            let bench = try WorkBench()
            try bench.set { $0.dead = .topic(try TopicName("failed")) }
            let lease = try lease(state, bench)
            let found = refusal { try use(lease, verb, bench) }
            #expect(found == Self.expected(state, verb), "\(state), \(verb)")
        }
    }

    private func use(_ lease: String, _ verb: Verb, _ bench: WorkBench) throws {
        switch verb {
        case .done: try bench.settle(Settlement(.done(nil), lease: lease))
        case .retry: try bench.settle(Settlement(.retry(delay: nil), lease: lease))
        case .dead: try bench.settle(Settlement(.dead(refusal: nil), lease: lease))
        case .next:
            _ = try bench.next(worker: "w", settling: Settlement(.done(nil), lease: lease))
        case .extend:
            let name = try GroupName("g")
            try WorkBench.answer {
                bench.work.extend(
                    name, lease: lease, by: 2_000_000, caller: WorkBench.caller, then: $0)
            }
        }
    }

    /// A lease in a state.
    private func lease(_ state: LeaseState, _ bench: WorkBench) throws -> String {
        try bench.publish("a")
        let worker = state == .takenOver ? "w" : nil
        if state == .batchInParts { try bench.publish("b") }
        if state == .otherGroup { try bench.set("h") }
        let held = try bench.take(
            state == .otherGroup ? "h" : "g", worker: worker, max: state == .batchInParts ? 2 : 1)
        switch state {
        case .valid, .otherGroup: break
        case .passed: bench.advance(seconds: 100)
        case .settled: try bench.settle(Settlement(.done(nil), lease: held.lease))
        case .handedOn:
            bench.advance(seconds: 100)
            _ = try bench.take()
        case .retried: try bench.settle(Settlement(.retry(delay: 1_000_000), lease: held.lease))
        case .givenBack: bench.work.giveBack(held.ticket)
        case .takenOver: _ = try bench.take(worker: "w")
        case .batchInParts:
            try bench.settle(Settlement(.done(nil), lease: held.lease, only: [held.ids[0]]))
            bench.advance(seconds: 100)
            _ = try bench.take()
        case .earlierEpoch:
            let name = try GroupName("g")
            _ = try WorkBench.answer {
                bench.work.seek(name, to: .earliest, by: WorkBench.caller, then: $0)
            }
        case .otherLife:
            let name = try GroupName("g")
            try WorkBench.answer {
                bench.work.remove(name, isForced: false, by: WorkBench.caller, then: $0)
            }
            try bench.set { $0.dead = .topic(try TopicName("failed")) }
        case .garbage: return String(held.lease.dropLast()) + "_"
        }
        return held.lease
    }
}
