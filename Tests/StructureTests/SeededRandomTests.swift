import TestSupport
import Testing

@Suite struct SeededRandomTests {
    @Test func theNumbersAreThoseOfSplitMix64() {
        // The first outputs for this seed in the authors' public domain implementation.
        var random = SeededRandom(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func onePurposeHasTheSameNumbersAllThroughARun() {
        var first = SeededRandom(for: "repetition")
        var second = SeededRandom(for: "repetition")
        for _ in 0..<100 { #expect(first.next() == second.next()) }
    }

    @Test func anotherPurposeHasOtherNumbers() {
        var first = SeededRandom(for: "one purpose")
        var second = SeededRandom(for: "another purpose")
        #expect((0..<4).map { _ in first.next() } != (0..<4).map { _ in second.next() })
    }
}
