import Protection
import SQLiteStore
import Telemetry
import TestSupport
import Topics

/// A store on a disk, whose reads or commits wait at a door while that is shut, and that can be full.
final class DoorStore: EventStore {
    private struct Door {
        var readsUntilShut = Int.max
        var failure: BusError?
        var waiting: [@Sendable () -> Void] = []
        var refusal: BusError?
        var holdsCommits = false
        var commits: [@Sendable () -> Void] = []
    }

    private let inner: SQLiteStore
    private let door = Protected(Door())

    /// A store whose file is in this folder.
    init(in folder: TemporaryFolder, log: Log) {
        inner = SQLiteStore(SQLiteStoreConfiguration(path: "\(folder.path)/store"), log: log)
    }

    /// Reads that wait at this moment.
    var waiting: Int { door.read { $0.waiting.count } }

    /// Lets so many more reads pass and shuts the door behind them.
    func shut(after reads: Int = 0) {
        door.write { $0.readsUntilShut = reads }
    }

    /// Lets everybody pass; with a failure, to get nothing else.
    func open(failing failure: BusError? = nil) {
        let waiting = door.write { door in
            door.readsUntilShut = .max
            door.failure = failure
            defer { door.waiting = [] }
            return door.waiting
        }
        for read in waiting { read() }
    }

    /// Has it refuse all changes for lack of room, or take them again.
    func setFull(_ isFull: Bool) { refuse(isFull ? .storeFull("the disk has no room") : nil) }

    /// Has it refuse all changes so, or take them again.
    func refuse(_ error: BusError?) { door.write { $0.refusal = error } }

    /// Commits that wait at this moment.
    var waitingCommits: Int { door.read { $0.commits.count } }

    /// Has commits wait from now on.
    func shutCommits() { door.write { $0.holdsCommits = true } }

    /// Lets all commits pass again, in their order.
    func openCommits() {
        while let next = door.write({ door -> (@Sendable () -> Void)? in
            door.holdsCommits = !door.commits.isEmpty
            return door.commits.isEmpty ? nil : door.commits.removeFirst()
        }) {
            next()
        }
    }

    func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        let read: @Sendable () -> Void = { [self] in
            if let failure = door.read({ $0.failure }) { return then(.failure(failure)) }
            inner.read(request, then: then)
        }
        let passes = door.write { door in
            if door.readsUntilShut == 0 { door.waiting.append(read) }
            door.readsUntilShut = max(1, door.readsUntilShut) - 1
            return door.waiting.isEmpty
        }
        if passes { read() }
    }

    var capabilities: StoreCapabilities { inner.capabilities }
    var readiness: Readiness { inner.readiness }

    func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        try inner.open(context)
    }

    func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        if let error = door.read({ $0.refusal }) { return then(.failure(error)) }
        let commit: @Sendable () -> Void = { [inner] in inner.commit(entry, then: then) }
        let passes = door.write { door in
            if door.holdsCommits { door.commits.append(commit) }
            return !door.holdsCommits
        }
        if passes { commit() }
    }

    func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        inner.trim(trim, then: then)
    }

    func tell(_ observer: any StoreObserver) { inner.tell(observer) }

    func close() { inner.close() }
}
