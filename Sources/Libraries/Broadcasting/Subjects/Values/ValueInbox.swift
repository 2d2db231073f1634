internal import Protection

/// The subscriber behind `values`: a ``ValueBuffer`` under its lock.
final class ValueInbox<Input: Sendable, Failure: Error>: Subscriber, EndsWithItsPublisher {
    typealias Buffer = ValueBuffer<Input, Failure>

    private let buffer: Protected<Buffer>
    private let slot = SubscriptionSlot()

    init(_ buffering: ValueBuffering) {
        buffer = Protected(Buffer(buffering))
    }

    var droppedCount: Int { slot.droppedCount + buffer.read { $0.droppedCount } }

    func receive(subscription: any Subscription) {
        if slot.fill(subscription) { subscription.request(.unlimited) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let (waiter, dropped) = buffer.write { $0.receive(input) }
        waiter?.resume(returning: .value(input))
        withExtendedLifetime(dropped) {}
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        slot.empty()
        for (waiter, next) in buffer.write({ $0.end(completion) }) {
            waiter.resume(returning: next)
        }
    }

    func publisherWasReleased() {
        receive(completion: .finished)
    }

    func next(isolation: isolated (any Actor)?) async -> Buffer.Next {
        await withTaskCancellationHandler {
            if let next = buffer.write({ $0.take() }) { return next }
            return await withCheckedContinuation { waiter in
                if let next = buffer.write({ $0.wait(waiter) }) { waiter.resume(returning: next) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends it at once.
    ///
    /// Does not wait: handlers of cancellation run while the system holds the lock of the task that a
    /// running call may be resuming.
    func cancel() {
        let (waiters, values) = buffer.write { $0.cancel() }
        for waiter in waiters { waiter.resume(returning: .end) }
        CallContext.withoutWaiting { slot.cancel() }
        withExtendedLifetime(values) {}
    }
}
