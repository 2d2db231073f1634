import Testing

@testable import BelfryDaemon

/// When free memory is given back to the system.
@Suite struct FreedMemoryTests {
    private static let much = Limits.freedBytes

    /// What is said at each look.
    private func looks(at used: [Int]) -> [Bool] {
        var freed = FreedMemory()
        return used.map { freed.isDue(at: $0) }
    }

    @Test func itIsGivenBackOnceMuchWasFreedAndNoMoreGoes() {
        let base = 100 << 20
        #expect(
            looks(at: [base, base + 3 * Self.much, base + Self.much, base, base, base])
                == [false, false, false, false, true, false])
    }

    @Test func littleIsKept() {
        #expect(
            looks(at: [Self.much - 1, 0, 0, Self.much, 1, 1]) == [Bool](repeating: false, count: 6))
    }

    @Test func whatIsFreedBitByBitAddsUp() {
        let steps = (0...16).map { Self.much - $0 * Self.much / 16 }
        #expect(looks(at: steps).filter { $0 }.count == 1)
        #expect(looks(at: steps).last == true)
    }
}
