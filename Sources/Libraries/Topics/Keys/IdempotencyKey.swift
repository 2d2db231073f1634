/// The key of a publish: a repeat with the same key makes no second event.
///
/// A store remembers a key with its events, for a window of time. In a series each publish has a number
/// above the one before, and the store remembers the last one alone, for a window of time behind it.
package struct IdempotencyKey: Hashable, Sendable {
    /// Names a publisher, a topic and a key: 128 bits of a digest, by which nobody finds another key with
    /// the same name.
    package struct Identity: Hashable, Sendable {
        package let high: UInt64
        package let low: UInt64

        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    package let identity: Identity
    /// Equal for publishes of the same events: a digest over all that their publisher said.
    package let print: UInt64
    /// The number in a series; nil for a key that stands alone.
    package let number: UInt64?
    /// How long it is remembered, in seconds.
    package let windowSeconds: UInt32
    /// Whether it only asks: a publish that would be new makes no event.
    package private(set) var asks = false

    /// The same key of a publish that only asks.
    package var asking: IdempotencyKey {
        var key = self
        key.asks = true
        return key
    }

    package init(
        _ identity: Identity, print: UInt64, number: UInt64? = nil, windowSeconds: UInt32
    ) {
        self.identity = identity
        self.print = print
        self.number = number
        self.windowSeconds = windowSeconds
    }
}
