internal import Protection

/// The reader behind an ``EventSubscription``: a ``FollowerMachine`` under its lock, and the bus
/// that it reads. The hub retains it, but not the subscription, so that releasing the subscription
/// ends it.
final class Follower: Sendable {
    let selector: Selector
    private let filter: EventFilter
    private let limit: ReadLimit
    private let bus: EventBus
    private let machine: Protected<FollowerMachine>

    init(_ selector: Selector, _ filter: EventFilter, _ limit: ReadLimit, of bus: EventBus) {
        self.selector = selector
        self.filter = filter
        self.limit = limit
        self.bus = bus
        machine = Protected(FollowerMachine(beganAt: bus.newest))
    }

    /// Registers with the hub, counts as a subscriber from now on, and finds its place in the log.
    ///
    /// It registers first, so that an admission behind the read finds it and wakes it.
    func begin(at start: StartPosition) {
        if bus.followers.add(self) { drain(after: .zero) }
        bus.beginSubscription(selector)
        let read = bus.read(from: start, matching: selector, filter: filter, limit: limit)
        machine.write { $0.begin(read) }
    }

    // MARK: The reader

    /// The next event or gap; nil when it has ended, and at once when the task is cancelled.
    func next(isolation: isolated (any Actor)?) async throws(BusError) -> Delivery? {
        let outcome = await withTaskCancellationHandler {
            await delivery(isolation: isolation)
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    private func delivery(
        isolation: isolated (any Actor)?
    ) async -> Result<Delivery?, BusError> {
        var step = machine.write { $0.next() }
        while true {
            switch step {
            case .deliver(let delivery): return .success(delivery)
            case .end:
                leave()
                return .success(nil)
            case .fail(let error):
                leave()
                return .failure(error)
            case .read(let position):
                let read = bus.read(position, matching: selector, filter: filter, limit: limit)
                step = machine.write { $0.took(read) }
            case .fetch(let position):
                await withCheckedContinuation { fetch(position, for: $0) }
                step = machine.write { $0.goOn() }
            case .wait:
                await withCheckedContinuation { waiter in
                    if !machine.write({ $0.wait(waiter) }) { waiter.resume() }
                }
                step = machine.write { $0.goOn() }
            case .misuse:
                fatalError(
                    "a subscription to \(selector) was asked for its next event while it was "
                        + "asked already: let one task read it, and make one for each reader")
            }
        }
    }

    private func fetch(_ position: LogPosition, for waiter: FollowerMachine.Waiter) {
        guard machine.write({ $0.fetch(waiter) }) else { return waiter.resume() }
        let client = StoreClient(user: nil) { self.machine.read { $0.hasEnded } }
        bus.readStore(
            position, matching: selector, filter: filter, limit: limit, for: client
        ) { outcome in
            self.machine.write { $0.fetched(outcome) }?.resume()
        }
    }

    var cursor: EventID {
        let seen = bus.followers.seen
        return machine.read { $0.cursor(seen: seen) }
    }

    // MARK: Notifications

    /// Takes a batch or a removal that concerns it. Since `seen` nothing else was admitted that
    /// does.
    func admitted(_ admission: Admission, after seen: EventID) {
        guard admission.change == .removal, let name = selector.singleName else {
            machine.write { $0.admitted(after: seen) }?.resume()
            return
        }
        // Nothing else is admitted meanwhile: these are the losses of the topic at that place.
        let discardedThrough = bus.withLog { $0.losses(of: name).discardedThrough }
        machine.write {
            $0.removed(at: admission.newest, discardedThrough: discardedThrough, after: seen)
        }?.resume()
        leave()
    }

    /// Ends it behind all visible events; nothing that concerns it was admitted since `seen`.
    func drain(after seen: EventID) {
        machine.write { $0.drain(after: seen) }?.resume()
    }

    /// Ends it at once. Also runs in the cancellation handlers of tasks, so it waits for nothing.
    func cancel() {
        let seen = bus.followers.seen
        machine.write { $0.cancel(seen: seen) }?.resume()
        leave()
    }

    /// Stops counting as a subscriber once it has ended, and releases the events that it holds.
    private func leave() {
        let (leaves, leftovers) = machine.write { ($0.leave(), $0.takeLeftovers()) }
        withExtendedLifetime(leftovers) {}
        guard leaves else { return }
        bus.followers.remove(self)
        bus.endSubscription(selector)
    }
}
