import Protection
import StoreSupport

@testable import Topics

/// One order for the stores of several hosts, without threads and without a network: what a host
/// commits takes its place at once, and each host applies the order step by step, as a test says.
final class SharedOrder: Sendable {
    /// An entry at its place.
    struct Item: Sendable {
        let entry: StoreEntry
        let host: Int
        let first: EventID
        let time: Timestamp
    }

    static let floor = EventID(rawValue: 1_000)

    private let state = Protected((items: [Item](), newest: SharedOrder.floor))

    /// The highest id that was given.
    var newest: EventID { state.read { $0.newest } }
    var count: Int { state.read { $0.items.count } }

    subscript(index: Int) -> Item? {
        state.read { index < $0.items.count ? $0.items[index] : nil }
    }

    /// Appends an entry and returns its index.
    func append(_ entry: StoreEntry, from host: Int) -> Int {
        state.write { state in
            let index = state.items.count
            let first = state.newest.rawValue + 1
            state.newest = EventID(rawValue: state.newest.rawValue + UInt64(entry.idCount))
            let time = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(index))
            state.items.append(
                Item(entry: entry, host: host, first: EventID(rawValue: first), time: time))
            return index
        }
    }
}

/// The store of one host on a shared order.
final class SharedStore: EventStore {
    /// A host that is broken on purpose.
    enum Fault: CaseIterable {
        case dropsArrivals, saysTooLittle
    }

    typealias Answer = @Sendable (Result<StoreReceipt, BusError>) -> Void

    private struct State {
        var applied = 0
        var answers: [Int: Answer] = [:]
        var topics: [TopicName: Kept] = [:]
        weak var observer: (any StoreObserver)?
    }

    /// The events of a topic, and the most of them.
    private struct Kept {
        var events: [Event] = []
        var keep: Int?

        /// Removes what is over the bound.
        mutating func trim() -> StoreLoss? {
            let count = events.count - (keep ?? .max)
            guard count > 0 else { return nil }
            let gone = events.prefix(count)
            events.removeFirst(count)
            return StoreLoss(
                removedThrough: gone[count - 1].id, removedTime: gone[count - 1].time,
                EventSum(count: count, bytes: gone.reduce(0) { $0 + $1.payload.count }),
                oldest: events.first?.id, oldestTime: events.first?.time)
        }
    }

    private let order: SharedOrder
    private let host: Int
    private let keep: Int?
    private let fault: Fault?
    private let state = Protected(State())

    /// - Parameter keep: The most events of a topic that is not registered.
    init(_ order: SharedOrder, host: Int, keep: Int? = nil, fault: Fault? = nil) {
        self.order = order
        self.host = host
        self.keep = keep
        self.fault = fault
    }

    var capabilities: StoreCapabilities { StoreCapabilities(keepsOlder: true, isShared: true) }
    var readiness: Readiness { .ready }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        StoreContents(
            newest: SharedOrder.floor, floor: SharedOrder.floor, floorTime: .distantPast)
    }

    func tell(_ observer: any StoreObserver) { state.write { $0.observer = observer } }

    func commit(_ entry: StoreEntry, then: @escaping Answer) {
        let index = order.append(entry, from: host)
        state.write { $0.answers[index] = then }
    }

    /// Asked about a cursor that is ahead of this host.
    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        let newest = fault == .saysTooLittle ? SharedOrder.floor : order.newest
        state.read { $0.observer }?.storeLearned(idsThrough: newest)
        then(.success(StorePage(events: [], after: request.through, through: request.through)))
    }

    /// Nothing is older than memory here.
    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {}

    func close() {}

    /// Applies the next entry of the order; false where there is none.
    func applyNext() -> Bool {
        let (index, observer, answer) = state.write { state in
            (state.applied, state.observer, state.answers.removeValue(forKey: state.applied))
        }
        guard let item = order[index] else { return false }
        state.write { $0.applied += 1 }
        switch item.entry {
        case .events(let batch, _, let owner):
            let events = batch.events(
                from: item.first.rawValue, at: item.time, isStored: true)
            tell(.events(events, owner: owner), observer, answer, .events(events))
            change(batch.topic, observer) { $0.events += events }
        case .removal(let topic):
            tell(.removal(topic, item.first), observer, answer, .removal(item.first))
            state.write { $0.topics[topic] = nil }
        case .registration(let topic, let change, let owner):
            tell(
                .registration(topic, change, owner: owner, at: item.time), observer, answer,
                .registration(at: item.time))
            self.change(topic, observer) { kept in
                if !change.kept.contains(.retention) { kept.keep = change.settings.retention.keep }
            }
        case .work, .together, .hold, .cancel, .release:
            preconditionFailure("the tests of a shared order bring none of these")
        }
        return true
    }

    private func change(
        _ topic: TopicName, _ observer: (any StoreObserver)?, _ body: (inout Kept) -> Void
    ) {
        let loss = state.write { state in
            body(&state.topics[topic, default: Kept(keep: keep)])
            return state.topics[topic]?.trim()
        }
        if let loss { observer?.storeRemoved(loss, of: topic) }
    }

    private func tell(
        _ arrival: StoreArrival, _ observer: (any StoreObserver)?, _ answer: Answer?,
        _ receipt: StoreReceipt
    ) {
        if let answer { return answer(.success(receipt)) }
        if fault != .dropsArrivals { observer?.storeApplied(arrival) }
    }
}
