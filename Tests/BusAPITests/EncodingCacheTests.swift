import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI

@Suite struct EncodingCacheTests {
    private func event(_ id: UInt64, bytes: Int = 10) throws -> Event {
        Event(
            id: EventID(rawValue: id), time: Timestamp(microseconds: 1), topic: try TopicName("t"),
            payload: Payload([UInt8](repeating: 0x78, count: bytes)),
            metadata: try EventMetadata(type: nil, key: nil, contentType: nil),
            sender: .unknown, isStored: false)
    }

    private func text(_ encoded: EncodedEvent, isFramed: Bool) -> String {
        withExtendedLifetime(encoded) {
            String(decoding: encoded.bytes(isFramed: isFramed), as: UTF8.self)
        }
    }

    @Test func anEncodingIsMadeOnceForEachForm() throws {
        let memory = MemoryBudget(bytesMax: 64 << 20)
        let cache = EncodingCache(memory: memory)
        let made = cache.encoded(try event(1), as: .line, isNews: true)
        #expect(cache.encoded(try event(1), as: .line, isNews: true) === made)
        #expect(cache.encoded(try event(1), as: .envelope, isNews: true) !== made)
        #expect(memory.used(.encodings) > 0)
    }

    @Test func framingIsPartOfItAndCanBeLeftOut() throws {
        let cache = EncodingCache(memory: MemoryBudget(bytesMax: 64 << 20))
        for encoding in EventEncoding.allCases {
            let encoded = cache.encoded(try event(7, bytes: 300), as: encoding, isNews: true)
            let bare = text(encoded, isFramed: false)
            let (prefix, suffix) = encoding.framing(of: bare.utf8.count)
            #expect(
                text(encoded, isFramed: true) == String(decoding: prefix, as: UTF8.self) + bare
                    + String(decoding: suffix, as: UTF8.self))
            var written: [UInt8] = []
            encoding.write(try event(7, bytes: 300), to: &written)
            #expect(bare == String(decoding: written, as: UTF8.self))
        }
    }

    @Test func thePastIsNotKept() throws {
        let memory = MemoryBudget(bytesMax: 64 << 20)
        let cache = EncodingCache(memory: memory)
        let made = cache.encoded(try event(1), as: .line, isNews: false)
        #expect(memory.used(.encodings) == 0)
        #expect(cache.encoded(try event(1), as: .line, isNews: true) !== made)
    }

    @Test func theNewestAreKeptWithinTheBoundAndOlderOnesDoNotComeBack() throws {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        do {
            let cache = EncodingCache(memory: memory)
            for id in 1...100 as ClosedRange<UInt64> {
                _ = cache.encoded(try event(id, bytes: 10_000), as: .line, isNews: true)
                #expect(memory.used(.encodings) <= (1 << 20) / Limits.encodingsMemoryFraction)
            }
            let newest = cache.encoded(try event(100, bytes: 10_000), as: .line, isNews: true)
            #expect(cache.encoded(try event(100), as: .line, isNews: true) === newest)
            let oldest = cache.encoded(try event(1, bytes: 10_000), as: .line, isNews: true)
            #expect(cache.encoded(try event(1), as: .line, isNews: true) !== oldest)
            #expect(cache.encoded(try event(100), as: .line, isNews: true) === newest)
        }
        #expect(memory.used(.encodings) == 0)
    }

    @Test func whatIsTooLargeToKeepIsSharedWhileSomebodySendsIt() throws {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        let cache = EncodingCache(memory: memory)
        let large = try event(5, bytes: 200_000)
        var sent: EncodedEvent? = cache.encoded(large, as: .line, isNews: true)
        #expect(cache.encoded(large, as: .line, isNews: true) === sent)
        #expect(cache.encoded(large, as: .streamedPayload, isNews: false) !== sent)
        weak let gone = sent
        sent = nil
        #expect(gone == nil && memory.used(.encodings) == 0)
    }
}
