package import Protection
package import Telemetry
package import Topics

/// A store in one file of SQLite. Answered entries survive the end of the process at any moment,
/// and, with `sync = full`, the loss of power.
///
/// The writer's thread commits waiting entries in bounded transactions, user by user in turn. Then
/// it answers them in the order of ids. Two threads read events that memory let go, so that neither
/// waits for the other. Another thread syncs the journal and moves it into the file. If the disk
/// refuses a commit, its entries fail. The store tries the disk again once a second and with every
/// publish. `docs/storage.md` has the layout of the file, and the parts that other programs can
/// read.
///
/// Does not promise to notice the writes of another program. Other programs may read the file.
///
/// Safe from any thread. `then` of a commit or trim is called on the writer's thread, that of a
/// read on a reader's.
package final class SQLiteStore: EventStore {
    private let configuration: SQLiteStoreConfiguration
    private let idCeiling: IDCeiling?
    private let order: OrderLife?
    private let log: Log
    private let schema: Schema
    private let vfs: String?
    private let starter: any WorkStarter
    private let state = Protected(State())

    private struct State {
        var shared: SharedParts?
        var writer: (any StartedWork)?
        var readers: [any StartedWork] = []

        mutating func takeReaders() -> [any StartedWork] {
            defer { readers = [] }
            return readers
        }
    }

    /// A store that is not open yet.
    ///
    /// - Parameters:
    ///   - ceiling: The ceiling that remembers ids beside the store, for daemons that change their
    ///     store; nil for none.
    package convenience init(
        _ configuration: SQLiteStoreConfiguration, ceiling: IDCeiling? = nil, log: Log
    ) {
        self.init(configuration, ceiling: ceiling, log: log, schema: .current, vfs: nil)
    }

    /// The same on another file system, or without threads of its own.
    ///
    /// - Parameters:
    ///   - vfs: The name of the file system by which SQLite reads and writes; nil for the system's.
    ///   - order: The order of several hosts that the store is to follow; nil for a bus of its own.
    ///   - starter: Starts the tasks of the store; in use each has a thread.
    package convenience init(
        _ configuration: SQLiteStoreConfiguration, log: Log, vfs: String?,
        following order: OrderLife? = nil, starter: any WorkStarter = ThreadStarter()
    ) {
        self.init(
            configuration, ceiling: nil, log: log, schema: .current, vfs: vfs, following: order,
            starter: starter)
    }

    init(
        _ configuration: SQLiteStoreConfiguration, ceiling: IDCeiling? = nil, log: Log,
        schema: Schema, vfs: String?, following order: OrderLife? = nil,
        starter: any WorkStarter = ThreadStarter()
    ) {
        self.configuration = configuration
        idCeiling = ceiling
        self.order = order
        self.log = log
        self.schema = schema
        self.vfs = vfs
        self.starter = starter
    }

    /// Lets the threads end by themselves, in order. `close()` waits for that.
    deinit {
        let state = state.value
        guard let shared = state.shared else { return }
        _ = shared.reads.close()
        shared.queue.close()
        state.writer?.detach()
        for reader in state.readers { reader.detach() }
    }

    /// The store keeps events that memory lets go, up to the size limit of the file.
    package var capabilities: StoreCapabilities {
        StoreCapabilities(keepsOlder: true, bytesMax: configuration.sizeBytesMax)
    }

    /// Whether it takes entries: it refuses them while the disk refuses, and before it is open.
    package var readiness: Readiness {
        state.read { $0.shared }?.readiness.value ?? .refusing("the store is not open")
    }

    /// How far the writer is; idle while the store is not open.
    package var progress: StoreProgress {
        guard let shared = state.read({ $0.shared }) else {
            return StoreProgress(settled: 0, isIdle: true)
        }
        let isQueueEmpty = shared.queue.isEmpty
        let standing = shared.progress.standing
        return StoreProgress(settled: standing.settled, isIdle: isQueueEmpty && standing.isIdle)
    }

    /// Locks, checks and opens the file; of events it reads none but the first and the last of
    /// each topic.
    ///
    /// - Complexity: O(size of the file) for SQLite's own check, and O(topics × log events).
    package func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let now = context.clock.now()
        let opening = try StoreOpening(
            configuration, schema: schema, ceiling: idCeiling, following: order,
            bootClock: context.bootClock, now: now, vfs: vfs)
        let shared = SharedParts(configuration.sync, context.bootClock)
        shared.queue.open(bytesMax: context.commitQueueBytesMax)
        shared.marks.update(opening.found.topics.map(\.state))
        try start(opening, shared, context)
        let start = opening.ledger.start
        var contents = StoreContents(
            newest: EventID(rawValue: start.first - 1), floor: start.bus.floor,
            floorTime: start.bus.floorTime, unusedThrough: start.bus.unusedThrough,
            topics: opening.found.topics.map { topic, older in
                var stored = StoredTopic(
                    name: topic.name, settings: topic.settings, owner: topic.owner,
                    removedThrough: topic.removedThrough, removedTime: topic.removedTime,
                    older: older, recent: [])
                stored.silence = topic.silence
                stored.newest = topic.version(last: older?.newest).newest
                return stored
            },
            tombstones: opening.found.tombstones, groups: opening.groups)
        contents.later = opening.later.stored
        return contents
    }

    private func start(
        _ opening: StoreOpening, _ shared: SharedParts, _ context: StoreContext
    ) throws(StoreError) {
        var started: (any StartedWork)?
        do {
            for _ in 0..<Limits.readers {
                let reader = try Reader(
                    opening.makeReader(), path: opening.file.path, shared: shared, log: log)
                let thread = try start(reader)
                state.write { $0.readers.append(thread) }
            }
            let keeper = try JournalKeeper(
                opening.makeKeeper(), opening.file, shared.journal, queue: shared.queue)
            let keeping = try start(keeper)
            started = keeping
            let writer = try Writer(
                opening, configuration, shared: shared, keeper: keeping, context,
                keys: KeyTable(in: context.memory, onOrder: order != nil), log: log)
            let thread = try start(writer)
            state.write {
                $0.writer = thread
                $0.shared = shared
            }
        } catch {
            _ = shared.reads.close()
            for reader in state.write({ $0.takeReaders() }) { reader.join() }
            shared.journal.close()
            started?.join()
            throw error as? StoreError
                ?? (error as? DatabaseError).map { .unusable(opening.file.path, $0) }
                ?? StoreError(detail: "\(error)")
        }
    }

    private func start(_ work: any SteppedWork) throws(StoreError) -> any StartedWork {
        do throws(Errno) {
            return try starter.start(work)
        } catch {
            throw StoreError(detail: "no thread for the store: \(error)")
        }
    }

    /// Queues `entry` for the writer.
    package func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        precondition(order == nil, "a store that follows an order takes its groups alone")
        add(CommitQueue.EntryJob(entry: entry, queuedBytes: entry.queuedBytes, then: then))
    }

    private func add(_ job: CommitQueue.EntryJob) {
        switch shared.queue.add(job) {
        case .queued: break
        case .closed: job.then(.failure(.draining))
        case .tooMuch: job.then(.failure(.commitQueueFull))
        }
    }

    /// Queues a read for one of the readers, in the line of its user. A page holds the events that
    /// one turn finds, perhaps none.
    package func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        switch shared.reads.add(.read(ReadJob(request, then: then))) {
        case .queued: break
        case .closed: then(.failure(.draining))
        case .tooMany: then(.failure(.readsFull))
        }
    }

    /// Queues a trim for the writer, which removes a bounded number of events at a time. Some
    /// events may still be over the bounds of the topic then, and the log asks for another trim.
    ///
    /// The trim waits while the disk refuses.
    package func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        shared.queue.add(CommitQueue.TrimJob(trim: trim, then: then))
    }

    /// Has `observer` told of the events that the size limit removes.
    package func tell(_ observer: any StoreObserver) {
        // Weak: the bus owns its store.
        shared.tellLoss.value = { [weak observer] in observer?.storeRemoved($1, of: $0) }
    }

    /// Commits everything that is queued, moves the journal into the file, and lets go of it.
    package func close() {
        let (shared, writer, readers) = state.write { state in
            defer { state.writer = nil }
            return (state.shared, state.writer, state.takeReaders())
        }
        guard let shared, let writer else { return }
        for case .read(let job) in shared.reads.close() { job.then(.failure(.draining)) }
        for reader in readers { reader.join() }
        shared.queue.close()
        writer.join()
    }

    /// The tasks that it does in turns: its reads, or none before it is open.
    package var tasks: [BoundedTask] { meters.map { [$0.reads] } ?? [] }

    var meters: StoreMeters? { state.read { $0.shared }?.meters }

    /// Bytes of the journal on the disk; nil before the store is open.
    var journalBytes: Int? { state.read { $0.shared }?.journal.bytes }

    private var shared: SharedParts {
        guard let shared = state.read({ $0.shared }) else {
            preconditionFailure("the store \(configuration.path) is used before it was opened")
        }
        return shared
    }
}

extension SQLiteStore: ReplicaStore {
    package var applied: OrderPlace? { state.read { $0.shared }?.applied.value }

    /// Queues a group for the writer.
    package func apply(
        _ group: OrderedGroup,
        then: @escaping @Sendable (Result<AppliedGroup, BusError>) -> Void
    ) {
        precondition(order != nil, "a store of its own follows no order")
        let entry = StoreEntry.together(group.entries)
        let ordered = CommitQueue.OrderedWork(group: group) { then(.success($0)) }
        add(
            CommitQueue.EntryJob(
                entry: entry, ordered: ordered, queuedBytes: entry.queuedBytes
            ) { if case .failure(let error) = $0 { then(.failure(error)) } })
    }
}
