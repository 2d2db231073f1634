import Broadcasting
import Protection
import Synchronization

/// A publisher as somebody else may write it: it keeps every subscriber for ever and calls all of
/// them whenever it is told to, cancelled, ended or not.
final class UnrulyPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Trouble

    /// A bond that only counts, and stops nothing.
    final class Bond: Subscription {
        private let cancellationCount = Atomic(0)
        private let demanded = Protected(Subscribers.Demand.none)

        var cancellations: Int { cancellationCount.load(ordering: .acquiring) }
        var demand: Subscribers.Demand { demanded.value }
        let droppedCount = 0

        func request(_ demand: Subscribers.Demand) { demanded.write { $0 += demand } }
        func cancel() { cancellationCount.add(1, ordering: .acquiringAndReleasing) }
    }

    let bond = Bond()
    private let subscribers = Protected<[any Subscriber<Int, Trouble>]>([])

    func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Int, S.Failure == Trouble {
        subscribers.write { $0.append(subscriber) }
        subscriber.receive(subscription: bond)
    }

    func send(_ value: Int) {
        for subscriber in subscribers.value { _ = subscriber.receive(value) }
    }

    func end(_ completion: Subscribers.Completion<Trouble> = .finished) {
        for subscriber in subscribers.value { subscriber.receive(completion: completion) }
    }

    func subscribeAgain(with bond: Bond) {
        for subscriber in subscribers.value { subscriber.receive(subscription: bond) }
    }
}
