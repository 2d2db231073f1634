internal import Telemetry
internal import Topics

/// The encoded envelopes of recent events, so that each is made once per loop.
///
/// Belongs to one loop and is not shared. Holds the newest that fit its bound, oldest out first,
/// and is charged to the bus's memory as it grows.
///
/// - Complexity: O(1) per look-up beside the encoding itself.
final class EncodingCache {
    private var entries: [EventID: [UInt8]] = [:]
    private var order: [EventID] = []
    private var firstInOrder = 0
    private var bytes = 0
    private let bytesMax: Int
    private let memory: MemoryBudget

    init(bytesMax: Int, memory: MemoryBudget) {
        self.bytesMax = bytesMax
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
        while bytes + encoded.count > bytesMax { dropOldest() }
        entries[id] = encoded
        order.append(id)
        bytes += encoded.count
        memory.charge(encoded.count, to: .encodings)
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
