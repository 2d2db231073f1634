import Testing

@testable import HTTPFront

@Suite struct DetachedDeadlinesTests {
    @Test func theFirstOfAllIsTheOneToWaitFor() {
        var deadlines = DetachedDeadlines()
        #expect(deadlines.first == .max)
        deadlines.owner = 5_000
        #expect(deadlines.first == 5_000)
        deadlines.input = 4_000
        deadlines.stall = 3_000
        #expect(deadlines.first == 3_000)
        deadlines.recheckLater(1_000, pauseMax: 1_500)
        #expect(deadlines.first == 1_000 + HTTPFrontLimits.halfClosedFirstRecheckMilliseconds)
        deadlines.endRechecks()
        #expect(deadlines.first == 3_000)
    }

    @Test func aHalfClosedPeerIsLookedAtMoreAndMoreRarelyUpToAMaximum() {
        var deadlines = DetachedDeadlines()
        var now: UInt64 = 0
        let pauses = (0..<5).map { _ in
            deadlines.recheckLater(now, pauseMax: 3_000)
            defer { now = deadlines.recheck }
            return deadlines.recheck - now
        }
        #expect(pauses == [500, 1_000, 2_000, 3_000, 3_000])
    }
}
