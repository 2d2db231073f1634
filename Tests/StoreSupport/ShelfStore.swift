internal import Protection
package import Topics

/// A store that keeps persistent events on a shelf beside memory, and whose reads wait at a door.
package final class ShelfStore: EventStore {
    private let inner = MemoryStore(ceiling: nil)
    private let shelf: Protected<Shelf>

    private struct Shelf {
        var contents: StoreContents?
        var events: [TopicName: [Event]] = [:]
        var lost: [TopicName: (id: EventID, time: Timestamp)] = [:]
        var isOpen = true
        var isClosed = false
        var waiting: [@Sendable () -> Void] = []
        var reads = 0
        var trims: [StoreTrim] = []
        var pageEventsMax = Int.max
    }

    /// A shelf with what an earlier life left, if anything.
    package init(contents: StoreContents? = nil, events: [TopicName: [Event]] = [:]) {
        shelf = Protected(Shelf(contents: contents, events: events))
    }

    /// Keeps what memory lets go.
    package var capabilities: StoreCapabilities { StoreCapabilities(keepsOlder: true) }
    /// Always ready.
    package var readiness: Readiness { .ready }
    /// Reads that were answered.
    package var reads: Int { shelf.read { $0.reads } }
    /// How often it was asked to trim.
    package var trims: Int { shelf.read { $0.trims.count } }
    /// Reads that wait at the door.
    package var waiting: Int { shelf.read { $0.waiting.count } }

    /// Events that a page has at most.
    package var pageEventsMax: Int {
        get { shelf.read { $0.pageEventsMax } }
        set { shelf.write { $0.pageEventsMax = newValue } }
    }

    /// What lies on the shelf of a topic.
    package func ids(_ topic: TopicName) -> [EventID] {
        shelf.read { ($0.events[topic] ?? []).map(\.id) }
    }

    /// Lets reads wait from now on.
    package func closeDoor() {
        shelf.write { $0.isOpen = false }
    }

    /// Answers the reads that waited, and those to come.
    package func openDoor() {
        let waiting = shelf.write { shelf in
            shelf.isOpen = true
            defer { shelf.waiting = [] }
            return shelf.waiting
        }
        for read in waiting { read() }
    }

    /// What it was made with, or nothing.
    package func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let fresh = try inner.open(context)
        return shelf.read { $0.contents } ?? fresh
    }

    /// Takes an entry at once.
    package func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        inner.commit(entry) { [self] outcome in
            then(outcome.map { put(entry, $0) })
        }
    }

    /// Puts on the shelf what belongs there, and returns what the bus is told.
    private func put(_ entry: StoreEntry, _ receipt: StoreReceipt) -> StoreReceipt {
        switch (entry, receipt) {
        case (.events(_, persists: true, _), .events(let events)):
            let stored = events.map(\.stored)
            shelf.write { $0.events[stored[0].topic, default: []] += stored }
            return .events(stored)
        case (.removal(let topic), _):
            shelf.write { $0.events[topic] = nil }
            return receipt
        case (.together(let entries), .together(let receipts)):
            return .together(zip(entries, receipts).map { put($0, $1) })
        default:
            return receipt
        }
    }

    /// Answers at once, or when the door opens.
    package func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        guard !shelf.read({ $0.isClosed }) else { return then(.failure(.draining)) }
        let answer: @Sendable () -> Void = { [self] in
            let page = shelf.write { shelf in
                shelf.reads += 1
                return Self.page(request, shelf)
            }
            then(.success(page))
        }
        let isOpen = shelf.write { shelf in
            if !shelf.isOpen { shelf.waiting.append(answer) }
            return shelf.isOpen
        }
        if isOpen { answer() }
    }

    private static func page(_ request: StoreRead, _ shelf: Shelf) -> StorePage {
        let all = shelf.events.values.joined().filter {
            request.selector.matches($0.topic) && request.filter.admits($0)
                && $0.id <= request.through
        }.sorted { $0.id < $1.id }
        let after: EventID =
            switch request.start {
            case .after(let id): id
            case .last(let count): all.suffix(count).first?.id.before ?? request.through
            case .time(let time): all.first { $0.time >= time }?.id.before ?? request.through
            default: preconditionFailure("a store is not asked for \(request.start)")
            }
        let wanted = all.filter { $0.id > after }
        let most = min(request.limit.events, shelf.pageEventsMax)
        let taken = Array(wanted.prefix(most))
        let isCut = wanted.count > most
        return StorePage(
            events: taken, after: after,
            through: isCut ? taken[taken.count - 1].id : request.through)
    }

    /// Removes all that is over the bounds.
    package func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        let loss = shelf.write { shelf in
            shelf.trims.append(trim)
            var left = shelf.events[trim.topic] ?? []
            left.removeAll { $0.id <= trim.through }
            var removed: [Event] = []
            var sum = left.reduce(into: EventSum()) { $0 += EventSum($1) }
            while let first = left.first, first.id < trim.heldFrom ?? .max,
                trim.retention.isExceeded(by: sum)
                    || trim.retention.age.map({
                        first.time.advanced(microseconds: $0) <= trim.now
                    }) ?? false
            {
                sum -= EventSum(first)
                removed.append(left.removeFirst())
            }
            shelf.events[trim.topic] = left
            var lost = shelf.lost[trim.topic] ?? (.zero, .distantPast)
            if trim.through > lost.id { lost = (trim.through, trim.now) }
            if let last = removed.last, last.id > lost.id { lost = (last.id, last.time) }
            shelf.lost[trim.topic] = lost
            return StoreLoss(
                removedThrough: lost.id, removedTime: lost.time,
                removed.reduce(into: EventSum()) { $0 += EventSum($1) }, oldest: left.first?.id,
                oldestTime: left.first?.time)
        }
        then(loss)
    }

    /// Answers no more reads.
    package func close() {
        inner.close()
        shelf.write { $0.isClosed = true }
    }
}

extension Event {
    /// The same event, as a store that can read it again made it.
    package var stored: Event {
        Event(
            id: id, time: time, topic: topic, payload: payload, metadata: metadata,
            sender: sender, isStored: true)
    }
}

extension EventID {
    fileprivate var before: EventID { EventID(rawValue: rawValue - 1) }
}
