import Protection
import StoreSupport
import TestSupport
import Topics

@testable import SQLiteStore

/// One of the stores there are, open, without a bus: what is behind the seam, with verbs that wait
/// for their answer.
///
/// Ended by one thread; its other verbs go to the store alone and are for every thread.
// @unchecked: see above; `reopened` is called where no other thread has the rig.
final class StoreRig: @unchecked Sendable {
    enum Kind: CaseIterable {
        case memory, shelf, sqlite

        /// Stores that can be asked for what memory let go.
        static let keepingOlder: [Kind] = [.shelf, .sqlite]
        /// Stores that another life can be begun on.
        static let lasting: [Kind] = [.memory, .sqlite]
    }

    let kind: Kind
    let clock: ManualClock
    let contents: StoreContents
    private let folder: TemporaryFolder
    private var held: (any EventStore)?
    private var isClosed = false

    init(
        _ kind: Kind, in folder: TemporaryFolder = TemporaryFolder(inMemory: true),
        clock: ManualClock = ManualClock(), boot: BootClock = .system,
        queueBytesMax: Int = 64 << 20
    ) throws {
        self.kind = kind
        self.clock = clock
        self.folder = folder
        let store: any EventStore =
            switch kind {
            case .memory: MemoryStore(ceiling: try IDCeiling(directory: folder.path))
            case .shelf: ShelfStore()
            case .sqlite:
                SQLiteStore(
                    SQLiteStoreConfiguration(path: "\(folder.path)/belfry.db"),
                    log: StoreBench.silent)
            }
        held = store
        contents = try store.open(
            StoreContext(
                clock: clock, bootClock: boot, commitQueueBytesMax: queueBytesMax))
    }

    deinit {
        close()
    }

    var store: any EventStore { held! }

    /// Ends this life in order; the store can still be asked.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        store.close()
    }

    /// Another life, after this one ended in order.
    func reopened(boot: BootClock = .system) throws -> StoreRig {
        close()
        held = nil
        return try StoreRig(kind, in: folder, clock: clock, boot: boot)
    }

    // MARK: Verbs

    /// What came of something, waited for.
    func wait<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) throws -> Value
    {
        let kept = Protected<Value?>(nil)
        let gate = Gate()
        ask { value in
            kept.value = value
            gate.open()
        }
        try gate.wait(within: .seconds(60))
        return kept.value!
    }

    func commit(_ entry: StoreEntry) throws -> StoreReceipt {
        try wait { store.commit(entry, then: $0) }.get()
    }

    @discardableResult
    func publish(
        _ topic: String, _ texts: String..., type: String? = nil, persists: Bool = true
    ) throws -> [Event] {
        let batch = PublishBatch(
            topic: try TopicName(topic),
            metadata: try EventMetadata(type: type, key: nil, contentType: nil),
            payloads: texts.map { Payload(Array($0.utf8)) })
        guard case .events(let events) = try commit(.events(batch, persists: persists)) else {
            throw WrongReceipt()
        }
        return events
    }

    func remove(_ topic: String) throws -> EventID {
        guard case .removal(let id) = try commit(.removal(try TopicName(topic))) else {
            throw WrongReceipt()
        }
        return id
    }

    func trim(_ topic: String, through id: EventID, _ retention: Retention) throws -> StoreLoss {
        let trim = StoreTrim(
            topic: try TopicName(topic), through: id, retention: retention, now: clock.now())
        return try wait { store.trim(trim, then: $0) }
    }

    /// Reads on until the last id; each page takes the read further.
    func read(
        _ selector: String, from start: StartPosition, through: EventID, type: String? = nil,
        events: Int = 100, bytes: Int = 1 << 20
    ) throws -> [Event] {
        var found: [Event] = []
        var start = start
        while true {
            let request = StoreRead(
                start: start, through: through, selector: try Selector(selector),
                filter: EventFilter(type: type, key: nil),
                limit: ReadLimit(events: events, bytes: bytes))
            let page = try wait { store.read(request, then: $0) }.get()
            guard page.events.count <= events else { throw WrongPage(page: page) }
            found += page.events
            if page.through == through { return found }
            guard page.through > page.after else { throw WrongPage(page: page) }
            start = .after(page.through)
        }
    }

    struct WrongReceipt: Error {}

    struct WrongPage: Error {
        let page: StorePage
    }
}
