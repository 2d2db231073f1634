public import Protection
public import Synchronization

/// The bond between a subject and one subscriber: a ``SubscriberLine`` under its lock, and the
/// calls it asks for.
///
/// Keeps the subscriber until the end, and never the subject.
@usableFromInline
final class SubjectSubscription<Output: Sendable, Failure: Error>: Subscription {
    @usableFromInline
    typealias Line = SubscriberLine<Output, Failure>

    @usableFromInline let line: Protected<Line>
    @usableFromInline weak let hub: SubjectHub<Output, Failure>?
    /// Whether the line is cancelled, for the thread that delivers many values at a time: it reads
    /// this without the line's lock.
    @usableFromInline let isCancelled = Atomic(false)

    @inlinable
    init(_ line: Line, of hub: SubjectHub<Output, Failure>) {
        self.line = Protected(line)
        self.hub = hub
    }

    @inlinable
    var droppedCount: Int { line.read { $0.droppedCount } }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
        if line.write({ $0.request(demand) }) { deliver() }
    }

    @inlinable
    func cancel() {
        let mayWait = CallContext.mayWait
        isCancelled.store(true, ordering: .releasing)
        let cancellation = line.write { $0.cancel(isWaiting: mayWait) }
        hub?.remove(self)
        cancellation.departure?.wait()
    }

    /// Takes a value; the caller holds it, and delivers afterwards, outside of its own lock.
    ///
    /// - Returns: How many values were dropped by that.
    @inlinable
    func offer(_ value: Output) -> Int {
        line.write { $0.offer(value) }
    }

    /// Takes the end; the caller delivers afterwards, outside of its own lock.
    ///
    /// - Returns: How many values were dropped by that.
    @inlinable
    func end(_ ending: Line.Ending) -> Int {
        line.write { $0.end(ending) }
    }

    /// Hands out the subscription, and then delivers the values and the end that are due.
    @inlinable
    func open(to receiver: Line.Receiver) {
        leave(
            inside {
                receiver.subscriber.receive(subscription: self)
                return call(receiver, from: line.write { $0.next(adding: .none) })
            })
    }

    /// Delivers the values and the end that wait, unless another thread does.
    @inlinable
    func deliver() {
        leave(deliverAll())
    }

    /// Apart from its caller so that its hold on the subscriber is gone before anybody is told.
    @inline(never)
    @inlinable
    func deliverAll() -> [Departure] {
        guard let beginning = line.write({ $0.begin() }) else { return [] }
        return inside { call(beginning.receiver, from: beginning.step) }
    }

    @inlinable
    func inside(_ body: () -> [Departure]) -> [Departure] {
        var departures: [Departure] = []
        CallContext.withoutWaiting { departures = body() }
        return departures
    }

    @inlinable
    func call(_ receiver: Line.Receiver, from first: Line.Step) -> [Departure] {
        var step = first
        while true {
            var demand = Subscribers.Demand.none
            switch step {
            case .receive(let value, var others):
                demand = receiver.subscriber.receive(value)
                while let value = others.popFirst(), !isCancelled.load(ordering: .acquiring) {
                    if demand > .none { _ = line.write { $0.request(demand) } }
                    demand = receiver.subscriber.receive(value)
                }
            case .end(.completed(let completion)):
                receiver.subscriber.receive(completion: completion)
            case .end(.released):
                (receiver.subscriber as? any EndsWithItsPublisher)?.publisherWasReleased()
            case .leave(let departures):
                return departures
            }
            step = line.write { $0.next(adding: demand) }
        }
    }

    @inlinable
    func leave(_ departures: [Departure]) {
        for departure in departures { departure.leave() }
    }
}

/// A subscriber that has to know when its publisher was released without an end.
@usableFromInline
protocol EndsWithItsPublisher {
    @inlinable
    func publisherWasReleased()
}
