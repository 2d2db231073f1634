internal import Queues
internal import Topics

/// The workers of this host that want a job of one group on an order that hosts share: those that wait,
/// and those whose request is on its way through the order.
///
/// A request there does not wait. A worker that gets nothing waits here, and asks again once there may be
/// something: with the first job that comes one does, then twice as many each time, so that a thousand
/// workers do not ask for one job.
struct LocalLine {
    /// One worker.
    struct Worker {
        let number: RequestNumber
        /// Its next request.
        var next: WorkRequest.Next
        let user: UInt32?
        let then: @Sendable (Result<NextAnswer, WorkError>) -> Void
        /// The result of the settlement that it brought, once that is decided.
        var settled: SettleReceipt?
        var hasLeft = false
        /// Whether another one of its name came meanwhile.
        fileprivate(set) var isReplaced = false
        /// The news that there were when it asked.
        fileprivate var askedAt = 0

        init(
            number: RequestNumber, next: WorkRequest.Next, user: UInt32?,
            then: @escaping @Sendable (Result<NextAnswer, WorkError>) -> Void
        ) {
            self.number = number
            self.next = next
            self.user = user
            self.then = then
        }
    }

    /// The workers that wait, the longest waiting first: in the order of their numbers.
    private var waiting: [Worker] = []
    /// Workers that are to ask.
    private var ready: [Worker] = []
    /// Workers whose request is under way.
    private var asking: [RequestNumber: Worker] = [:]
    /// The newest request of each worker with a name.
    private var named: [Holder: RequestNumber] = [:]
    /// Counts the times at which there may have been something new.
    private var news = 0
    /// Whether there may be a job for a worker that waits.
    private var mayHave = true
    /// How many of those that wait ask at once.
    private var width = 1
    /// Whether a request failed, so that workers ask again a while later.
    private var hasFailed = false
    private var isDraining = false

    /// How many workers there are.
    var count: Int { waiting.count + ready.count + asking.count }
    var isEmpty: Bool { waiting.isEmpty && ready.isEmpty && asking.isEmpty }
    /// Whether workers wait for news.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Takes a worker. Returns the waiting one of its name, which is over; one whose request is under way is
    /// told so with the end of that.
    mutating func add(_ worker: Worker) -> Worker? {
        var worker = worker
        if isDraining { worker.next.waits = false }
        var replaced: Worker?
        if let holder = worker.next.holder {
            replaced = replaceWaiting(holder)
            if let number = named[holder] {
                asking[number]?.isReplaced = true
                if let index = ready.firstIndex(where: { $0.number == number }) {
                    ready[index].isReplaced = true
                }
            }
            named[holder] = worker.number
        }
        // One with a name may have a job already, which it gets again.
        let asks =
            mayHave && waiting.isEmpty || worker.next.settlement != nil
            || worker.next.holder != nil || !worker.next.waits
        if asks { ready.append(worker) } else { waiting.append(worker) }
        return replaced
    }

    /// Takes out the worker of a name that waits, since the order has another request of it: one that is under
    /// way here comes behind that.
    mutating func replaceWaiting(_ holder: Holder) -> Worker? {
        named[holder].flatMap { takeWaiting($0) }
    }

    /// Takes out one that waits; nil where it does not. O(log workers), and the move of those behind it.
    private mutating func takeWaiting(_ number: RequestNumber) -> Worker? {
        let index = waiting.partition { $0.number >= number }
        guard index < waiting.endIndex, waiting[index].number == number else { return nil }
        return over(waiting.remove(at: index))
    }

    /// Forgets the name of a worker that is told something.
    private mutating func over(_ worker: Worker) -> Worker {
        if let holder = worker.next.holder, named[holder] == worker.number { named[holder] = nil }
        return worker
    }

    /// The workers that ask now.
    mutating func takeReady() -> [Worker] {
        if mayHave {
            let room = max(0, width - asking.count - ready.count)
            ready += waiting.prefix(room)
            waiting.removeFirst(min(room, waiting.count))
        }
        for index in ready.indices { ready[index].askedAt = news }
        for worker in ready { asking[worker.number] = worker }
        defer { ready = [] }
        return ready
    }

    /// There may be a job for a worker that waits.
    mutating func wake() {
        news += 1
        mayHave = true
    }

    /// Has workers ask again if a request failed; called each second.
    mutating func sweep() {
        if hasFailed { wake() }
        hasFailed = false
    }

    /// Has workers ask again with the next sweep.
    mutating func tryLater() { hasFailed = true }

    /// Takes out a worker that is to be told the failure of its request.
    mutating func remove(_ number: RequestNumber) -> Worker? {
        asking.removeValue(forKey: number).map { over($0) }
    }

    /// Lets a worker wait no longer. Returns it if it waits; one whose request is under way is answered
    /// with that.
    mutating func cancel(_ number: RequestNumber) -> Worker? {
        if let worker = takeWaiting(number) { return worker }
        if let index = ready.firstIndex(where: { $0.number == number }) {
            return over(ready.remove(at: index))
        }
        asking[number]?.hasLeft = true
        return nil
    }

    /// Lets no worker wait from now on. Returns those that do.
    mutating func drain() -> [Worker] {
        isDraining = true
        defer { waiting = [] }
        return waiting.map { over($0) }
    }

    /// The request of a worker got jobs. Returns the worker, which is to be told.
    mutating func served(_ number: RequestNumber) -> Worker? {
        guard let worker = remove(number) else { return nil }
        mayHave = true
        width = min(2 * width, Limits.servedMax)
        return worker
    }

    /// The request of a worker got no job. Returns the worker where it is to be told, and waits no longer.
    ///
    /// - Parameters:
    ///   - settled: The result of the settlement that it brought.
    ///   - goesOn: Whether there may be jobs that were not looked for.
    mutating func unserved(
        _ number: RequestNumber, settled: SettleReceipt?, goesOn: Bool
    ) -> Worker? {
        guard var worker = asking.removeValue(forKey: number) else { return nil }
        worker.settled = settled ?? worker.settled
        worker.next.settlement = nil
        let isOver = worker.hasLeft || worker.isReplaced
        if goesOn, !isOver {
            ready.append(worker)
            return nil
        }
        guard worker.next.waits, !isOver, !isDraining else { return over(worker) }
        if news == worker.askedAt { (mayHave, width) = (false, 1) }
        waiting.insert(worker, at: waiting.partition { $0.number >= number })
        return nil
    }

    /// The order did not take the request of a worker. Returns the worker where it is to be told: one that
    /// waits, and brought no settlement, asks again later.
    mutating func failed(_ number: RequestNumber) -> Worker? {
        guard let worker = asking[number] else { return nil }
        tryLater()
        guard worker.next.settlement == nil, worker.next.waits else {
            return remove(number)
        }
        return unserved(number, settled: nil, goesOn: false)
    }

    /// Takes out everybody, since the group is gone.
    mutating func removeAll() -> [Worker] {
        defer { (waiting, ready) = ([], []) }
        return (waiting + ready).map { over($0) }
    }
}
