import Testing
import Topics
import Wire

@Suite struct SinceTests {
    @Test(
        "every form of since means its place",
        arguments: [
            ("now", .now), ("earliest", .earliest), ("0", .earliest), ("latest", .latest),
            ("17", .after(EventID(rawValue: 17))),
            ("9007199254740991", .after(EventID(rawValue: 9_007_199_254_740_991))),
            ("-1", .last(1)), ("-250", .last(250)), ("10m", .ago(microseconds: 600_000_000)),
            ("500ms", .ago(microseconds: 500_000)),
            ("@1700000000", .time(Timestamp(microseconds: 1_700_000_000_000_000))),
            ("@1700000000.25", .time(Timestamp(microseconds: 1_700_000_000_250_000))),
            ("@0.0000019", .time(Timestamp(microseconds: 1))),
            ("1970-01-01T00:00:01Z", .time(Timestamp(microseconds: 1_000_000))),
            ("1970-01-02", .time(Timestamp(microseconds: 86_400_000_000))),
            ("2026-11-22", .time(Timestamp(microseconds: 1_795_305_600_000_000))),
            ("1h30m", .ago(microseconds: 5_400_000_000)),
        ] as [(String, StartPosition)])
    func forms(text: String, position: StartPosition) {
        #expect(Since.position(text) == position)
    }

    @Test(
        "what has no form is no cursor",
        arguments: [
            "", " ", "-", "-0", "--1", "-1x", "1x", "Now", "@", "@x", "@1.", "@1.x", "@.5", "@-1",
            "@99999999999999", "9007199254740992", "12345678901234567890", "10 m", "1970-1-01",
            "1970-13-01", "2001-02-29", "1970-01-01Z", "197001-01", "yesterday", "+5", "30m1h",
        ])
    func nonsense(text: String) {
        #expect(Since.position(text) == nil)
    }

    @Test(
        "digits that are a Unix time near now are not taken for an id",
        arguments: [
            ("1795305600", "@1795305600"), ("1795305600123", "@1795305600.123"),
            ("1795305600123456789", "@1795305600.123456789"), ("1480000000", "@1480000000"),
            ("2110000000", "@2110000000"),
        ])
    func unixTimes(digits: String, meant: String) {
        let now = Timestamp(microseconds: 1_795_305_600_000_000)
        #expect(Since.meant(by: digits, now: now) == meant)
        #expect(Since.position(meant) != nil)
    }

    @Test(
        "other digits stay ids, those of this bus's clock among them",
        arguments: [
            "0", "1", "17", "1479000000", "2111000000", "0000000001", "9999999999999",
            "1795305600123456", "179530560012", "x795305600",
        ])
    func ids(digits: String) {
        #expect(
            Since.meant(by: digits, now: Timestamp(microseconds: 1_795_305_600_000_000)) == nil)
    }

    @Test func lastEventIDTakesIdsOnly() {
        #expect(Since.lastEventID("17") == .after(EventID(rawValue: 17)))
        #expect(Since.lastEventID("0") == .earliest)
        for text in ["now", "-1", "10m", "@1", "x", "17 "] {
            #expect(Since.lastEventID(text) == nil)
        }
    }
}
