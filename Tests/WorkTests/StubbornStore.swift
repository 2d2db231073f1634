import Protection
import Topics

/// A store around another one, which refuses or holds up changes of groups when it is told to.
final class StubbornStore: EventStore {
    private struct State {
        var refusal: BusError?
        var refusesEvents = false
        var isHolding = false
        var held: [Held] = []
        var changes = 0
        var reads = 0
        var isHoldingReads = false
        var readRefusal: BusError?
        var heldReads: [@Sendable () -> Void] = []
    }

    /// A change that is held up.
    private struct Held {
        let entry: StoreEntry
        let then: @Sendable (Result<StoreReceipt, BusError>) -> Void
    }

    private let inner: any EventStore
    private let state = Protected(State())

    init(_ inner: any EventStore) { self.inner = inner }

    /// How many changes of groups it was asked for.
    var changes: Int { state.changes }

    /// Refuses changes of groups from now on; nil to take them again.
    func refuse(_ error: BusError?, onlyWithEvents: Bool = false) {
        state.write { ($0.refusal, $0.refusesEvents) = (error, onlyWithEvents) }
    }

    /// How many reads it was asked for.
    var reads: Int { state.reads }

    /// Has reads fail from now on; nil to do them again.
    func refuseReads(_ error: BusError?) { state.write { $0.readRefusal = error } }

    /// Holds reads up from now on.
    func holdReads() { state.write { $0.isHoldingReads = true } }

    /// How many reads it holds up.
    var heldReadCount: Int { state.read { $0.heldReads.count } }

    /// Lets go of reads that it holds up, and of those that come.
    func releaseReads() {
        let held = state.write { state in
            state.isHoldingReads = false
            defer { state.heldReads = [] }
            return state.heldReads
        }
        for read in held { read() }
    }

    /// Holds changes of groups up from now on.
    func hold() { state.write { $0.isHolding = true } }

    /// Lets go of what it holds up, and of what comes.
    func release() {
        for held in takeHeld() { inner.commit(held.entry, then: held.then) }
    }

    /// Refuses what it holds up, and takes what comes.
    func refuseHeld(_ error: BusError) {
        for held in takeHeld() { held.then(.failure(error)) }
    }

    private func takeHeld() -> [Held] {
        state.write { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
    }

    var capabilities: StoreCapabilities { inner.capabilities }
    var readiness: Readiness { inner.readiness }
    var progress: StoreProgress { inner.progress }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        try inner.open(context)
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        let isTogether: Bool
        switch entry {
        case .work: isTogether = false
        case .together: isTogether = true
        default: return inner.commit(entry, then: then)
        }
        let refusal = state.write { state -> BusError? in
            state.changes += 1
            return state.refusesEvents && !isTogether ? nil : state.refusal
        }
        if let refusal { return then(.failure(refusal)) }
        let isHeld = state.write { state in
            if state.isHolding {
                state.held.append(Held(entry: entry, then: then))
            }
            return state.isHolding
        }
        if !isHeld { inner.commit(entry, then: then) }
    }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        if let refusal = state.read({ $0.readRefusal }) { return then(.failure(refusal)) }
        let isHeld = state.write { state in
            state.reads += 1
            if state.isHoldingReads {
                state.heldReads.append { self.inner.read(request, then: then) }
            }
            return state.isHoldingReads
        }
        if !isHeld { inner.read(request, then: then) }
    }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        inner.trim(trim, then: then)
    }

    func tell(_ observer: any StoreObserver) { inner.tell(observer) }

    func close() { inner.close() }
}
