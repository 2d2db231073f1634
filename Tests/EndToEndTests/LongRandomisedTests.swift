import TestSupport
import Testing

/// Publishers, subscribers of all forms that stall, vanish and resume, and retention that trims
/// under them, all at once: what every subscriber received and was told to be missing has to be what
/// was published, in order, once.
///
/// `BELFRY_LONG` makes the runs a hundred times as long; the seed that is printed repeats their
/// decisions.
@Suite(.blocking, .serialized) struct LongRandomisedTests {
    @Test(arguments: ["0", "5ms", "2s"])
    func receivedPlusToldIsPublishedWhileRetentionTrims(grace: String) throws {
        try expectNothingLost(
            RandomRun(
                configuration: "[retention]\nkeep = 40\ngrace = \(grace)\n[http]\nloops = 2\n"),
            "grace \(grace)")
    }

    @Test func receivedPlusToldIsPublishedWhileTopicsAreDeleted() throws {
        try expectNothingLost(
            RandomRun(
                configuration: "[retention]\ngrace = 10ms\n", surroundings: .init(deletes: true)),
            "deleting")
    }

    @Test func receivedPlusToldIsPublishedWhileMemoryRunsOut() throws {
        try expectNothingLost(
            RandomRun(
                configuration: """
                    [store]
                    store = memory
                    [bus]
                    memory_bytes = 1M
                    event_bytes = 64K
                    [http]
                    loops = 3

                    """,
                payloadBytesMax: 2_000, changesRetention: false,
                surroundings: .init(cuts: true), maxima: [1, 2, 7]), "memory")
    }

    private func expectNothingLost(
        _ run: RandomRun, _ purpose: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var run = run
        if RandomRun.isLong {
            run.publishes *= 50
        } else if !run.surroundings.cuts {
            run.publishes /= Sanitizer.isOn ? 4 : 2
        }
        let outcome = try run.run(SeededRandom(for: purpose))
        let checker = DeliveryChecker(outcome.publications)
        #expect(checker.problems == [], sourceLocation: sourceLocation)
        #expect(outcome.histories.count == run.subscribers, sourceLocation: sourceLocation)
        for history in outcome.histories {
            let problems = checker.problems(
                of: history, gapsAreExact: !run.surroundings.deletes, lossesGoOn: true)
            guard !problems.isEmpty else { continue }
            Issue.record(
                """
                \(history.selector) of type \(history.type ?? "any"): \(problems.count) faults, \
                first \(problems.prefix(5))
                """, sourceLocation: sourceLocation)
        }
        #expect(outcome.histories.contains { !$0.gaps.isEmpty }, sourceLocation: sourceLocation)
    }
}
