import Testing
import Wire

@Suite struct QuantityTests {
    @Test(
        "durations are read in their unit, bare numbers as seconds",
        arguments: [
            ("500ms", 500_000), ("30s", 30_000_000), ("10m", 600_000_000), ("24h", 86_400_000_000),
            ("7d", 604_800_000_000), ("0", 0), ("15", 15_000_000), ("007", 7_000_000),
            ("1h30m", 5_400_000_000), ("1m30s", 90_000_000), ("1s500ms", 1_500_000),
            ("1d2h3m4s5ms", 93_784_005_000), ("0h90m", 5_400_000_000),
        ] as [(String, Int64)])
    func durations(text: String, microseconds: Int64) {
        #expect(Quantity.microseconds(text) == microseconds)
    }

    @Test(
        "sizes are read in powers of 1,024",
        arguments: [("0", 0), ("17", 17), ("64K", 65_536), ("1M", 1 << 20), ("2G", 2 << 30)]
            as [(String, Int64)])
    func sizes(text: String, bytes: Int64) {
        #expect(Quantity.bytes(text) == bytes)
    }

    @Test(
        "what is no quantity, or does not fit, is none",
        arguments: [
            "", "s", "-1", "+1", "1.5s", "1 s", " 1", "1S", "1w", "1ss", "٣", "1e3",
            "99999999999999999999", "9999999999999999d", "999999999999999999G", "30m1h", "1h1h",
            "1h30", "1h 30m", "1hm", "h30m", "1h-30m", "1h30m1h", "106751991d4h55s", "1K1",
        ])
    func nonsense(text: String) {
        #expect(Quantity.microseconds(text) == nil)
        #expect(Quantity.bytes(text) == nil)
        #expect(Quantity.count(text) == nil)
    }

    @Test(
        "what is written is read back the same",
        arguments: [0, 1_000, 500_000, 1_000_000, 90_000_000, 86_400_000_000, 604_800_000_000]
            as [Int64])
    func roundTrip(value: Int64) {
        #expect(Quantity.microseconds(Quantity.text(microseconds: value)) == value)
        #expect(Quantity.bytes(Quantity.text(bytes: value)) == value)
    }
}
