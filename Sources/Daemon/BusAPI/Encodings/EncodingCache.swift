internal import HTTPFront
internal import Telemetry
internal import Topics

/// The encodings of recent events, so that each is made once per loop and form.
///
/// Belongs to one loop and is not shared. Holds the newest encodings that fit its bounds; the
/// oldest go first. It is charged to the bus's memory as it grows. All caches together leave most
/// of that memory to the events, however small it is and however many loops there are: an encoding
/// can be made again, an event cannot. A reader of old events does not push out the new ones.
///
/// - Complexity: O(1) per look-up beside the encoding itself.
final class EncodingCache {
    /// An event in one form. Ids have 53 bits, so that both fit in one number: every delivery
    /// hashes one.
    private struct Key: Hashable {
        private let number: UInt64

        init(_ id: EventID, _ encoding: EventEncoding) {
            number = id.rawValue << 8 | UInt64(encoding.rawValue)
        }

        var id: EventID { EventID(rawValue: number >> 8) }
    }

    private var entries: [Key: EncodedEvent] = [:]
    private var order: [Key] = []
    private var firstInOrder = 0
    /// The newest event of which an encoding had to go: older ones are not kept again.
    private var dropped = EventID.zero
    private var bytes = 0
    private let memory: MemoryBudget
    private var scratch: [UInt8] = []

    /// The encoding that was asked for last, if it is kept. Most readers ask for the same one as
    /// the reader before them.
    private var latest: (key: Key, encoded: EncodedEvent)?

    /// The last encoding that was too large to keep, for as long as somebody still sends it.
    private weak var large: EncodedEvent?
    private var largeKey: Key?

    /// The headers of the raw event that was asked for last.
    private var lastHeaders: (id: EventID, lines: HeaderLines)?

    init(memory: MemoryBudget) {
        self.memory = memory
    }

    private var bytesOfAllMax: Int { memory.bytesMax / Limits.encodingsMemoryFraction }
    private var bytesMax: Int { min(Limits.encodingCacheBytesMax, bytesOfAllMax) }

    deinit { memory.release(bytes, from: .encodings) }

    /// The encoding of `event`, made now if it is not kept.
    ///
    /// - Parameter isNews: Whether others are likely to want it soon; if not, it is not kept.
    func encoded(_ event: Event, as encoding: EventEncoding, isNews: Bool) -> EncodedEvent {
        let key = Key(event.id, encoding)
        if let latest, latest.key == key { return latest.encoded }
        if let kept = entries[key] {
            latest = (key, kept)
            return kept
        }
        if key == largeKey, let large { return large }
        let made = EncodedEvent(event, as: encoding, scratch: &scratch)
        if scratch.capacity > Limits.encodingScratchBytesMax { scratch = [] }
        if isNews, event.id > dropped { keep(made, for: key) }
        return made
    }

    /// The headers of a raw event. Those of the last one are kept, because the clients that wait
    /// for it are answered one after the other.
    func headers(of event: Event) -> HeaderLines {
        if let lastHeaders, lastHeaders.id == event.id { return lastHeaders.lines }
        let lines = RawEvent.headers(of: event)
        lastHeaders = (event.id, lines)
        return lines
    }

    private func keep(_ encoded: EncodedEvent, for key: Key) {
        let count = encoded.memoryBytes
        guard count <= bytesMax else {
            large = encoded
            largeKey = key
            return
        }
        while !fits(count) {
            guard bytes > 0 else { return }
            dropOldest()
        }
        entries[key] = encoded
        order.append(key)
        bytes += count
        memory.charge(count, to: .encodings)
    }

    private func fits(_ count: Int) -> Bool {
        bytes + count <= bytesMax && memory.used(.encodings) + count <= bytesOfAllMax
    }

    private func dropOldest() {
        let key = order[firstInOrder]
        guard let gone = entries.removeValue(forKey: key) else { return }
        dropped = max(dropped, key.id)
        if latest?.key == key { latest = nil }
        firstInOrder += 1
        bytes -= gone.memoryBytes
        memory.release(gone.memoryBytes, from: .encodings)
        if firstInOrder > 1_024, firstInOrder * 2 > order.count {
            order.removeFirst(firstInOrder)
            firstInOrder = 0
        }
    }
}
