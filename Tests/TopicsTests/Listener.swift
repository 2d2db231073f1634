import Protection

@testable import Topics

/// A task that reads a subscription, and only goes on when it is told to.
final class Listener: Sendable {
    let subscription: EventSubscription
    private let executor: ManualExecutor
    private let told = Protected<[String]>([])
    private let task: Task<Void, Never>

    /// A reader that stops by itself after so many deliveries, if that is said.
    init(
        _ subscription: EventSubscription, deliveries: Int = .max,
        on executor: ManualExecutor = ManualExecutor()
    ) {
        self.subscription = subscription
        self.executor = executor
        task = Task(executorPreference: executor) { [told] in
            do {
                guard deliveries > 0 else { return }
                var left = deliveries
                for try await delivery in subscription {
                    told.append(delivery.words)
                    left -= 1
                    if left == 0 { return }
                }
                told.append("end")
            } catch {
                told.append("\(error)")
            }
        }
        executor.run()
    }

    deinit {
        task.cancel()
        executor.run()
    }

    /// Lets it read until it waits, or is done.
    ///
    /// - Returns: What it was told since the last time.
    func read() -> [String] {
        executor.run()
        return told.write { told in
            defer { told = [] }
            return told
        }
    }

    /// How often its task was woken, its beginning included.
    var wakes: Int { executor.count }

    func cancel() { task.cancel() }
}

extension Delivery {
    var words: String {
        switch self {
        case .event(let event): event.payload.text
        case .gap(let gap): gap.words
        }
    }
}

extension Gap {
    var words: String { "gap \(after) \(through)" }
}

extension Bench {
    func subscribe(
        _ selector: String, since start: StartPosition = .now, type: String? = nil,
        events: Int = 64
    ) throws -> EventSubscription {
        try bus.subscribe(
            try Selector(selector), since: start, filter: EventFilter(type: type, key: nil),
            limit: ReadLimit(events: events, bytes: 1 << 20))
    }

    func listen(
        _ selector: String, since start: StartPosition = .now, type: String? = nil,
        events: Int = 64
    ) throws -> Listener {
        Listener(try subscribe(selector, since: start, type: type, events: events))
    }

    func subscribers(of topic: String) throws -> Int? {
        bus.description(of: try TopicName(topic))?.subscribers
    }
}
