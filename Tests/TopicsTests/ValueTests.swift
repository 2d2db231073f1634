import TestSupport
import Testing
import Topics

struct ValueTests {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("0007", 7), ("9007199254740991", 9_007_199_254_740_991),
    ])
    func anIDIsItsDecimalDigits(text: String, number: UInt64) {
        #expect(EventID(decimal: text)?.rawValue == number)
    }

    @Test(arguments: [
        "", "-1", "+1", " 1", "1 ", "1.0", "0x1", "9007199254740992", "00000000000000001",
        "99999999999999999999", "١",
    ])
    func anythingElseIsNoID(text: String) {
        #expect(EventID(decimal: text) == nil)
    }

    @Test func anAttributeIsPrintableAndHasNoOuterSpaces() throws {
        let most = String(repeating: "x", count: 255)
        let metadata = try EventMetadata(type: "a b", key: most, contentType: "text/plain")
        #expect(metadata.type == "a b")
        #expect(metadata.key == most)
        #expect(metadata.contentType == "text/plain")
        #expect(try EventMetadata(type: nil, key: nil, contentType: nil) == .none)
        #expect(try EventMetadata(type: "$gap", key: nil, contentType: nil).isReserved)
        #expect(!metadata.isReserved)
    }

    @Test(arguments: [
        "", " a", "a ", "a\n", "\u{7F}", "ä", String(repeating: "x", count: 256),
    ])
    func aBadAttributeIsRefusedByName(text: String) {
        let type = #expect(throws: MetadataError.self) {
            try EventMetadata(type: text, key: nil, contentType: nil)
        }
        #expect(type?.field == .type)
        let key = #expect(throws: MetadataError.self) {
            try EventMetadata(type: nil, key: text, contentType: nil)
        }
        #expect(key?.field == .key)
        let contentType = #expect(throws: MetadataError.self) {
            try EventMetadata(type: nil, key: nil, contentType: text)
        }
        #expect(contentType?.field == .contentType)
        #expect(contentType?.detail.contains("content type") == true)
    }

    /// Of an event in memory, and of the row of one in a store.
    @Test(
        arguments: [
            (nil, nil, true), ("t", nil, true), ("$silent", nil, false),
            ("$silent", "since=now", false), ("$silent", "deadgroup=g", true),
            ("$silent", "a=1\ndeadhops=2", true), ("$silent", "a=dead", false),
        ] as [(String?, String?, Bool)])
    func anEventOfTheBusIsActedOnByNameAlone(
        type: String?, kept: String?, isWanted: Bool
    ) throws {
        let attributes = try EventAttributes(text: kept ?? "")
        let metadata = try EventMetadata(type: type).with(attributes, expires: nil)
        let stored = { (filter: EventFilter) in
            filter.admits({ $0 == .type ? type : nil }, attributes: { kept })
        }
        let filter = EventFilter.all.toActOn
        #expect(filter.admits(metadata) == isWanted && stored(filter) == isWanted)
        let all = [EventFilter.all, filter.toPassBy, EventFilter(type: type, key: nil).toActOn]
        #expect(all.allSatisfy { $0.admits(metadata) && stored($0) })
    }

    @Test func aPayloadHoldsItsBytesAtOneAddress() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let payload = Payload(bytes)
        let copy = payload
        #expect(copy.array == bytes)
        #expect(copy.bytes.baseAddress == payload.bytes.baseAddress)
        #expect(Payload.empty.array == [])
        #expect(Payload(count: 3) { $0.copyBytes(from: [1, 2, 3]) }.array == [1, 2, 3])
    }

    // MARK: Times

    @Test(arguments: [
        ("1970-01-01T00:00:00.000000Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("2000-02-29T12:34:56.000001Z", 951_827_696_000_001),
        ("2026-01-02T03:04:05.678901Z", 1_767_323_045_678_901),
        ("2100-03-01T00:00:00.000000Z", 4_107_542_400_000_000),
        ("0000-01-01T00:00:00.000000Z", -62_167_219_200_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ])
    func aTimeAndItsTextAreTheSame(text: String, microseconds: Int64) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:01Z", 1_000_000), ("1970-01-01t00:00:01.5z", 1_500_000),
        ("1970-01-01 00:00:01Z", 1_000_000), ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T18:30:00-05:30", 0), ("1970-01-01T00:00:00.1234567Z", 123_456),
        ("1970-01-01T00:00:00-00:00", 0), ("2016-12-31T23:59:60Z", 1_483_228_799_999_999),
    ])
    func everyWritingOfRFC3339IsUnderstood(text: String, microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "1970", "1970-01-01", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z", "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "1970-01-32T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:61Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00+0100",
        "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00Zx", "+970-01-01T00:00:00Z",
        "1970-1-01T00:00:00Z", "1970-01-01T00:00:00." + String(repeating: "1", count: 60) + "Z",
    ])
    func anythingElseIsNoTime(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func everyMomentComesBackFromItsText() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let microseconds = Int64.random(
                in: -62_167_219_200_000_000...253_402_300_799_999_999, using: &random)
            let time = Timestamp(microseconds: microseconds)
            guard Timestamp(rfc3339: time.rfc3339) == time else {
                Issue.record("\(microseconds) became \(time.rfc3339)")
                return
            }
        }
    }

    @Test func momentsBeyondTheFormatBecomeItsEnds() {
        #expect(Timestamp(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .min).rfc3339 == "0000-01-01T00:00:00.000000Z")
        #expect(
            Timestamp(microseconds: .max).advanced(microseconds: 1) == Timestamp(microseconds: .max)
        )
        #expect(Timestamp.distantPast.advanced(microseconds: -1) == .distantPast)
    }

    @Test func theClockOfTheMachineIsOfThisCentury() {
        let text = SystemClock().now().rfc3339
        #expect(text.hasPrefix("20"))
        #expect(SystemClock().now() >= Timestamp(rfc3339: "2025-01-01T00:00:00Z")!)
    }
}
