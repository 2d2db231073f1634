internal import Queues

/// Which events of one topic wait for a work group: retention takes them only once they are settled.
///
/// It follows the group some events at a time, so it may hold more for a while, never less.
struct TopicHold {
    /// Events from here on are held.
    private(set) var from = EventID.zero
    /// Bytes that the events before `from` take in memory.
    private(set) var freeBytes = 0

    /// Follows a group that needs events from `id` on, up to a maximum of events. Returns how many it
    /// looked at.
    mutating func move(to id: EventID, in ring: Ring<Event>, atMost countMax: Int) -> Int {
        if id < from { self = TopicHold() }
        var index = ring.partition(0..<ring.count) { $0.id >= from }
        let begin = index
        let end = min(ring.count, index + countMax)
        while index < end, ring[index].id < id {
            freeBytes += ring[index].memoryBytes
            index += 1
        }
        from = index < ring.count ? min(ring[index].id, id) : id
        return index - begin
    }

    /// Notes that memory let an event go.
    mutating func note(dropped event: Event) {
        if event.id < from { freeBytes -= event.memoryBytes }
    }

    func holds(_ id: EventID) -> Bool { id >= from }

    /// Bytes of the held events in the store, about: as if they were spread evenly over ids.
    func bytes(of older: OlderEvents, overhead: Int) -> Int {
        let all = older.sum.bytes + older.sum.count * overhead
        if older.newest < from { return 0 }
        if older.oldest >= from { return all }
        let span = Double(older.newest.rawValue - older.oldest.rawValue)
        return Int(Double(all) * Double(older.newest.rawValue - from.rawValue) / span)
    }
}

/// Bytes that retention cannot take.
struct HeldBytes: Equatable {
    /// Bytes of events that memory alone has.
    var memory = 0
    /// Bytes of events that the store has, about.
    var store = 0

    /// Replaces the old bytes of one topic in a sum by its new ones.
    mutating func change(from old: HeldBytes, to new: HeldBytes) {
        memory += new.memory - old.memory
        store += new.store - old.store
    }
}
