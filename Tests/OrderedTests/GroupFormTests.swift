import TestSupport
import Testing
import Topics

@testable import Ordered

@Suite struct GroupFormTests {
    @Test func aGroupComesBackAsTheSameBytesAndEntries() throws {
        var samples = GroupSamples(SeededRandom(for: "groups of an order"))
        for _ in 0..<300 {
            let form = try samples.form()
            let back = try GroupForm(form.bytes)
            #expect(back.bytes == form.bytes)
            #expect(back.rules == form.rules && back.issuer == form.issuer)
            switch (form.content, back.content) {
            case (.part(let part), .part(let other)): #expect(part == other)
            case (.entries(let entries, let settings), .entries(let others, let other)):
                #expect(settings == other)
                #expect(entries.map(GroupSamples.words) == others.map(GroupSamples.words))
            default: Issue.record("another kind")
            }
        }
    }

    @Test func aGroupThatIsCutOrLongerIsRefused() throws {
        var samples = GroupSamples(SeededRandom(for: "cut groups"))
        let bytes = try samples.form(entries: 3).bytes
        for count in bytes.indices {
            #expect(throws: GroupFormError.self, "\(count) bytes") {
                try GroupForm(Array(bytes[..<count]))
            }
        }
        #expect(throws: GroupFormError.self) { try GroupForm(bytes + [0]) }
    }

    @Test func aGroupWithAChangedByteIsRefused() throws {
        var samples = GroupSamples(SeededRandom(for: "changed groups"))
        let bytes = try samples.form(entries: 3).bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: GroupFormError.self, "bit \(bit) of byte \(index)") {
                    try GroupForm(changed)
                }
            }
        }
    }

    /// Also where its sum is right: somebody wrote it so.
    @Test func aNumberInTwoWaysIsRefused() throws {
        for (bytes, isNumber) in [
            ([0x00], true), ([0x7F], true), ([0x80, 0x01], true), ([0x80, 0x00], false),
            ([0x81, 0x80, 0x00], false),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], true),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], false),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x01], false),
            ([0x80], false), ([], false),
        ] as [([UInt8], Bool)] {
            let number = bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                return try? reader.number()
            }
            #expect((number != nil) == isNumber, "\(bytes)")
            guard let number else { continue }
            var writer = ByteWriter()
            writer.write(number)
            #expect(writer.bytes == bytes)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 63, 64, .max])
    func aNumberWithASignComesBack(number: Int64) throws {
        var writer = ByteWriter()
        writer.write(signed: number)
        let back = try writer.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try reader.signed()
        }
        #expect(back == number)
    }

    @Test func aGroupOfANewerVersionSaysToRunThatOne() throws {
        var samples = GroupSamples(SeededRandom(seed: 1))
        var bytes = try samples.form(entries: 1).bytes
        bytes[2] = GroupForm.version + 1
        let error = #expect(throws: GroupFormError.self) { try GroupForm(bytes) }
        #expect(error == .newer(version: GroupForm.version + 1))
        #expect(error?.description.contains("run the newer one on this host too") == true)
    }

    /// No file could be opened with it.
    @Test func aNumberOfAWorkGroupThatNoGroupHasIsRefused() throws {
        let issuer = GroupForm.Issuer(
            host: "a", time: Timestamp(microseconds: 1), sequence: 1, chain: 1)
        for (number, isOne) in [
            (0, false), (1, true), (GroupNumber.max.rawValue, true),
            (GroupNumber.max.rawValue + 1, false), (.max, false),
        ] as [(Int64, Bool)] {
            let request = GroupRequest(
                LeaseToken(high: 1, low: 1), to: GroupNumber(rawValue: number), .remove)
            let form = GroupForm(
                rules: 1, issuer: issuer, content: .entries([.request(request)], settings: nil))
            let back = try? GroupForm(form.bytes)
            #expect((back != nil) == isOne, "\(number)")
        }
    }

    /// A host with another clock sees the same end.
    @Test func theEndOfAnEventFollowsFromTheTimeOfTheOrder() throws {
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        let at = Timestamp(microseconds: 5_000_000)
        for (ttl, end) in [(nil, nil), (1, 5_000_001), (60_000_000, 65_000_000)]
            as [(Int64?, Int64?)]
        {
            let entry = OrderedEntry.publish(batch, ttl: ttl, owner: 7)
            guard
                case .entry(.events(let applied, persists: true, owner: 7)) = entry.applied(at: at)
            else {
                Issue.record("another entry")
                continue
            }
            #expect(applied.metadata.expires?.microseconds == end)
        }
    }

    @Test func aSmallEventTakesFewBytes() throws {
        let batch = PublishBatch(
            topic: try TopicName("deploys"), sender: Sender(uid: 1_000, pid: nil),
            payloads: [Payload(Array("v1.2 is live".utf8))])
        let issuer = GroupForm.Issuer(
            host: "a", time: Timestamp(microseconds: 1_700_000_000_000_000), sequence: 1_000_000,
            chain: .max)
        let form = GroupForm(
            rules: 1, issuer: issuer,
            content: .entries([.publish(batch, ttl: nil, owner: 1_000)], settings: nil))
        #expect(form.bytes.count == 79)
    }
}
