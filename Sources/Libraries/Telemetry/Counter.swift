internal import Synchronization

/// A number that only rises: how often something happened.
///
/// Safe from any thread; an addition is one atomic instruction, in no order with other memory.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    /// A counter at zero.
    public init() {}

    /// Counts `amount` more, which is not negative.
    public func add(_ amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// How often it happened.
    public var value: Int { count.load(ordering: .relaxed) }
}
