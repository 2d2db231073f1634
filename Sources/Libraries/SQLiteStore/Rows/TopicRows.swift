internal import Topics

/// The topics of the store as the writer knows them: those that exist in memory, tombstones on the
/// disk, and the changes of the transaction under way.
///
/// Belongs to the writer's thread.
struct TopicRows {
    private let database: Database
    private let find: Statement
    private let insert: Statement
    private let update: Statement

    /// Topics that exist, as they were committed.
    private(set) var live: [TopicName: TopicState] = [:]
    private var changed: [TopicName: TopicState] = [:]
    /// Topics whose rows the transaction has removed.
    private var forgotten: Set<TopicName> = []
    /// How many rows a replica has, those of vanished topics included.
    private(set) var rowCount: Int
    private var committedRowCount: Int
    /// The topics that are expected to have events.
    private var silences = SilenceQueue()
    /// Topics whose row lacks the last id they gave without storing it.
    private var unstored: Set<TopicName> = []
    /// Topics with events without a row that are not certain yet, as they were before.
    private var before: [TopicName: TopicState] = [:]

    /// - Parameter rowCount: How many rows there are.
    init(_ database: Database, rowCount: Int) throws(DatabaseError) {
        self.database = database
        self.rowCount = rowCount
        committedRowCount = rowCount
        find = try database.prepare(
            "SELECT \(TopicState.columns) FROM topics WHERE name = ?1")
        insert = try database.prepare(
            """
            INSERT INTO topics (name, registered, persists, lost, lost_time, unstored, events, bytes)
            VALUES (?1, 0, 1, 0, ?2, 0, 0, 0)
            """)
        update = try database.prepare(
            """
            UPDATE topics SET registered = ?2, keep = ?3, bytes_max = ?4, age = ?5, persists = ?6,
                owner = ?7, lost = ?8, lost_time = ?9, unstored = ?10, events = ?11, bytes = ?12,
                hold = ?13, hold_group = ?14, expect = ?15, heard = ?16, silence = ?17, deleted = ?18,
                of_bus = ?19
            WHERE number = ?1
            """)
    }

    /// Takes over a topic that was found at start.
    mutating func load(_ topic: TopicState) {
        live[topic.name] = topic
        silences.note(topic.silence, of: topic.name)
    }

    /// A topic as the transaction has it so far, without a look at its row.
    private func known(_ name: TopicName) -> TopicState? {
        changed[name] ?? (forgotten.contains(name) ? nil : live[name])
    }

    /// A topic that exists, or that exists no more; nil if nothing is known of it.
    func state(of name: TopicName) throws(DatabaseError) -> TopicState? {
        if let state = known(name) { return state }
        find.bind(name.text, at: 1)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return try TopicState(find)
    }

    /// A topic as it is, or a new one that goes on where its tombstone ended, made by `owner`.
    mutating func ensure(_ name: TopicName, owner: UInt32?) throws(DatabaseError) -> TopicState {
        if let state = known(name), state.isLive { return state }
        if var state = try state(of: name) {
            if !state.isLive { state.owner = owner }
            return state
        }
        insert.bind(name.text, at: 1)
        insert.bind(Timestamp.distantPast.microseconds, at: 2)
        try insert.run()
        rowCount += 1
        var state = TopicState(number: database.insertedKey, name: name)
        state.owner = owner
        return state
    }

    /// Whether a start takes every event of a topic for lost anyway.
    func passes(_ name: TopicName) -> Bool {
        guard let state = known(name) else { return false }
        return state.isLive && !state.persists
    }

    /// Notes a state that the transaction gives a topic.
    mutating func change(_ state: TopicState) {
        changed[state.name] = state
        silences.note(state.silence, of: state.name)
    }

    /// The next topic of those of which the bus is to say that they are silent, or are not any more.
    func firstSilence(by now: Int64 = .max) -> (topic: TopicName, silence: Silence)? {
        silences.first(by: now).flatMap { name in
            known(name)?.silence.map { (name, $0) }
        }
    }

    /// Notes the last id that a topic gave without storing it. Needs no transaction, as long as a
    /// start takes everything of the topic for lost.
    mutating func note(unstored id: EventID, of name: TopicName) {
        if before[name] == nil { before[name] = live[name] }
        live[name]?.unstored = id
        changed[name]?.unstored = id
        unstored.insert(name)
    }

    /// Notes that a topic has an event of a publisher, which has no row. Needs no transaction either: a start takes
    /// the topic for heard.
    mutating func hear(_ name: TopicName, at time: Timestamp, now: Int64) {
        live[name]?.silence?.hear(at: time, now: now)
        changed[name]?.silence?.hear(at: time, now: now)
        silences.note(known(name)?.silence, of: name)
    }

    /// Events without a row are certain, and needed no transaction.
    mutating func passed() { before.removeAll(keepingCapacity: true) }

    /// Has the transaction write the topics that it has changed.
    func write() throws(DatabaseError) {
        for state in changed.values { try write(state) }
    }

    private func write(_ state: TopicState) throws(DatabaseError) {
        let retention = state.settings?.retention
        update.bind(state.number, at: 1)
        update.bind(state.settings == nil ? 0 : 1, at: 2)
        update.bind(retention?.keep.map { Int64($0) }, at: 3)
        update.bind(retention?.bytes.map { Int64($0) }, at: 4)
        update.bind(retention?.age, at: 5)
        update.bind(state.persists ? 1 : 0, at: 6)
        update.bind(state.owner.map { Int64($0) }, at: 7)
        update.bind(state.removedThrough, at: 8)
        update.bind(state.removedTime.microseconds, at: 9)
        update.bind(state.unstored, at: 10)
        update.bind(Int64(state.sum.count), at: 11)
        update.bind(Int64(state.sum.bytes), at: 12)
        update.bind(state.settings?.hold?.name, at: 13)
        update.bind(state.settings?.hold?.group.rawValue, at: 14)
        update.bind(state.silence?.expect, at: 15)
        update.bind(state.silence?.heard.microseconds, at: 16)
        update.bind(state.silence?.phase.rawValue, at: 17)
        update.bind(state.deletedThrough, at: 18)
        update.bind(Int64(state.sum.ofBus), at: 19)
        try update.run()
    }

    /// The transaction was committed. Returns the topics it changed: first those whose rows it removed,
    /// which exist no more.
    mutating func committed() -> [TopicState] {
        passed()
        var gone: [TopicState] = []
        for name in forgotten {
            guard var state = live.removeValue(forKey: name) else { continue }
            state.settings = nil
            state.sum.count = 0
            gone.append(state)
        }
        forgotten.removeAll(keepingCapacity: true)
        for state in changed.values {
            live[state.name] = state.isLive ? state : nil
            unstored.remove(state.name)
        }
        committedRowCount = rowCount
        defer { changed.removeAll(keepingCapacity: true) }
        return gone + changed.values
    }

    /// The transaction was rolled back.
    mutating func rolledBack() {
        let names = Set(changed.keys).union(before.keys)
        for (name, state) in before where live[name] != nil { live[name] = state }
        passed()
        changed.removeAll()
        forgotten.removeAll()
        for name in names { silences.note(live[name]?.silence, of: name) }
        rowCount = committedRowCount
    }

    /// Forgets vanished topics whose rows the transaction has removed.
    mutating func forget(_ names: [TopicName]) {
        rowCount -= names.count
        forgotten.formUnion(names)
        for name in names { changed[name] = nil }
    }

    /// Has the transaction write every id that was given without being stored.
    mutating func settleUnstored() {
        for name in unstored {
            if let state = changed[name] ?? live[name] { changed[name] = state }
        }
    }

    /// Topics that exist, with the changes of the transaction.
    var current: [TopicState] {
        guard !changed.isEmpty || !forgotten.isEmpty else { return Array(live.values) }
        let known = live.filter { !forgotten.contains($0.key) }
        return known.merging(changed) { $1 }.values.filter(\.isLive)
    }

    /// Whether an entry is of events of topics that a start takes for lost, and of groups whose progress it forgets.
    func needsNoRow(_ entry: StoreEntry) -> Bool {
        switch entry {
        case .events(let batch, let persists, _):
            // A condition looks at rows.
            batch.idempotencyKey?.asks == true
                || !persists && batch.condition == nil && passes(batch.topic)
        case .work(let change): !change.persists
        case .together(let entries): entries.allSatisfy { needsNoRow($0) }
        case .removal, .registration, .hold, .cancel, .release: false
        }
    }
}
