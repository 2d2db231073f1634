internal import Telemetry
internal import Topics

/// Reads pages of events on a connection of its own, a bounded number of events in a turn.
///
/// Belongs to its thread.
final class EventReader {
    private let database: Database
    private let statements: RowStatements
    private let marks: TopicMarks
    private let begin: Statement
    private let end: Statement
    private let held: Statement
    private let work: BoundedTask
    /// Events that it may still look at in this turn.
    private var stepsLeft = 0
    private let tellDamaged: (EventID, DatabaseError) -> Void
    private var metadata = MetadataColumns()

    /// - Parameters:
    ///   - work: Counts its turns, and bounds them.
    ///   - tellDamaged: Takes an event that makes no sense, and why.
    init(
        _ database: Database, _ marks: TopicMarks, _ work: BoundedTask,
        tellDamaged: @escaping (EventID, DatabaseError) -> Void
    ) throws(DatabaseError) {
        self.database = database
        self.marks = marks
        self.work = work
        self.tellDamaged = tellDamaged
        statements = try RowStatements(database)
        begin = try database.prepare("BEGIN")
        end = try database.prepare("COMMIT")
        held = try database.prepare(
            "SELECT id, payload FROM held WHERE id > ?1 AND id <= ?2 ORDER BY id")
    }

    /// Goes on with a read, at one moment of the store. Returns its page, or nil if it needs
    /// another turn.
    func turn(_ job: inout ReadJob) throws(DatabaseError) -> StorePage? {
        try begin.run()
        stepsLeft = work.stepsMax
        defer {
            work.countTurn(of: work.stepsMax - stepsLeft)
            statements.reset()
            try? end.run()
        }
        switch job.stage {
        case .reading(let after) where job.request.isOfHeld:
            return try readHeld(job.request, after: after)
        case .reading(let after):
            return try read(job.request, after: after)
        case .seeking(let time):
            return try read(job.request, after: try find(time, through: job.request.through))
        case .counting(let count, let found, let first, let below):
            let stage = try self.count(count, job.request, found, first, below)
            job.stage = stage
            guard case .reading(let after) = stage, stepsLeft > 0 else { return nil }
            return try read(job.request, after: after)
        }
    }

    // MARK: Reading on

    private func read(_ request: StoreRead, after: EventID) throws(DatabaseError) -> StorePage {
        var cursor = try RowCursor(
            statements, marks, selector: request.selector, after: after, through: request.through,
            isRising: true)
        var events: [Event] = []
        var bytes = 0
        var examined = after
        while stepsLeft > 0 {
            let row: Statement
            stepsLeft -= 1
            switch try cursor.next() {
            case .end:
                return StorePage(events: events, after: after, through: request.through)
            case .passed(let id):
                examined = id
                continue
            case .row(let found): row = found
            }
            let id = row.knownID(EventColumns.id)
            if Self.isWanted(row, request.filter),
                let mark = marks.mark(row.integer(EventColumns.topic))
            {
                let event: Event
                do throws(DatabaseError) {
                    event = try self.event(row, of: mark.name)
                } catch {
                    guard events.isEmpty else {
                        return StorePage(events: events, after: after, through: id.before)
                    }
                    tellDamaged(id, error)
                    return StorePage(events: [], after: after, through: id, endsDamaged: true)
                }
                bytes += event.payload.count
                guard events.isEmpty || bytes <= request.limit.bytes else { break }
                events.append(event)
            }
            examined = id
            if events.count == request.limit.events { break }
        }
        return StorePage(events: events, after: after, through: examined)
    }

    /// Events that are held. Their heads have all but their payloads.
    private func readHeld(
        _ request: StoreRead, after: EventID
    ) throws(DatabaseError) -> StorePage {
        guard let topic = request.selector.singleName else {
            preconditionFailure("a ticket is one of a topic")
        }
        held.bind(after, at: 1)
        held.bind(request.through, at: 2)
        defer { held.reset() }
        var events: [Event] = []
        var bytes = 0
        while stepsLeft > 0, events.count < request.limit.events, try held.step() {
            stepsLeft -= 1
            let payload = held.payload(1)
            bytes += payload.count
            guard events.isEmpty || bytes <= request.limit.bytes else { break }
            events.append(
                Event(
                    id: try held.id(0, .heldID), time: .distantPast, topic: topic,
                    payload: payload, metadata: .none, sender: .unknown, isStored: true))
        }
        return StorePage(events: events, after: after, through: events.last?.id ?? request.through)
    }

    private static func isWanted(_ row: Statement, _ filter: EventFilter) -> Bool {
        filter.admits(
            { row.text(EventColumns.of($0.field)) },
            attributes: { row.text(EventColumns.attributes) })
    }

    /// - Throws: `DatabaseError`, which names the value of the row that makes no sense.
    private func event(_ row: Statement, of topic: TopicName) throws(DatabaseError) -> Event {
        let pid = try row.optionalInteger(EventColumns.pid, .eventPID)
        return Event(
            id: try row.id(EventColumns.id, .eventID),
            time: try row.time(EventColumns.time, .eventTime), topic: topic,
            payload: row.payload(EventColumns.payload), metadata: try metadata.read(row),
            sender: Sender(
                uid: try row.user(EventColumns.uid, .eventUID), pid: pid.map { Int32($0) }),
            isStored: true,
            isRevived: try row.optionalInteger(EventColumns.revived, .eventRevived) == 1)
    }

    // MARK: Finding where to begin

    /// The cursor before the first event of a time or later. Times rise with ids.
    private func find(
        _ time: Timestamp, through: EventID
    ) throws(DatabaseError) -> EventID {
        guard let oldest = try statements.first(from: .zero) else { return through }
        var low = oldest.id
        var high = through.successor
        while low < high {
            let middle = EventID(rawValue: low.rawValue + (high.rawValue - low.rawValue) / 2)
            if let row = try statements.first(from: middle), row.time < time {
                low = row.id.successor
            } else {
                high = middle
            }
        }
        return min(low.before, through)
    }

    /// Goes on counting wanted events from the end.
    private func count(
        _ count: Int, _ request: StoreRead, _ found: Int, _ first: EventID?, _ below: EventID
    ) throws(DatabaseError) -> ReadJob.Stage {
        var (found, first, below) = (found, first, below)
        var cursor = try RowCursor(
            statements, marks, selector: request.selector, after: .zero, through: below.before,
            isRising: false)
        while stepsLeft > 0 {
            stepsLeft -= 1
            switch try cursor.next() {
            case .end:
                return .reading(after: first?.before ?? request.through)
            case .passed(let id):
                below = id
            case .row(let row):
                below = row.knownID(EventColumns.id)
                guard Self.isWanted(row, request.filter) else { continue }
                found += 1
                first = below
                if found >= count { return .reading(after: below.before) }
            }
        }
        return .counting(count, found: found, first: first, below: below)
    }
}
