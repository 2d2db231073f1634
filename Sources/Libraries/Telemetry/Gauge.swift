internal import Synchronization

/// A number that rises and falls: how much of something there is.
///
/// Safe from any thread; a change is one atomic instruction, in no order with other memory.
public final class Gauge: Sendable {
    private let amount = Atomic<Int>(0)

    /// A gauge at zero.
    public init() {}

    /// Changes it by `difference`, which may be negative, and returns the new amount.
    @discardableResult
    public func add(_ difference: Int) -> Int {
        amount.wrappingAdd(difference, ordering: .relaxed).newValue
    }

    /// How much there is.
    public var value: Int { amount.load(ordering: .relaxed) }
}
