internal import Queues

/// The losses of vanished topics: apart for the youngest `countMax` of them, together for the rest.
struct Tombstones {
    private struct Stone {
        let losses: Losses
        /// The newest event that the name had; zero where it was removed.
        var newest: EventID
        let number: UInt64
    }

    private var stones: [TopicName: Stone] = [:]
    /// Oldest first; an entry whose number is not the stone's is of a topic that came back.
    private var order = Ring<(name: TopicName, number: UInt64)>()
    private let countMax: Int

    /// The losses that count for every topic, known by name or not.
    private(set) var floor: Losses
    /// The number of the loss that raised the floor last.
    private(set) var floorNumber: UInt64 = 0
    /// The highest number of a tombstone that was forgotten, or was never kept by its name.
    private(set) var forgottenNumber: UInt64 = 0

    init(floor: Losses, countMax: Int) {
        self.floor = floor
        self.countMax = countMax
    }

    var count: Int { stones.count }

    subscript(name: TopicName) -> Losses? { stones[name]?.losses }

    /// The newest event of a topic that vanished; zero where nothing is known of it, and where it was removed.
    func newest(of name: TopicName) -> EventID { stones[name]?.newest ?? .zero }

    /// The first tombstone behind a number, by which they are in order.
    ///
    /// - Complexity: O(log tombstones + topics that came back).
    func next(after number: UInt64) -> (name: TopicName, losses: Losses, number: UInt64)? {
        var index = order.partition(0..<order.count) { $0.number > number }
        while index < order.count {
            let entry = order[index]
            if let stone = stones[entry.name], stone.number == entry.number {
                return (entry.name, stone.losses, entry.number)
            }
            index += 1
        }
        return nil
    }

    /// Visits the tombstones behind a number, as long as they are no more than `countMax`; false
    /// where there are more.
    func visit(
        since number: UInt64, atMost countMax: Int, _ body: (TopicName, Losses) -> Void
    ) -> Bool {
        var index = order.count
        var left = countMax
        while index > 0, order[index - 1].number > number {
            guard left > 0 else { return false }
            left -= 1
            index -= 1
            let entry = order[index]
            if let stone = stones[entry.name], stone.number == entry.number {
                body(entry.name, stone.losses)
            }
        }
        return true
    }

    /// The newest event of a topic that vanished is known to be this one; zero for none.
    mutating func set(newest id: EventID, of name: TopicName) { stones[name]?.newest = id }

    /// Adds a tombstone, whose number is above that of the others.
    mutating func add(_ name: TopicName, _ losses: Losses, newest: EventID, number: UInt64) {
        guard losses.removedThrough > floor.removedThrough else {
            forgottenNumber = number
            return
        }
        stones[name] = Stone(losses: losses, newest: newest, number: number)
        order.append((name, number))
        while stones.count > countMax { mergeOldest(number: number) }
        if order.count / 2 > max(stones.count, 16) { forgetStaleOrder() }
    }

    /// Raises the floor, and forgets the tombstones that it covers. `number` is above that of every
    /// tombstone.
    mutating func raise(to losses: Losses, number: UInt64) {
        floor.rise(to: losses)
        floorNumber = number
        for (name, stone) in stones where stone.losses.removedThrough <= losses.removedThrough {
            forgottenNumber = max(forgottenNumber, stone.number)
            stones[name] = nil
        }
        forgetStaleOrder()
    }

    /// Takes the tombstone of a topic that comes back.
    mutating func take(_ name: TopicName) -> Losses? {
        stones.removeValue(forKey: name)?.losses
    }

    private mutating func mergeOldest(number: UInt64) {
        let (name, own) = order.removeFirst()
        guard let stone = stones[name], stone.number == own else { return }
        stones[name] = nil
        floor.rise(to: stone.losses)
        floorNumber = number
        forgottenNumber = max(forgottenNumber, own)
    }

    private mutating func forgetStaleOrder() {
        var kept = Ring<(name: TopicName, number: UInt64)>()
        for index in 0..<order.count {
            let entry = order[index]
            if stones[entry.name]?.number == entry.number { kept.append(entry) }
        }
        order = kept
    }
}
