/// The values of a publisher as an asynchronous sequence.
///
/// It subscribes when it is made, and buffers from then on, within the bound that the caller chose;
/// ``droppedCount`` tells how many values were lost to it. It ends with the publisher, throwing if
/// that failed, or when the publisher is released. Buffered values come before the end.
///
/// Meant for one reader. Several share the values: each goes to one of them. When a reading task is
/// cancelled the sequence ends at once, for all readers, and buffered values are discarded. When
/// the sequence and its iterators are released, the subscription is cancelled.
///
/// ```swift
/// let values = doors.values(buffering: .oldest(100))
/// for await door in values { print("door \(door), \(values.droppedCount) missed") }
/// ```
///
/// Safe from any thread.
public struct PublisherValues<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// Cancels the subscription when the sequence and all its iterators are gone.
    fileprivate final class Reading: Sendable {
        let inbox: ValueInbox<Element, Failure>

        init(_ inbox: ValueInbox<Element, Failure>) {
            self.inbox = inbox
        }

        deinit { inbox.cancel() }
    }

    private let reading: Reading

    init(_ inbox: ValueInbox<Element, Failure>) {
        reading = Reading(inbox)
    }

    /// How many values were dropped since the sequence was made: sent and, until a cancellation,
    /// neither read nor buffered.
    public var droppedCount: Int { reading.inbox.droppedCount }

    /// Reads on where the last iterator was.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }

    /// Reads the values one by one.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let reading: Reading

        /// The next value; nil at the end, and when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> Element? {
            switch await reading.inbox.next(isolation: actor) {
            case .value(let value): return value
            case .failure(let failure): throw failure
            case .end: return nil
            }
        }
    }
}

extension Publisher {
    /// The values sent from now on, as an asynchronous sequence. Values that are too many for its
    /// reader are dropped as `buffering` says, and counted.
    public func values(buffering: ValueBuffering) -> PublisherValues<Output, Failure> {
        let inbox = ValueInbox<Output, Failure>(buffering)
        receive(subscriber: inbox)
        return PublisherValues(inbox)
    }

    /// The values sent from now on, as an asynchronous sequence, of which the last 1,024 are
    /// buffered; see ``values(buffering:)`` to choose.
    public var values: PublisherValues<Output, Failure> { values(buffering: .standard) }
}
