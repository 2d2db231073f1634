internal import Protection

/// Counters by name, for things of which there are a few dozen kinds and that happen rarely.
///
/// Safe from any thread; an addition takes a lock. Names are the program's own, never a client's,
/// so that there is a bound on how many there are.
public final class CounterTable: Sendable {
    private let table = Protected([String: Int]())

    /// A table without names.
    public init() {}

    /// Counts one more of this name.
    public func add(_ name: String) {
        table.write { $0[name, default: 0] += 1 }
    }

    /// How often each happened; names that never did are left out.
    public var counts: [String: Int] { table.value }
}
