internal import Telemetry
internal import Topics

/// The encoded envelopes of recent events, so that each is made once per loop.
///
/// Belongs to one loop and is not shared. Holds the newest that fit its bounds, oldest out first,
/// and is charged to the bus's memory as it grows. All caches together leave most of that memory
/// to the events, however small it is and however many loops there are: an encoding can be made
/// again, an event cannot.
///
/// - Complexity: O(1) per look-up beside the encoding itself.
final class EncodingCache {
    private var entries: [EventID: [UInt8]] = [:]
    private var order: [EventID] = []
    private var firstInOrder = 0
    private var bytes = 0
    private let bytesMax: Int
    private let bytesOfAllMax: Int
    private let memory: MemoryBudget

    init(memory: MemoryBudget) {
        bytesOfAllMax = memory.bytesMax / Limits.encodingsMemoryFraction
        bytesMax = min(Limits.encodingCacheBytesMax, bytesOfAllMax)
        self.memory = memory
    }

    deinit { memory.release(bytes, from: .encodings) }

    /// The envelope of `event`, made now if it is not kept.
    func envelope(of event: Event) -> [UInt8] {
        if let kept = entries[event.id] { return kept }
        var json = JSONWriter(reserving: event.payload.count + 160)
        Envelope.write(event, to: &json)
        keep(json.bytes, for: event.id)
        return json.bytes
    }

    private func keep(_ encoded: [UInt8], for id: EventID) {
        guard encoded.count <= bytesMax else { return }
        while !fits(encoded.count) {
            guard bytes > 0 else { return }
            dropOldest()
        }
        entries[id] = encoded
        order.append(id)
        bytes += encoded.count
        memory.charge(encoded.count, to: .encodings)
    }

    private func fits(_ count: Int) -> Bool {
        bytes + count <= bytesMax && memory.used(.encodings) + count <= bytesOfAllMax
    }

    private func dropOldest() {
        guard let dropped = entries.removeValue(forKey: order[firstInOrder]) else { return }
        firstInOrder += 1
        bytes -= dropped.count
        memory.release(dropped.count, from: .encodings)
        if firstInOrder > 1_024, firstInOrder * 2 > order.count {
            order.removeFirst(firstInOrder)
            firstInOrder = 0
        }
    }
}
