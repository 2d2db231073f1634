/// What vanished topics lost, apart for the youngest `countMax` of them, together for the rest.
struct Tombstones {
    private struct Stone {
        let losses: Losses
        let serial: UInt64
    }

    private var stones: [TopicName: Stone] = [:]
    /// Oldest first; an entry whose serial is not the stone's is of a topic that came back.
    private var order = Ring<(name: TopicName, serial: UInt64)>()
    private var serial: UInt64 = 0
    private let countMax: Int

    /// What every topic lost, known or not.
    private(set) var floor: Losses

    init(floor: Losses, countMax: Int) {
        self.floor = floor
        self.countMax = countMax
    }

    var count: Int { stones.count }

    subscript(name: TopicName) -> Losses? { stones[name]?.losses }

    /// What the topics of a scope left behind.
    ///
    /// - Complexity: O(tombstones).
    func losses(matching scope: PatternScope) -> Losses {
        var losses = floor
        for (name, stone) in stones where scope.matches(name) { losses.rise(to: stone.losses) }
        return losses
    }

    mutating func add(_ name: TopicName, _ losses: Losses) {
        guard losses.removedThrough > floor.removedThrough else { return }
        serial += 1
        stones[name] = Stone(losses: losses, serial: serial)
        order.append((name, serial))
        while stones.count > countMax { mergeOldest() }
        if order.count > 2 * countMax + 16 { forgetStaleOrder() }
    }

    /// Takes the tombstone of a topic that comes back.
    mutating func take(_ name: TopicName) -> Losses? {
        stones.removeValue(forKey: name)?.losses
    }

    private mutating func mergeOldest() {
        let (name, serial) = order.removeFirst()
        guard let stone = stones[name], stone.serial == serial else { return }
        stones[name] = nil
        floor.rise(to: stone.losses)
    }

    private mutating func forgetStaleOrder() {
        var kept = Ring<(name: TopicName, serial: UInt64)>()
        for index in 0..<order.count {
            let entry = order[index]
            if stones[entry.name]?.serial == entry.serial { kept.append(entry) }
        }
        order = kept
    }
}
