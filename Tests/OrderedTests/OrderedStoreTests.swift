import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import Ordered

@Suite struct OrderedStoreTests {
    @Test func ownEntriesAreAnsweredOthersArriveAndLossesComeAtTheirPlace() throws {
        let rig = try StoreRig()
        try rig.order.add("theirs")
        rig.settle()
        rig.commit("own", ttl: nil)
        rig.settle()
        #expect(rig.words.value == ["arrived theirs", "lost a", "answered own", "lost a"])
    }

    @Test func anEntryHasItsTimeToLiveFromTheTimeOfTheOrder() throws {
        let rig = try StoreRig()
        rig.commit("1", ttl: 5_000_000)
        rig.settle()
        let event = try #require(rig.replica.events.value.last)
        #expect(event.metadata.expires == event.time.advanced(microseconds: 5_000_000))
    }

    /// Memory may let events go while the rest of their group is told.
    @Test func aReadOfAGroupThatIsToldAtThisMomentGoesToTheReplica() throws {
        let rig = try StoreRig()
        let reads = Protected(0)
        rig.onArrival.value = { store in
            let event = EventID(rawValue: SampleItems.life.base.rawValue)
            let read = StoreRead(
                start: .after(event), through: EventID(rawValue: event.rawValue + 3),
                selector: try! Selector("a"), filter: .all, limit: ReadLimit(events: 9, bytes: 99))
            store.read(read) { _ in reads.write { $0 += 1 } }
        }
        try rig.order.add("1")
        rig.settle()
        #expect(rig.replica.reads.value == 1 && reads.value == 1)
    }

    @Test func aCursorAheadIsAnsweredByTheOrder() throws {
        let rig = try StoreRig()
        let cursor = EventID(rawValue: SampleItems.life.base.rawValue + 3)
        let pages = Protected<[EventID]>([])
        rig.store.read(
            StoreRead(
                start: .after(cursor), through: cursor, selector: try Selector("a"), filter: .all,
                limit: ReadLimit(events: 9, bytes: 99))
        ) { page in pages.write { $0.append((try? page.get())?.through ?? .zero) } }
        try rig.order.add("1")
        rig.settle()
        #expect(pages.value == [cursor] && rig.replica.reads.value == 0)
        #expect(rig.words.value.last == "learned \(SampleItems.life.base)")
    }

    @Test func theEndAnswersEverythingAndNothingIsAskedAfterIt() throws {
        let rig = try StoreRig()
        rig.settle()
        rig.order.answersAppends.value = false
        rig.commit("sent", ttl: nil)
        rig.settle()
        rig.commit("waiting", ttl: nil)
        rig.store.close()
        rig.commit("late", ttl: nil)
        #expect(
            rig.words.value == [
                "refused waiting: \(BusError.draining)", "refused sent: \(BusError.unanswered)",
                "refused late: \(BusError.draining)",
            ])
        #expect(rig.order.isClosed.value && rig.replica.isClosed.value)
    }

    @Test func changesOfWorkGroupsAreRefused() throws {
        let rig = try StoreRig()
        let outcome = Protected<BusError?>(nil)
        rig.store.commit(.together([])) { result in
            if case .failure(let error) = result { outcome.value = error }
        }
        #expect(
            outcome.value
                == .storeFailed("a bus of several hosts takes no change of a work group by itself"))
    }
}

/// A store of one host whose steps a test does, with an order and a replica in memory.
final class StoreRig: StoreObserver {
    let order = InstantOrder()
    let replica = InstantReplica()
    let store: OrderedStore
    let words = Protected<[String]>([])
    let onArrival = Protected<(@Sendable (OrderedStore) -> Void)?>(nil)
    private let starter = StepStarter()

    init() throws {
        store = OrderedStore(
            on: order, with: replica, as: "a", life: SampleItems.life, starter: starter)
        _ = try store.open(
            StoreContext(clock: ManualClock(), commitQueueBytesMax: 1 << 20))
        store.tell(self)
    }

    /// The order has the store's questions, and the store has the order.
    deinit { store.close() }

    func settle() { starter.settle() }

    func commit(_ text: String, ttl: Int64?) {
        var batch = PublishBatch(
            topic: try! TopicName("a"), payloads: [Payload(Array(text.utf8))])
        if let ttl {
            let expires = ManualClock().now().advanced(microseconds: ttl)
            batch = PublishBatch(
                topic: batch.topic, metadata: batch.metadata.with(.none, expires: expires),
                sender: batch.sender, payloads: batch.payloads)
        }
        store.commit(.events(batch, persists: true)) { [words] outcome in
            words.write { words in
                switch outcome {
                case .success: words.append("answered \(text)")
                case .failure(let error): words.append("refused \(text): \(error)")
                }
            }
        }
    }

    func storeRemoved(_ loss: StoreLoss, of topic: TopicName) {
        words.write { $0.append("lost \(topic)") }
    }

    func storeApplied(_ arrival: StoreArrival) {
        guard case .events(let events, _) = arrival else { return }
        words.write { $0.append("arrived \(events[0].payload.text)") }
        onArrival.value?(store)
    }

    func storeMerged(lossesThrough id: EventID, time: Timestamp) {}
    func version(of topic: TopicName) -> TopicVersion { preconditionFailure("nobody asks") }
    func storeLearned(idsThrough id: EventID) { words.write { $0.append("learned \(id)") } }
}

/// Does the steps of tasks when it is told to.
final class StepStarter: WorkStarter {
    // Unsafe: the one thread of a test has it.
    private nonisolated(unsafe) var work: (any SteppedWork)?

    private struct Started: StartedWork {
        let starter: StepStarter

        func join() {
            while let work = starter.work, work.step(mayWait: false) != .end {}
            starter.work = nil
        }

        func detach() {}
    }

    func start(_ work: any SteppedWork) throws(Errno) -> any StartedWork {
        self.work = work
        return Started(starter: self)
    }

    func settle() { while let work, work.step(mayWait: false) == .done {} }
}

/// An order in memory that answers at once.
final class InstantOrder: Order {
    let answersAppends = Protected(true)
    let isClosed = Protected(false)
    private let items = Protected(SampleItems())
    private typealias Shown = @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void
    private let waiting = Protected<(from: Int64, then: Shown)?>(nil)
    private let unanswered = Protected<[@Sendable (EntryOutbox.Outcome) -> Void]>([])

    /// Another host brings an event.
    func add(_ text: String) throws {
        try items.write { try $0.add(text) }
        show()
    }

    private func show() {
        let items = items.value.items
        let reader = waiting.write { waiting in
            let isThere = waiting.map { $0.from <= Int64(items.count) } ?? false
            return isThere ? waiting.take() : nil
        }
        if let reader { reader.then(.success(Array(items.dropFirst(Int(reader.from) - 1)))) }
    }

    func stand(
        at sequence: Int64,
        then: @escaping @Sendable (Result<OrderStanding, OrderTrouble>) -> Void
    ) {
        then(
            .success(
                OrderStanding(
                    life: SampleItems.life, low: 1, high: Int64(items.value.items.count),
                    chain: nil, line: 0, time: ManualClock().now())))
    }

    func append(
        _ append: EntryOutbox.Append, then: @escaping @Sendable (EntryOutbox.Outcome) -> Void
    ) {
        guard answersAppends.value else { return unanswered.write { $0.append(then) } }
        items.write { $0.add(append.bytes, token: append.token) }
        then(.taken)
        show()
    }

    func read(
        from sequence: Int64, bytesMax: Int,
        then: @escaping @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void
    ) {
        waiting.value = (sequence, then)
        show()
    }

    func close() {
        isClosed.value = true
        let reader = waiting.write { $0.take() }
        reader?.then(.failure(OrderTrouble("closed")))
        let all = unanswered.write { unanswered in
            defer { unanswered = [] }
            return unanswered
        }
        for then in all { then(.unknown) }
    }
}

/// A replica in memory that keeps everything, and says that each event took another one away.
final class InstantReplica: ReplicaStore {
    let events = Protected<[Event]>([])
    let reads = Protected(0)
    let isClosed = Protected(false)
    private let place = Protected(OrderPlace.beginning(of: SampleItems.life))

    var capabilities: StoreCapabilities { StoreCapabilities(keepsOlder: true) }
    var readiness: Readiness { .ready }
    var applied: OrderPlace? { place.value }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let floor = EventID(rawValue: SampleItems.life.base.rawValue - 1)
        return StoreContents(newest: floor, floor: floor, floorTime: .distantPast)
    }

    func apply(
        _ group: OrderedGroup,
        then: @escaping @Sendable (Result<AppliedGroup, BusError>) -> Void
    ) {
        place.value = group.place
        var steps: [AppliedGroup.Step] = []
        for case .events(let batch, _, _) in group.entries {
            let first = SampleItems.life.base.rawValue + UInt64(events.value.count)
            let made = batch.events(from: first, at: group.place.time, isStored: true)
            events.write { $0 += made }
            steps.append(.receipt(.events(made)))
            let loss = StoreLoss(
                removedThrough: .zero, removedTime: .distantPast, EventSum(count: 1), oldest: nil,
                oldestTime: nil)
            steps.append(.loss(batch.topic, loss))
        }
        let newest = SampleItems.life.base.rawValue + UInt64(events.value.count) - 1
        then(.success(AppliedGroup(steps: steps, newest: EventID(rawValue: newest))))
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) { preconditionFailure("a replica takes groups alone") }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        reads.write { $0 += 1 }
        then(.success(StorePage(events: [], after: request.through, through: request.through)))
    }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        preconditionFailure("the order decides what goes")
    }

    func close() { isClosed.value = true }
}
