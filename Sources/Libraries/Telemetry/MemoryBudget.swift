internal import Synchronization

/// The memory that everything kept for others may take together, and the memory that it takes now.
///
/// Adds up the bytes that its users report, each for its own use; it does not measure, refuse or
/// free anything. Code that is about to keep more asks for ``excess`` and makes room first.
///
/// Safe from any thread. Sums are exact once nobody changes them; while others do, a sum may miss a
/// charge of that moment.
public final class MemoryBudget: Sendable {
    /// The uses of memory.
    public enum Use: Int, Sendable, CaseIterable {
        /// Payloads in the log, and the cost of each event beside its payload.
        case events
        /// The cost of each topic and tombstone.
        case topics
        /// Encoded forms of events that loops keep.
        case encodings
        /// Bodies on their way in.
        case bodies
        /// Answers that a slow reader has not taken yet.
        case unsent
        /// The state that readers of many topics keep between two answers.
        case reads
        /// Patterns, lists of names and attributes that readers wait for.
        case selectors
        /// Keys of publishes that are remembered.
        case keys
        /// Events that are held until they are due, and how others ended.
        case later
        /// Work groups, their open jobs and those that wait for others of their key.
        case work
    }

    /// The bound, in bytes; may change at any time.
    public var bytesMax: Int {
        get { bound.load(ordering: .relaxed) }
        set { bound.store(newValue, ordering: .relaxed) }
    }

    private let bound: Atomic<Int>
    private let gauges = Use.allCases.map { _ in Gauge() }
    private let total = Gauge()

    /// A budget of `bytesMax` bytes, all free.
    public init(bytesMax: Int) {
        bound = Atomic(bytesMax)
    }

    /// Counts `bytes` as taken.
    public func charge(_ bytes: Int, to use: Use) {
        gauges[use.rawValue].add(bytes)
        total.add(bytes)
    }

    /// Counts `bytes` as free again, as many as were charged.
    public func release(_ bytes: Int, from use: Use) {
        charge(-bytes, to: use)
    }

    /// The bytes taken for one use.
    public func used(_ use: Use) -> Int { gauges[use.rawValue].value }

    /// The bytes taken for all uses together.
    public var used: Int { total.value }

    /// How far above its bound the budget is, in bytes; 0 within it.
    public var excess: Int { max(0, used - bytesMax) }
}
