internal import Protection
internal import Telemetry
internal import Topics

/// A reader's task: takes reads from the queue, one turn at a time. A read whose client has left
/// takes none.
///
/// Belongs to its thread.
final class Reader: SteppedWork {
    private let events: EventReader
    private let queue: ReadQueue
    private let progress: CommitProgress
    private let path: String
    private let wakeUp = WakeUp()

    init(
        _ database: Database, path: String, shared: SharedParts, log: Log
    ) throws(DatabaseError) {
        events = try EventReader(database, shared.marks, shared.meters.reads) { id, error in
            guard shared.damaged.write({ $0.isNew(id) }) else { return }
            log.error(
                "event \(id) of the store \(path) is damaged (\(error.text)): its readers are told "
                    + "a gap; run belfryd --check-store, and restore a backup if it matters")
        }
        queue = shared.reads
        progress = shared.progress
        self.path = path
    }

    /// Takes one job, until the queue is closed.
    func step(mayWait: Bool) -> WorkStep {
        switch queue.take(sleepingAt: mayWait ? wakeUp : nil) {
        case .closed: return .end
        case .nothing: return .nothing
        case .job(.answer(let answer)): answer()
        case .job(.read(let read)) where read.request.client.hasLeft():
            read.then(.failure(.clientLeft))
        case .job(.read(let read)): turn(read)
        }
        return .done
    }

    private func turn(_ read: ReadJob) {
        var read = read
        do throws(DatabaseError) {
            guard let page = try events.turn(&read) else { return goOn(read) }
            answer(read, .success(page))
        } catch {
            answer(read, .failure(.unreadable(path, error)))
        }
    }

    private func goOn(_ read: ReadJob) {
        if queue.add(.read(read), isUnderWay: true) == .closed { read.then(.failure(.draining)) }
    }

    /// Answers once the log knows every commit that the read may have seen.
    private func answer(_ read: ReadJob, _ outcome: Result<StorePage, BusError>) {
        let queue = queue
        let then = read.then
        // Called on the writer's thread, which has no time to run the answer itself.
        let isSettled = progress.isSettled {
            if queue.add(.answer { then(outcome) }) == .closed { then(.failure(.draining)) }
        }
        if isSettled { then(outcome) }
    }
}
