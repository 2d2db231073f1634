internal import Topics

/// The rows of a selector between two ids, one after the other, rising or falling.
///
/// A few topics are merged by their indexes. If there are many, or finding them takes long, the
/// cursor looks at every row in between.
struct RowCursor {
    /// The result of a cursor's next step.
    enum Step {
        /// A row of the selector, with `EventColumns`.
        case row(Statement)
        /// A row of another topic.
        case passed(EventID)
        /// There are no more rows.
        case end
    }

    private let statements: RowStatements
    private let isRising: Bool
    private var heads: [(next: EventID, rows: Statement)] = []
    private var scan: Statement?
    private let selector: Selector
    /// The topics that a scan has met so far: the last id that each has lost, or nil for a topic
    /// that is not wanted.
    private var met: [Int64: EventID?] = [:]
    private let marks: TopicMarks

    /// A cursor over rows with ids in (after, through].
    init(
        _ statements: RowStatements, _ marks: TopicMarks, selector: Selector, after: EventID,
        through: EventID, isRising: Bool
    ) throws(DatabaseError) {
        self.statements = statements
        self.marks = marks
        self.selector = selector
        self.isRising = isRising
        guard let topics = marks.matching(selector, countMax: Limits.mergedTopicsMax) else {
            scan = try statements.scan(after: after, through: through, isRising: isRising)
            return
        }
        for (slot, topic) in topics.enumerated() {
            let rows = try statements.ids(
                slot, of: topic.number, after: max(after, topic.removedThrough), through: through,
                isRising: isRising)
            if try rows.step() { heads.append((rows.knownID(0), rows)) }
        }
    }

    /// Goes to the next row.
    mutating func next() throws(DatabaseError) -> Step {
        if let scan { return try next(of: scan) }
        var best: Int?
        for (index, head) in heads.enumerated() {
            guard let current = best else {
                best = index
                continue
            }
            if isRising == (head.next < heads[current].next) { best = index }
        }
        guard let best else { return .end }
        let id = heads[best].next
        if try heads[best].rows.step() {
            heads[best].next = heads[best].rows.knownID(0)
        } else {
            heads.remove(at: best)
        }
        return .row(try statements.row(id))
    }

    private mutating func next(of scan: Statement) throws(DatabaseError) -> Step {
        guard try scan.step() else { return .end }
        let id = scan.knownID(EventColumns.id)
        guard let removed = removedThrough(of: scan.integer(EventColumns.topic)), id > removed
        else { return .passed(id) }
        return .row(scan)
    }

    private mutating func removedThrough(of number: Int64) -> EventID? {
        if let known = met[number] { return known }
        let mark = marks.mark(number).flatMap { selector.matches($0.name) ? $0 : nil }
        met[number] = .some(mark?.removedThrough)
        return mark?.removedThrough
    }
}
