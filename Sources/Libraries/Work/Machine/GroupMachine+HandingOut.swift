internal import Topics

/// How jobs come to workers that wait.
extension GroupMachine {
    /// The events that the log is asked for before jobs can be handed out.
    struct Wants {
        /// Events of open jobs.
        var known: [(id: EventID, topic: TopicName)] = []
        /// How many events behind the reach; 0 for none.
        var freshMax = 0

        var isEmpty: Bool { known.isEmpty && freshMax == 0 }
    }

    /// An event as the log has it.
    enum Found {
        case event(Event)
        /// Its time to live is over, or nobody waits for the reply any more.
        case over(Event)
        case gone
    }

    /// The events that the log has.
    struct Supply {
        /// Events of open jobs that were asked for.
        var known: [EventID: Found] = [:]
        var fresh = Fresh.unknown
        /// Whether some were read from the store: their memory counts until they are handed on.
        var isOfStore = false
    }

    /// The events behind the reach.
    enum Fresh {
        /// Nobody looked.
        case unknown
        /// These, with whether each is over already, up to `next`; there may be more if cut short.
        case events([(event: Event, isOver: Bool)], next: LogPosition, isCutShort: Bool)
        /// Something is missing; look again from `next`.
        case gap(Gap, next: LogPosition)
    }

    /// How many more jobs of all groups there may be.
    struct Room {
        var open: Int
        var parked: Int
        var openPerGroup: Int
        var parkedPerGroup: Int
    }

    /// The jobs that one worker gets.
    struct LeasedJobs {
        let number: RequestNumber
        let lease: LeaseText
        /// When the lease passes, by the clock of the group.
        let until: Int64
        let jobs: [(event: Event, attempt: Int)]
        let gap: Gap?
    }

    /// Takes a request into the line. Returns the waiting one of the same worker, which is over.
    ///
    /// If the worker has jobs, the first of them comes again to this request.
    mutating func enter(_ entry: GroupLine.Entry, now: Int64) -> RequestNumber? {
        var entry = entry
        entry.owed = takeBack(from: entry.holder, now: now)
        return line.append(entry)
    }

    /// Takes the first job back that a worker has and can get again; those before it die.
    ///
    /// The rest of a batch stays the worker's until the lease passes: another loop of the same name
    /// may be at it, and no other worker gets it sooner than was promised.
    private mutating func takeBack(from holder: Holder?, now: Int64) -> EventID? {
        guard let holder else { return nil }
        for id in table.jobs(of: holder) {
            guard var job = table.jobs[id], let token = job.lease else { continue }
            table.release(id, from: token)
            job.lease = nil
            job.due = now
            job.isRefused = false
            job.queue = queue(of: job)
            table.put(job, at: id)
            if job.queue == .again { return id }
        }
        return nil
    }

    /// Goes on behind a job that was over before it could be handed out. If it was to come again to
    /// this worker, the worker's next job does so instead.
    private mutating func goOn(behind id: EventID, for entry: GroupLine.Entry, now: Int64) {
        guard entry.owed == id else { return }
        let next = takeBack(from: entry.holder, now: now)
        line.change(entry.number) { $0.owed = next }
    }

    /// Whether the worker has jobs.
    func hasJobs(_ holder: Holder?) -> Bool { holder.map { table.holders[$0] != nil } ?? false }

    /// The events that have to be read before waiting workers can be served.
    func wants(in room: Room) -> Wants {
        var wants = Wants()
        var left = record.inFlightMax - table.leasedCount
        var freshLeft = freshRoom(in: room)
        var taken: Set<EventID> = []
        var next = 0
        for entry in line.waiting(countMax: Limits.servedMax) {
            guard left > 0 else { break }
            if let id = known(for: entry, taken, &next), let job = table.jobs[id] {
                taken.insert(id)
                wants.known.append((id, job.topic))
                left -= 1
            } else if freshLeft > 0 {
                let count = min(entry.countMax, left, freshLeft)
                wants.freshMax += count
                left -= count
                freshLeft -= count
            }
        }
        return wants
    }

    /// The job that comes again and goes to this request, beside those that are taken.
    private func known(
        for entry: GroupLine.Entry, _ taken: Set<EventID>, _ next: inout Int
    ) -> EventID? {
        if let owed = entry.owed, !taken.contains(owed), table.jobs[owed]?.queue == .again {
            return owed
        }
        while next < table.again.count {
            let id = table.again.ids[next]
            if !taken.contains(id), !line.isOwed(id, except: entry.number) { return id }
            next += 1
        }
        return nil
    }

    private func freshRoom(in room: Room) -> Int {
        min(room.open, room.openPerGroup - table.jobs.count)
    }

    /// Serves waiting workers with the events that were read.
    ///
    /// - Returns: The jobs that workers get, and whether more may come once the log was asked
    ///   again.
    mutating func serve(
        from supply: Supply, in room: Room, now: Int64
    ) -> (grants: [LeasedJobs], goesOn: Bool) {
        var grants: [LeasedJobs] = []
        var fresh = FreshEvents(supply.fresh)
        if case .gap(let gap, let next) = supply.fresh {
            miss(gap)
            reach(next)
        }
        while let entry = line.firstWaiting, table.leasedCount < record.inFlightMax {
            var next = 0
            if let id = known(for: entry, [], &next) {
                guard let found = supply.known[id] else { return (grants, true) }
                switch found {
                case .gone: lose(id, now: now)
                case .over: close(id, now: now, \.expired)
                case .event(let event):
                    grants.append(grant([event], to: entry, now: now))
                    continue
                }
                goOn(behind: id, for: entry, now: now)
                continue
            }
            guard freshRoom(in: room) > 0 else { break }
            let events = take(
                upTo: min(
                    entry.countMax, record.inFlightMax - table.leasedCount,
                    freshRoom(in: room)),
                from: &fresh, in: room)
            guard !events.isEmpty else {
                return (grants, fresh.isCutShort && !fresh.isStopped)
            }
            grants.append(grant(events, to: entry, now: now))
        }
        return (grants, false)
    }

    /// Events behind the reach, on their way into the group.
    private struct FreshEvents {
        var events: [(event: Event, isOver: Bool)] = []
        var index = 0
        var next: LogPosition?
        /// Whether the log may have more.
        var isCutShort = true
        /// Whether there is no room to park the next event.
        var isStopped = false

        init(_ fresh: Fresh) {
            guard case .events(let events, let next, let isCutShort) = fresh else { return }
            self.events = events
            self.next = next
            self.isCutShort = isCutShort
        }
    }

    /// Takes events that can be jobs at once; those whose key is busy are parked.
    private mutating func take(
        upTo countMax: Int, from fresh: inout FreshEvents, in room: Room
    ) -> [Event] {
        var taken: [Event] = []
        var bytes = 0
        while fresh.index < fresh.events.count {
            let (event, isOver) = fresh.events[fresh.index]
            let key = record.isOrderedByKey ? event.metadata.key : nil
            if !filter.admits(event) {
                passBy(event.id)
            } else if let key, table.keyQueues.isBusy(key) {
                let parked = table.keyQueues.parkedCount
                guard parked < room.parkedPerGroup, parked < room.parked else {
                    fresh.isStopped = true
                    return taken
                }
                table.keyQueues.park(
                    KeyQueues.Parked(id: event.id, topic: event.topic), behind: key)
                skip(through: event.id, isExpired: false)
            } else if isOver {
                skip(through: event.id, isExpired: true)
            } else {
                guard taken.count < countMax,
                    taken.isEmpty || bytes + event.payload.count <= Limits.batchBytesMax
                else { return taken }
                bytes += event.payload.count
                taken.append(event)
                skip(through: event.id, isExpired: false)
                if let key { table.keyQueues.open(key) }
            }
            fresh.index += 1
        }
        if let next = fresh.next { reach(next) }
        return taken
    }

    private mutating func grant(
        _ events: [Event], to entry: GroupLine.Entry, now: Int64
    ) -> LeasedJobs {
        let length = entry.length ?? record.lease
        table.set(
            Lease(
                jobs: events.map(\.id), length: length, holder: entry.holder,
                caller: entry.caller),
            at: entry.token)
        var jobs: [(event: Event, attempt: Int)] = []
        for event in events {
            var job =
                table.jobs[event.id]
                ?? OpenJob(
                    topic: event.topic,
                    key: record.isOrderedByKey ? event.metadata.key : nil, attempt: 0, due: now)
            if let old = job.lease { table.release(event.id, from: old) }
            job.lease = entry.token
            job.length = length
            job.due = now + length
            job.queue = nil
            job.isRefused = false
            job.attempt += 1
            job.words = nil
            job.visible = event.time
            table.put(job, at: event.id)
            jobs.append((event, job.attempt))
        }
        line.change(entry.number) { $0.isServed = true }
        return LeasedJobs(
            number: entry.number,
            lease: LeaseText(
                group: number, epoch: record.epoch, ids: events[0].id...events[events.count - 1].id,
                token: entry.token),
            until: now + length, jobs: jobs, gap: takeUntold())
    }
}
