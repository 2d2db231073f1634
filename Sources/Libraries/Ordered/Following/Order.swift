package import Topics

/// An order that hosts share, by the program that keeps it: it takes appends one behind the other,
/// and shows them to all hosts alike.
///
/// No verb waits. Each calls `then` once, before it returns or later, on any thread. It says nothing
/// that may be taken back: neither of an append nor of those that it shows.
package protocol Order: AnyObject, Sendable {
    /// Tells how the order stands, and its chain behind append `sequence`. It tells all appends that
    /// were taken before it was asked: a server that cannot know whether it still leads gives no
    /// answer.
    func stand(
        at sequence: Int64,
        then: @escaping @Sendable (Result<OrderStanding, OrderTrouble>) -> Void)

    /// Takes an append into the order, unless it has one with this token. One is under way at a
    /// time, unless the order has shown it meanwhile.
    func append(
        _ append: EntryOutbox.Append, then: @escaping @Sendable (EntryOutbox.Outcome) -> Void)

    /// Shows appends from `sequence` on, in their order and without a hole: at least one, for which
    /// it waits, and of more than one at most `bytesMax` bytes.
    func read(
        from sequence: Int64, bytesMax: Int,
        then: @escaping @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void)

    /// Ends all that is under way: by trouble, and by an unknown outcome. Called once, and nothing
    /// after it.
    func close()
}

/// How an order stands.
package struct OrderStanding: Hashable, Sendable {
    /// Which order it is.
    package let life: OrderLife
    /// The first append that it still has.
    package let low: Int64
    /// The last one; one less than `low` where it has none.
    package let high: Int64
    /// The chain behind the append that was asked for; nil where the order does not have it.
    package let chain: UInt128?
    /// Counts the servers that led the order one after the other.
    package let line: Int64
    /// The time of the server that leads it.
    package let time: Timestamp

    /// A standing as given.
    package init(
        life: OrderLife, low: Int64, high: Int64, chain: UInt128?, line: Int64, time: Timestamp
    ) {
        self.life = life
        self.low = low
        self.high = high
        self.chain = chain
        self.line = line
        self.time = time
    }
}

/// Why an order did not answer, or may not be followed at this moment: one sentence.
package struct OrderTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let detail: String

    /// Trouble that says `detail`.
    package init(_ detail: String) { self.detail = detail }

    /// The same sentence.
    package var description: String { detail }
}
