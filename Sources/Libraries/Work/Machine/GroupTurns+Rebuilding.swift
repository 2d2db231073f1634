internal import Topics

/// How a group finds what is parked after a start, beside its turns; requests do not wait for that,
/// only jobs behind the reach do.
extension GroupTurns {
    /// A part of the log that may be parked.
    struct Rebuilt {
        var parked: [Parked] = []
        var gap: Gap?
        /// Where to read on; nil at the end.
        var next: LogPosition?
    }

    /// What is kept of an event that may be parked.
    struct Parked {
        let id: EventID
        let topic: TopicName
        let key: String
    }

    /// The look at the log for what is parked, which goes on beside turns.
    enum Search {
        case resting
        /// Begun in this epoch: a seek takes what it looks for.
        case underWay(epoch: Int64)
        case found(Result<Rebuilt, BusError>, epoch: Int64)
        /// It failed, and is tried again later.
        case put
    }

    /// Looks on, unless a look is under way.
    mutating func beginSearch() -> Step? {
        guard case .resting = search, !isRemoved, let position = machine.rebuilding else {
            return nil
        }
        search = .underWay(epoch: machine.record.epoch)
        return .rebuild(position)
    }

    /// Takes what the look found, between two turns.
    mutating func takeFound() {
        guard case .found(let outcome, let epoch) = search else { return }
        search = .resting
        guard epoch == machine.record.epoch, machine.rebuilding != nil else { return }
        switch outcome {
        case .success(let found):
            if let gap = found.gap { machine.miss(gap) }
            machine.rebuild(found.parked, next: found.next)
            settlesMarks = machine.hasSettledMarks
            endSearch()
        case .failure(let error):
            search = .put
            refuseWaiting(.bus(error))
        }
    }

    /// Whoever waited for the end of the look gets what there is, once marked keys have gone on.
    mutating func endSearch() {
        guard machine.rebuilding == nil, !settlesMarks else { return }
        isWorthALook = true
        isLeaving = true
        machine.line.changeAll { $0.awaitsSearch = false }
    }

    /// Those who wait for a job get none; what they settled before stays told.
    private mutating func refuseWaiting(_ error: WorkError) {
        let waiting = machine.line.removeAll { _ in true }
        guard !waiting.isEmpty else { return }
        turn = Turn(stage: .answering, requests: [], tally: machine.record.tally)
        for entry in waiting {
            let done = settled.removeValue(forKey: entry.number)
            answer(entry.number, done.map { .success(.nothing($0)) } ?? .failure(error))
        }
    }

    /// What the log has that may be parked, and where to read on.
    mutating func rebuilt(_ outcome: Result<Rebuilt, BusError>) {
        guard case .underWay(let epoch) = search else { return }
        search = .found(outcome, epoch: epoch)
    }

    // MARK: Marks

    /// Begins a turn that goes on with keys that were marked.
    mutating func beginSettlingMarks() {
        settlesMarks = false
        machine.begin()
        turn = Turn(stage: .applying, requests: [], tally: machine.record.tally)
        turn?.settlesMarks = true
    }
}
