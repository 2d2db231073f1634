/// The connections of one loop at one moment, counted by phase; for people to read.
public struct LoopInventory: Sendable, CustomStringConvertible {
    /// Which loop it is.
    public let index: Int

    private let counts: [(phase: String, count: Int)]

    init(index: Int, _ connections: ConnectionTable) {
        self.index = index
        var counts: [String: Int] = [:]
        for connection in connections.all { counts[connection.machine.phase.name, default: 0] += 1 }
        self.counts = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// `parked=2 waiting=1`, the phases in which there are none left out.
    public var description: String {
        counts.isEmpty
            ? "no connections"
            : counts.map { "\($0.phase)=\($0.count)" }.joined(separator: " ")
    }
}
