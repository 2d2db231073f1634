/// The bond between one subscriber and its publisher.
///
/// Safe from any thread, and from inside of every call to the subscriber.
public protocol Subscription: Cancellable {
    /// Tells the publisher that it may send that many more values.
    ///
    /// Demand is added up, and only values sent take from it. ``Subscribers/Demand/none`` changes
    /// nothing; after the end, or the cancellation, nothing does.
    func request(_ demand: Subscribers.Demand)

    /// How many values the publisher had for this subscriber and did not deliver, because there was
    /// no demand for them or no room to keep them. Values that a cancellation discards are not
    /// counted.
    var droppedCount: Int { get }
}
