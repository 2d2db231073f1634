import Broadcasting
import TestSupport
import Testing

@Suite struct SubjectDemandTests {
    private typealias Demand = Subscribers.Demand

    @Test func noneIsAMaximumOfNothing() {
        #expect(Demand.none == .max(0))
        #expect(Demand.none.max == 0)
        #expect(Demand.max(Int.max).max == Int.max)
        #expect(Demand.unlimited.max == nil)
    }

    @Test func limitedDemandsAddAndSubtractLikeNumbersThatStopAtZero() {
        var random = SeededRandom(for: "demands")
        for _ in 0..<1_000 {
            let left = Int.random(in: 0...100, using: &random)
            let right = Int.random(in: 0...100, using: &random)
            #expect(Demand.max(left) + .max(right) == .max(left + right))
            #expect(Demand.max(left) - .max(right) == .max(max(0, left - right)))
            #expect(Demand.max(left) * right == .max(left * right))
            #expect((Demand.max(left) < .max(right)) == (left < right))
            var demand = Demand.max(left)
            demand += right
            demand -= left
            #expect(demand == .max(right))
        }
    }

    @Test func unlimitedStaysUnlimited() {
        for other in [Demand.none, .max(3), .max(Int.max), .unlimited] {
            #expect(Demand.unlimited + other == .unlimited)
            #expect(other + .unlimited == .unlimited)
            #expect(Demand.unlimited - other == .unlimited)
            #expect(other <= .unlimited)
        }
        #expect(Demand.max(3) - .unlimited == .none)
        #expect(Demand.unlimited * 2 == .unlimited)
        #expect(Demand.unlimited * 0 == .unlimited)
    }

    @Test func whatIsTooMuchToCountIsUnlimited() {
        #expect(Demand.max(Int.max) + 1 == .unlimited)
        #expect(Demand.max(Int.max) * 3 == .unlimited)
        #expect(Demand.max(Int.max) * 1 == .max(Int.max))
    }

    @Test func aDemandSaysWhatItIs() {
        #expect(Demand.max(3).description == "max(3)")
        #expect(Demand.unlimited.description == "unlimited")
    }

    @Test func aNegativeDemandStopsTheProcessWithASentence() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Subscribers.Demand.max(-1)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("a demand cannot be negative, and -1 is"))
    }

    @Test(.serialized, arguments: [0, -1, 65_537])
    func aBufferOutOfRangeStopsTheProcessWithASentence(count: Int) async throws {
        let handed = ExitTestValue(count, named: "buffer")
        defer { withExtendedLifetime(handed) {} }
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let count: Int = ExitTestValue.taken("buffer")
            _ = PassthroughSubject<Int, Never>().values(buffering: .oldest(count))
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("values buffers 1 to 65536 values, not \(count)"))
    }
}
