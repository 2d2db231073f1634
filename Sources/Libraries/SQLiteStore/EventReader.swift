internal import Topics

/// Reads pages of events on a connection of its own, a bounded piece of work at a time.
///
/// Belongs to its thread.
final class EventReader {
    private let database: Database
    private let statements: RowStatements
    private let marks: TopicMarks
    private let begin: Statement
    private let end: Statement
    /// What the last event said: the next one often says the same.
    private var attributes = EventAttributes.none

    init(_ database: Database, _ marks: TopicMarks) throws(DatabaseError) {
        self.database = database
        self.marks = marks
        statements = try RowStatements(database)
        begin = try database.prepare("BEGIN")
        end = try database.prepare("COMMIT")
    }

    /// Goes on with a read, at one moment of the store. Returns its page, or nil if it needs
    /// another turn.
    func turn(_ job: inout ReadJob) throws(DatabaseError) -> StorePage? {
        try begin.run()
        defer {
            statements.reset()
            try? end.run()
        }
        switch job.stage {
        case .reading(let after):
            return try read(job.request, after: after)
        case .seeking(let time):
            return try read(job.request, after: try find(time, through: job.request.through))
        case .counting(let count, let found, let first, let below):
            let stage = try self.count(count, job.request, found, first, below)
            job.stage = stage
            guard case .reading(let after) = stage else { return nil }
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
        for _ in 0..<Limits.examinedEventsMax {
            let row: Statement
            switch try cursor.next() {
            case .end:
                return StorePage(events: events, after: after, through: request.through)
            case .passed(let id):
                examined = id
                continue
            case .row(let found): row = found
            }
            let id = row.id(EventColumns.id)
            if Self.isWanted(row, request.filter) {
                let event = try event(row)
                bytes += event.payload.count
                guard events.isEmpty || bytes <= request.limit.bytes else { break }
                events.append(event)
            }
            examined = id
            if events.count == request.limit.events { break }
        }
        return StorePage(events: events, after: after, through: examined)
    }

    private static func isWanted(_ row: Statement, _ filter: EventFilter) -> Bool {
        filter.admits { row.text(EventColumns.of($0)) }
    }

    private func event(_ row: Statement) throws(DatabaseError) -> Event {
        let id = row.id(EventColumns.id)
        guard let mark = marks.mark(row.integer(EventColumns.topic)) else {
            throw DatabaseError(code: -1, text: "the topic of event \(id) is unknown")
        }
        try readAttributes(row, of: id)
        return Event(
            id: id, time: row.time(EventColumns.time), topic: mark.name,
            payload: row.payload(EventColumns.payload), attributes: attributes,
            sender: Sender(
                uid: row.optionalInteger(EventColumns.uid).map { UInt32(truncatingIfNeeded: $0) },
                pid: row.optionalInteger(EventColumns.pid).map { Int32(truncatingIfNeeded: $0) }),
            isStored: true)
    }

    private func readAttributes(_ row: Statement, of id: EventID) throws(DatabaseError) {
        var texts = AttributeTexts()
        var isAsBefore = true
        for attribute in EventAttribute.all {
            texts[attribute] = row.text(EventColumns.of(attribute))
            if texts[attribute] != attributes[attribute] { isAsBefore = false }
        }
        let expires = row.optionalInteger(EventColumns.expires).map(Timestamp.init(microseconds:))
        let labels = row.text(EventColumns.labels)
        if isAsBefore, labels == nil, attributes.labels.isEmpty, expires == attributes.expires {
            return
        }
        do {
            attributes = try EventAttributes(texts).with(
                labels.map { try EventLabels(text: $0) } ?? .none, expires: expires)
        } catch {
            throw DatabaseError(code: -1, text: "event \(id): \(error)")
        }
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
        for _ in 0..<Limits.examinedEventsMax {
            switch try cursor.next() {
            case .end:
                return .reading(after: first?.before ?? request.through)
            case .passed(let id):
                below = id
            case .row(let row):
                below = row.id(EventColumns.id)
                guard Self.isWanted(row, request.filter) else { continue }
                found += 1
                first = below
                if found >= count { return .reading(after: below.before) }
            }
        }
        return .counting(count, found: found, first: first, below: below)
    }
}
