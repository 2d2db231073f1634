/// The line between a subject and one of its subscribers: the demand, the values on their way, and
/// the end. It is a machine: ``SubjectSubscription`` carries out the results of its verbs.
///
/// At most one thread delivers at a time. A thread that has something for the subscriber adds it
/// here and then tries to be that thread. The delivering thread takes all there is before it
/// leaves, so that no calls overlap and none is nested in another.
///
/// A value that is accepted takes its demand at once, and waits. A value without demand, or beyond
/// the number that may wait, is dropped and counted. If the line keeps the latest, it is held
/// instead, until there is demand or a later one.
@usableFromInline
struct SubscriberLine<Output: Sendable, Failure: Error>: Sendable {
    /// The subscriber, to be handed on as one reference.
    @usableFromInline
    final class Receiver: Sendable {
        @usableFromInline let subscriber: any Subscriber<Output, Failure>

        @inlinable
        init(_ subscriber: any Subscriber<Output, Failure>) {
            self.subscriber = subscriber
        }
    }

    /// The end that comes after the last value.
    @usableFromInline
    enum Ending: Sendable {
        case completed(Subscribers.Completion<Failure>)
        /// The subject was released: nothing can come any more, and nobody says so.
        case released
    }

    /// The next step of the delivering thread.
    @usableFromInline
    enum Step {
        /// Deliver these, unless the line is cancelled meanwhile.
        case receive(Output, then: ValueQueue<Output>)
        case end(Ending)
        /// Nothing any more; somebody may be waiting for that.
        case leave([Departure])
    }

    /// The receiver and the first step of a thread that begins to deliver.
    @usableFromInline
    typealias Beginning = (receiver: Receiver, step: Step)

    /// The rest of a cancellation, outside of the lock: values to release, and a thread to wait
    /// for.
    @usableFromInline
    typealias Cancellation = (
        receiver: Receiver?, values: ValueQueue<Output>, departure: Departure?
    )

    @usableFromInline var receiver: Receiver?
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var waiting = ValueQueue<Output>()
    @usableFromInline var latest: Output?
    @usableFromInline let keepsLatest: Bool
    @usableFromInline var ending: Ending?

    /// Whether a thread delivers; from the beginning on, as one is about to hand out the
    /// subscription.
    @usableFromInline var isDelivering = true
    @usableFromInline var departures: [Departure] = []

    @usableFromInline var droppedCount = 0

    /// - Parameters:
    ///   - latest: The value that stands at this moment, for a line that keeps the latest.
    ///   - ending: How the subject has ended already.
    @inlinable
    init(to receiver: Receiver, keepsLatest: Bool, latest: Output?, ending: Ending?) {
        self.receiver = receiver
        self.keepsLatest = keepsLatest
        self.latest = ending == nil ? latest : nil
        self.ending = ending
    }

    /// Takes a value for the subscriber.
    ///
    /// - Returns: How many values were dropped by that.
    @inlinable
    mutating func offer(_ value: Output) -> Int {
        guard receiver != nil, ending == nil else { return 0 }
        let before = droppedCount
        if demand > .none, waiting.count < SubjectLimits.waitingValuesMax {
            dropLatest()
            waiting.append(value)
            demand -= 1
        } else if keepsLatest {
            dropLatest()
            latest = value
        } else {
            droppedCount += 1
        }
        return droppedCount - before
    }

    /// Adds demand.
    ///
    /// - Returns: Whether there is something to deliver.
    @inlinable
    mutating func request(_ more: Subscribers.Demand) -> Bool {
        guard receiver != nil, ending == nil else { return false }
        demand += more
        admitLatest()
        return !waiting.isEmpty
    }

    /// Ends the line behind the values that wait.
    ///
    /// - Returns: How many values were dropped by that.
    @inlinable
    mutating func end(_ ending: Ending) -> Int {
        guard receiver != nil, self.ending == nil else { return 0 }
        let before = droppedCount
        dropLatest()
        self.ending = ending
        return droppedCount - before
    }

    /// Makes the calling thread the one that delivers, if there is something to deliver and no
    /// other thread does.
    @inlinable
    mutating func begin() -> Beginning? {
        guard !isDelivering, let receiver, !waiting.isEmpty || ending != nil else { return nil }
        isDelivering = true
        return (receiver, next(adding: .none))
    }

    /// The next step of the delivering thread, given the demand that its last call returned.
    @inlinable
    mutating func next(adding more: Subscribers.Demand) -> Step {
        _ = request(more)
        if let value = waiting.popFirst() {
            // The queue keeps its memory unless there is more to hand over.
            let others = waiting.isEmpty ? ValueQueue() : waiting.take()
            admitLatest()
            return .receive(value, then: others)
        }
        if receiver != nil, let ending {
            // The delivering thread has its own hold on it until it has made this last call.
            receiver = nil
            return .end(ending)
        }
        isDelivering = false
        defer { departures = [] }
        return .leave(departures)
    }

    /// Ends the line at once.
    ///
    /// - Parameter isWaiting: Whether the caller waits until the delivering thread has left.
    @inlinable
    mutating func cancel(isWaiting: Bool) -> Cancellation {
        let departure = isWaiting && isDelivering ? Departure() : nil
        if let departure { departures.append(departure) }
        defer {
            receiver = nil
            latest = nil
            demand = .none
        }
        return (receiver, waiting.take(), departure)
    }

    @inlinable
    mutating func admitLatest() {
        guard demand > .none, waiting.count < SubjectLimits.waitingValuesMax,
            let value = latest.take()
        else { return }
        waiting.append(value)
        demand -= 1
    }

    @inlinable
    mutating func dropLatest() {
        guard latest != nil else { return }
        latest = nil
        droppedCount += 1
    }
}
