import Topics

/// The readers of one life of a bus that have read everything, and ask again only once the bus tells of
/// something for them: long polls, streams and subscriptions wait like this.
// @unchecked: everything that has it is in one thread.
final class WaitingReaders: TopicObserver, @unchecked Sendable {
    private var waiting: [Int: SimulatedReader] = [:]
    private var woken: [Int] = []
    /// Whether a wake-up is missed, as a planted fault has it.
    private let isMissed: () -> Bool

    init(on bus: EventBus, missing isMissed: @escaping () -> Bool) {
        self.isMissed = isMissed
        bus.broadcaster.register((any TopicObserver).self, observer: self)
    }

    /// Has a reader wait from now on.
    func add(_ index: Int, _ reader: SimulatedReader) { waiting[index] = reader }

    /// Lets a reader wait no longer.
    func remove(_ index: Int) { waiting[index] = nil }

    func has(_ index: Int) -> Bool { waiting[index] != nil }

    func admitted(_ admission: Admission) {
        let concerned = waiting.filter { $0.value.selector.matches(admission.topic) }.keys
        for index in concerned.sorted() where !isMissed() {
            waiting[index] = nil
            woken.append(index)
        }
    }

    /// The readers that ask now.
    func takeWoken() -> [Int] {
        defer { woken = [] }
        return woken
    }

    /// A reader that waits though there is something for it; nil where there is none.
    func overlooked(in bus: EventBus) -> String? {
        for (index, reader) in waiting.sorted(by: { $0.key < $1.key }) {
            let found = bus.read(
                reader.position, matching: reader.selector, filter: .all,
                limit: ReadLimit(events: 1, bytes: 1_000))
            if case .caughtUp = found { continue }
            return
                "reader \(index) of \(reader.selector) waits at \(reader.position.after) for \(found)"
        }
        return nil
    }
}
