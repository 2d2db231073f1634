internal import Topics

/// Keys that are busy, where at most one job of a key is open: its oldest unsettled one, and what is
/// parked behind that, in the order of ids.
///
/// While a start looks for what is parked, a settled job may leave its key a mark: the key stays busy
/// until it is known which job comes next.
///
/// - Complexity: O(1) for each verb, beside moving what one key has when much of it went.
struct Lanes {
    /// A job behind another one of its key.
    struct Parked: Equatable {
        let id: EventID
        let topic: TopicName
    }

    private struct Lane {
        var parked: [Parked] = []
        /// What was taken from the front.
        var start = 0
        /// The job that is settled, where nobody knows yet what comes behind it.
        var mark: EventID?
    }

    /// One step, to be undone.
    private enum Step {
        case opened(String)
        case closed(String, Lane)
        case parked(String)
        case promoted(String)
        case marked(String)
        case unmarked(String, EventID)
    }

    private var lanes: [String: Lane] = [:]
    private var steps: [Step] = []
    /// How many jobs are parked.
    private(set) var parkedCount = 0
    /// The jobs that left a mark, and their keys.
    private(set) var marks: [EventID: String] = [:] {
        didSet { if marks.isEmpty { marksFrom = nil } }
    }
    /// No mark lies below; nil without one.
    private(set) var marksFrom: EventID?

    /// Whether a job of this key is open.
    func isBusy(_ key: String) -> Bool { lanes[key] != nil }

    /// Whether something was changed since the last ``keep()`` or ``undo()``.
    var isChanged: Bool { !steps.isEmpty }

    /// A job of a key that was free is open.
    mutating func open(_ key: String) {
        lanes[key] = Lane()
        steps.append(.opened(key))
    }

    /// A job comes behind the others of its key, which is busy.
    mutating func park(_ job: Parked, behind key: String) {
        lanes[key]?.parked.append(job)
        parkedCount += 1
        steps.append(.parked(key))
    }

    /// The open job of a key is settled. Returns the next one of the key; with none it is free, or
    /// marked where it is not known yet whether there is one.
    mutating func settle(_ key: String, _ id: EventID, isKnown: Bool) -> Parked? {
        guard let lane = lanes[key] else { return nil }
        guard isKnown || lane.start < lane.parked.count else {
            mark(key, id)
            steps.append(.marked(key))
            return nil
        }
        return goOn(with: key, lane)
    }

    /// Leaves a mark on a key that is busy.
    private mutating func mark(_ key: String, _ id: EventID) {
        lanes[key]?.mark = id
        marks[id] = key
        marksFrom = min(id, marksFrom ?? id)
    }

    /// A job that left a mark before: its key is busy.
    mutating func load(_ mark: KeyMark) {
        if lanes[mark.key] == nil { lanes[mark.key] = Lane() }
        self.mark(mark.key, mark.id)
    }

    /// Marked keys that can go on by what is known, at most so many.
    func settledMarks(isKnown: Bool, countMax: Int) -> [(id: EventID, key: String)] {
        var found: [(id: EventID, key: String)] = []
        for (id, key) in marks {
            guard found.count < countMax else { break }
            guard let lane = lanes[key], isKnown || lane.start < lane.parked.count else { continue }
            found.append((id, key))
        }
        return found
    }

    /// Takes the mark off a key. Returns the next job of the key; with none it is free.
    mutating func unmark(_ key: String) -> Parked? {
        guard let id = lanes[key]?.mark else { return nil }
        lanes[key]?.mark = nil
        marks[id] = nil
        steps.append(.unmarked(key, id))
        return lanes[key].flatMap { goOn(with: key, $0) }
    }

    private mutating func goOn(with key: String, _ lane: Lane) -> Parked? {
        guard lane.start < lane.parked.count else {
            lanes[key] = nil
            steps.append(.closed(key, lane))
            return nil
        }
        let next = lane.parked[lane.start]
        lanes[key]?.start += 1
        parkedCount -= 1
        steps.append(.promoted(key))
        return next
    }

    /// Makes the steps stay.
    mutating func keep() {
        for case .promoted(let key) in steps { trim(key) }
        steps.removeAll(keepingCapacity: true)
    }

    /// Takes back all steps since the last ``keep()``.
    mutating func undo() {
        while let step = steps.popLast() {
            switch step {
            case .opened(let key): lanes[key] = nil
            case .closed(let key, let lane): lanes[key] = lane
            case .parked(let key):
                lanes[key]?.parked.removeLast()
                parkedCount -= 1
            case .promoted(let key):
                lanes[key]?.start -= 1
                parkedCount += 1
            case .marked(let key):
                if let id = lanes[key]?.mark { marks[id] = nil }
                lanes[key]?.mark = nil
            case .unmarked(let key, let id): mark(key, id)
            }
        }
    }

    /// Marks that were left since the last ``keep()`` or ``undo()``.
    var newMarks: [KeyMark] {
        steps.compactMap { step in
            guard case .marked(let key) = step, let id = lanes[key]?.mark else { return nil }
            return KeyMark(id: id, key: key)
        }
    }

    /// Jobs whose marks went since then.
    var goneMarks: [EventID] {
        steps.compactMap { step in
            guard case .unmarked(_, let id) = step else { return nil }
            return id
        }
    }

    private mutating func trim(_ key: String) {
        guard let lane = lanes[key], lane.start > 32, lane.start > lane.parked.count / 2 else {
            return
        }
        lanes[key] = Lane(parked: Array(lane.parked[lane.start...]), mark: lane.mark)
    }

    /// What is parked behind each key that is busy.
    var parked: [String: [EventID]] {
        lanes.mapValues { $0.parked[$0.start...].map(\.id) }
    }
}
