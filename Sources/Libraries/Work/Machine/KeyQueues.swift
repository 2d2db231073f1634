internal import Topics

/// The busy keys of a group. At most one job of a key is open, its oldest unsettled one. The others
/// are parked behind that, in the order of ids.
///
/// - Complexity: O(1) for each operation, beside moving the jobs of one key when many of them went.
struct KeyQueues {
    /// A job behind another one of its key.
    struct Parked: Equatable {
        let id: EventID
        let topic: TopicName
    }

    private struct Queue {
        var parked: [Parked] = []
        /// How many jobs were taken from the front.
        var start = 0
    }

    /// One step, to be undone.
    private enum Step {
        case opened(String)
        case closed(String, Queue)
        case parked(String, Parked)
        case promoted(String)
    }

    private var queues: [String: Queue] = [:]
    private var steps: [Step] = []
    /// How many jobs are parked.
    private(set) var parkedCount = 0

    /// Whether a job of this key is open.
    func isBusy(_ key: String) -> Bool { queues[key] != nil }

    /// A job of a key that was free is open.
    mutating func open(_ key: String) {
        queues[key] = Queue()
        steps.append(.opened(key))
    }

    /// A job comes behind the others of its key, which is busy.
    mutating func park(_ job: Parked, behind key: String) {
        queues[key]?.parked.append(job)
        parkedCount += 1
        steps.append(.parked(key, job))
    }

    /// The open job of a key is settled. Returns the next one of the key; with none it is free.
    mutating func settle(_ key: String) -> Parked? {
        guard let queue = queues[key] else { return nil }
        guard queue.start < queue.parked.count else {
            queues[key] = nil
            steps.append(.closed(key, queue))
            return nil
        }
        queues[key]?.start += 1
        parkedCount -= 1
        steps.append(.promoted(key))
        return queue.parked[queue.start]
    }

    /// Jobs that were parked since the last ``keep()`` or ``undo()``, with their keys; some may be open, or
    /// over, by now.
    var newlyParked: [(key: String, job: Parked)] {
        steps.compactMap { if case .parked(let key, let job) = $0 { (key, job) } else { nil } }
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
            case .opened(let key): queues[key] = nil
            case .closed(let key, let queue): queues[key] = queue
            case .parked(let key, _):
                queues[key]?.parked.removeLast()
                parkedCount -= 1
            case .promoted(let key):
                queues[key]?.start -= 1
                parkedCount += 1
            }
        }
    }

    private mutating func trim(_ key: String) {
        guard let queue = queues[key], queue.start > 32, queue.start > queue.parked.count / 2 else {
            return
        }
        queues[key] = Queue(parked: Array(queue.parked[queue.start...]))
    }

    /// The ids of the jobs that are parked behind each busy key.
    var parked: [String: [EventID]] {
        queues.mapValues { $0.parked[$0.start...].map(\.id) }
    }
}
