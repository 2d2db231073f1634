/// The values of a topic as an asynchronous sequence.
///
/// It keeps the promises of its `source`. An event that is none of the topic's values is an element
/// of its own (``TypedDelivery/unreadable(_:_:)``), and the sequence goes on.
public struct TypedSubscription<Value: Sendable, Source: AsyncSequence & Sendable>: AsyncSequence,
    Sendable
where Source.Element == Delivery {
    /// One element: a value, an event that is no value, or a gap.
    public typealias Element = TypedDelivery<Value>
    /// The error with which it fails.
    public typealias Failure = Source.Failure

    /// The subscription to the events, which has the cursor, and ends it.
    public let source: Source
    private let topic: Topic<Value>

    /// The values of a topic by a subscription to its events.
    package init(_ source: Source, _ topic: Topic<Value>) {
        self.source = source
        self.topic = topic
    }

    /// Reads on where the last iterator was.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source.makeAsyncIterator(), topic: topic)
    }

    /// Reads a subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: Source.AsyncIterator
        fileprivate let topic: Topic<Value>

        /// The next value, unreadable event or gap; nil once the subscription has ended.
        ///
        /// - Parameter actor: The actor of the caller, which the compiler fills in.
        /// - Throws: The error of the source.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Source.Failure) -> TypedDelivery<Value>? {
            try await source.next(isolation: actor).map { topic.typed($0) }
        }
    }
}

/// One element of a subscription to values.
public enum TypedDelivery<Value: Sendable>: Sendable {
    /// The next value, and the event that it came in.
    case value(Value, Event)
    /// An event that is no such value, and the error of the topic's `decode`.
    case unreadable(Event, any Error)
    /// Events in this range may be missing; those of them that are still kept follow.
    case gap(Gap)
}
