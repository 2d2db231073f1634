/// A loop's connections by slot.
///
/// A slot is used again under a new generation, so that events meant for its last connection do not
/// reach the next.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var generations: [UInt32] = []
    private var free: [Int] = []

    /// How many connections there are.
    private(set) var count = 0

    /// Makes the record of a new connection.
    mutating func insert(descriptor: Int32, peer: Peer) -> Connection {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = slots.count
            slots.append(nil)
            generations.append(0)
        }
        // 0 is left out: it marks the loop's own descriptors.
        generations[slot] = generations[slot] == .max ? 1 : generations[slot] + 1
        let connection = Connection(
            slot: slot, generation: generations[slot], descriptor: descriptor, peer: peer)
        slots[slot] = connection
        count += 1
        return connection
    }

    /// Forgets a connection and frees its slot.
    mutating func remove(_ connection: Connection) {
        assert(slots[connection.slot] === connection, "a connection is removed once")
        slots[connection.slot] = nil
        free.append(connection.slot)
        count -= 1
    }

    /// The connection in a slot at this moment.
    subscript(slot: Int) -> Connection? {
        slot < slots.count ? slots[slot] : nil
    }

    /// The connection with this token of the poller; nil when it has gone.
    subscript(token token: UInt64) -> Connection? {
        guard let connection = self[Int(token & 0xFFFF_FFFF)],
            connection.generation == UInt32(token >> 32)
        else { return nil }
        return connection
    }

    /// All connections at this moment.
    var all: [Connection] { slots.compactMap { $0 } }
}
