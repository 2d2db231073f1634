internal import Queues
package import Topics

/// A host on an order, as a machine without clock, thread and I/O: it brings the entries of the host
/// into the order, and all groups of the order to the replica of the host. It says the next call.
///
/// An entry is answered once this host has applied it. It is refused where it is certain that it is
/// not in the order: because too much waits, or because the order gave no answer for long and the entry
/// is in no append. Where that is not certain, it is unanswered.
package struct OrderHost {
    /// Learns the outcome of an entry. This machine never calls it.
    package typealias Answer = @Sendable (Result<StoreReceipt, BusError>) -> Void
    package typealias Moment = OrderLink.Moment

    /// A read at a cursor that is ahead of this host, and the closure that learns its page.
    package struct AheadRead: Sendable {
        let request: StoreRead
        let then: @Sendable (Result<StorePage, BusError>) -> Void

        /// A read as given.
        package init(
            _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
        ) {
            self.request = request
            self.then = then
        }
    }

    /// The next thing to call, outside the lock of this machine.
    package enum Action: Sendable {
        case look(at: Int64)
        case read(from: Int64, bytesMax: Int)
        case append(EntryOutbox.Append)
        /// Somebody has to decide the requests of this group.
        case decide(AskedGroup)
        case apply(OrderedGroup)
        case refuse([Answer], BusError)
        /// This host has all that the order had when these were asked.
        case answer([AheadRead])
        case end([AheadRead], BusError)
    }

    /// A group that the replica has applied.
    package struct Applied: Sendable {
        fileprivate let place: OrderPlace
        /// The time of its group.
        package var time: Timestamp { place.time }
        /// The outcome, step by step.
        package let steps: [AppliedGroup.Step]
        /// The highest id that the order has given behind it.
        package let newest: EventID
        /// Its entries.
        package let entries: [Entry]
        /// Whether it had requests.
        package let wasDecided: Bool

        /// An entry that was applied.
        package struct Entry: Sendable {
            package let entry: StoreEntry
            /// Whether a request led to it.
            package let isDecided: Bool
            /// Learns its outcome; nil for an entry of another host, and one that was answered before.
            package let answer: Answer?
        }
    }

    private struct Pending {
        let token: UInt128
        let asked: AskedGroup
        /// Nil until its requests are decided.
        var decided: OrderedGroup?
        let bytes: Int
    }

    private let name: String
    private var link: OrderLink
    private var outbox: EntryOutbox
    /// Nil until the order was reached.
    private var applier: Applier?
    private var fault: OrderFault?
    /// The place of the replica.
    private var place: OrderPlace
    /// The place up to which the observer of the store was told everything.
    private var told: OrderPlace
    /// Groups for the replica; the first `handed` are with it.
    private var groups = Ring<Pending>()
    private var groupBytes = 0
    private var handed = 0
    /// Whether somebody decides requests, and does so at this moment.
    private var hasDecider = false
    private var isDeciding = false
    /// Since it refused a group: when it is asked again.
    private var applyRetry: Int64?
    private var refusal: BusError?
    /// When this host makes an append that leads to something though nothing is asked for, by the
    /// clocks of time and of spans.
    private var due: Timestamp?
    private var nextTick: Int64 = .min
    private var isReading = false
    /// The append whose call is under way.
    private var sent: UInt128?
    /// Since when no append is known to be in the order, or refused, though one was made.
    private var unsettledSince: Int64?
    /// Entries whose append was refused.
    private var refused: [Answer] = []
    private var answers: [EntryOutbox.Ticket: Answer] = [:]
    /// The entries that may be without an outcome, and when they were asked for.
    private var asked = Ring<(ticket: EntryOutbox.Ticket, at: Int64)>()
    private var reads: [Int: AheadRead] = [:]
    private var readCounts: [UInt32?: Int] = [:]

    /// - Parameters:
    ///   - name: The name of the host.
    ///   - life: The order.
    ///   - place: The place of the replica.
    ///   - bytesMax: Bytes of entries that may wait.
    package init(_ name: String, on life: OrderLife, at place: OrderPlace, bytesMax: Int) {
        self.name = name
        self.place = place
        told = place
        link = OrderLink(to: life)
        outbox = EntryOutbox(rules: Applier.rules, bytesMax: bytesMax)
    }

    /// Whether something is tried again a little later.
    package var retries: Bool { !link.isUp || applyRetry != nil }

    /// Whether it takes entries and is not behind.
    package func readiness(_ now: Moment) -> Readiness {
        if let error = standstill(now) { return .refusing(error.description) }
        return link.refusal(at: place, now).map { .refusing($0) } ?? .ready
    }

    /// Why entries that are in no append do not wait; nil where they do.
    private func standstill(_ now: Moment) -> BusError? {
        if let fault { return .storeUnreachable(fault.description) }
        if let refusal { return refusal }
        let since = [link.blockedSince(now), unsettledSince].compactMap { $0 }.min() ?? now.passed
        let isOver = now.passed - since >= Limits.patienceMicroseconds
        return isOver ? .storeUnreachable(link.trouble) : nil
    }

    // MARK: Questions to it

    /// Takes an entry, whose outcome `answer` is to learn.
    package mutating func commit(
        _ entry: OrderedEntry, for user: UInt32?, _ now: Moment, _ answer: @escaping Answer
    ) throws(BusError) {
        if let error = standstill(now) { throw error }
        if let detail = link.clockRefusal { throw .storeUnreachable(detail) }
        guard let ticket = outbox.add(entry, for: user) else { throw .commitQueueFull }
        answers[ticket] = answer
        asked.append((ticket, now.passed))
    }

    /// Takes a read at a cursor that is ahead of this host.
    package mutating func ask(_ read: AheadRead) throws(BusError) {
        if let fault { throw .storeUnreachable(fault.description) }
        let user = read.request.client.user
        guard readCounts[user, default: 0] < Limits.questionsPerUserMax else { throw .readsFull }
        readCounts[user, default: 0] += 1
        reads[link.ask()] = read
    }

    /// The reads that wait, by their numbers.
    package var waitingReads: [Int: AheadRead] { reads }

    /// Takes reads back whose clients have left. Returns those that were still there.
    package mutating func forget(_ numbers: [Int]) -> [AheadRead] {
        link.forget(Set(numbers))
        return take(numbers)
    }

    private mutating func take(_ numbers: [Int]) -> [AheadRead] {
        let taken = numbers.compactMap { reads.removeValue(forKey: $0) }
        for user in taken.map(\.request.client.user) {
            let left = readCounts[user, default: 0] - 1
            readCounts[user] = left > 0 ? left : nil
        }
        return taken
    }

    /// Ends everything that waits. Returns the entries that are not in the order and never will be,
    /// those of which nobody knows that, and the reads.
    package mutating func close() -> (refused: [Answer], unknown: [Answer], reads: [AheadRead]) {
        let refused = refused + take(outbox.giveUp())
        self.refused = []
        let unknown = take(answers.keys.sorted { $0.number < $1.number })
        return (refused, unknown, forget(reads.keys.sorted()))
    }

    private mutating func take(_ tickets: [EntryOutbox.Ticket]) -> [Answer] {
        tickets.compactMap { answers.removeValue(forKey: $0) }
    }

    // MARK: The next call

    /// The next thing to call; nil where there is nothing to do at this moment.
    ///
    /// - Parameter draw: Gives a token that nobody has used.
    package mutating func next(_ now: Moment, draw: () -> UInt128) -> Action? {
        if let action = nextEnd(now) { return action }
        let answered = take(link.takeAnswered(at: told))
        if !answered.isEmpty { return .answer(answered) }
        if let action = nextGroup(now) { return action }
        guard fault == nil else { return nil }
        if link.beginLook(at: place, now) { return .look(at: place.sequence) }
        if link.isUp, !isReading, groupBytes < Limits.readBytesMax, let applier {
            isReading = true
            return .read(from: applier.next, bytesMax: Limits.readBytesMax - groupBytes)
        }
        return nextAppend(now, draw)
    }

    /// Entries whose time is over.
    private mutating func nextEnd(_ now: Moment) -> Action? {
        if !refused.isEmpty {
            defer { refused = [] }
            return .refuse(refused, .storeFailed("the order refused the append"))
        }
        if let error = standstill(now) {
            let waiting = take(outbox.giveUp())
            if !waiting.isEmpty { return .refuse(waiting, error) }
        }
        if let fault, !reads.isEmpty {
            return .end(forget(reads.keys.sorted()), .storeUnreachable(fault.description))
        }
        var unknown: [Answer] = []
        while let first = asked.first {
            let isOpen = answers[first.ticket] != nil
            let isOver = now.passed - first.at >= Limits.doubtMicroseconds || fault != nil
            guard !isOpen || isOver else { break }
            _ = asked.removeFirst()
            unknown += take([first.ticket])
        }
        return unknown.isEmpty ? nil : .refuse(unknown, .unanswered)
    }

    private mutating func nextGroup(_ now: Moment) -> Action? {
        if let retry = applyRetry {
            // Those behind the one that it refused come back first.
            guard handed == 0, now.passed >= retry else { return nil }
            applyRetry = nil
        }
        guard handed < groups.count else { return nil }
        guard let group = groups[handed].decided else {
            // Requests are decided by the state behind all groups before.
            guard hasDecider, !isDeciding, handed == 0, told == place else { return nil }
            isDeciding = true
            return .decide(groups[0].asked)
        }
        handed += 1
        return .apply(group)
    }

    /// Requests are decided from now on.
    package mutating func beginDeciding() { hasDecider = true }

    /// Takes in the entries of the group whose requests were to be decided.
    package mutating func decided(_ outcome: Result<[StoreEntry], BusError>, _ now: Moment) {
        isDeciding = false
        switch outcome {
        case .success(let entries): groups[0].decided = groups[0].asked.decided(entries)
        case .failure(let error): waitForReplica(after: error, now)
        }
    }

    private mutating func waitForReplica(after error: BusError, _ now: Moment) {
        // Those behind the first that it refused fail as well, and say less.
        refusal = refusal ?? error
        applyRetry = applyRetry ?? now.passed + Limits.applyRetryMicroseconds
    }

    private mutating func nextAppend(_ now: Moment, _ draw: () -> UInt128) -> Action? {
        guard link.takesAppends, sent == nil, refusal == nil else { return nil }
        if let due, outbox.isIdle, now.time >= due, now.passed >= nextTick {
            nextTick = now.passed + Limits.tickMicroseconds
            outbox.tick()
        }
        let issuer = GroupForm.Issuer(
            host: name, time: now.time, sequence: place.sequence, chain: place.chain)
        guard let append = outbox.next(issuer, token: draw) else { return nil }
        sent = append.token
        unsettledSince = unsettledSince ?? now.passed
        return .append(append)
    }

    // MARK: Outcomes

    package mutating func looked(
        _ found: Result<OrderStanding, OrderTrouble>, _ now: Moment
    ) {
        guard let standing = link.looked(found, at: place, now) else { return }
        if let applier {
            guard standing.low > applier.next else { return }
            fault = fault ?? .hole(after: applier.next - 1, found: standing.low)
        } else {
            applier = Applier(behind: place, low: standing.low)
            // Only a group tells when the next one is due.
            outbox.tick()
        }
    }

    package mutating func read(_ shown: Result<[OrderedItem], OrderTrouble>, _ now: Moment) {
        isReading = false
        switch shown {
        case .failure(let trouble): link.failed(trouble, now)
        case .success(let items):
            for item in items where fault == nil {
                switch applier!.take(item) {
                case .skip: break
                case .stop(let fault): self.fault = fault
                case .apply(let group):
                    let decided = group.decided
                    let queued = decided?.entries.reduce(0) { $0 + $1.queuedBytes } ?? 0
                    let bytes = max(item.bytes.count, queued) + Limits.entryOverheadBytes
                    groups.append(
                        Pending(token: item.token, asked: group, decided: decided, bytes: bytes))
                    groupBytes += bytes
                }
            }
        }
    }

    /// Takes in the outcome of an append. An append that the order has shown needs none.
    package mutating func appended(
        _ token: UInt128, _ outcome: EntryOutbox.Outcome, _ now: Moment
    ) {
        guard sent == token else { return }
        sent = nil
        if outcome == .unknown {
            link.failed(OrderTrouble("the order did not say whether it took an append"), now)
        } else {
            unsettledSince = nil
        }
        refused += take(outbox.settle(token, outcome))
    }

    /// Takes in the outcome of the group that was handed to the replica first; nil where it refused.
    package mutating func applied(
        _ outcome: Result<AppliedGroup, BusError>, _ now: Moment
    ) -> Applied? {
        handed -= 1
        let group: AppliedGroup
        do throws(BusError) {
            group = try outcome.get()
        } catch {
            waitForReplica(after: error, now)
            return nil
        }
        refusal = nil
        let pending = groups.removeFirst()
        // The host of the last append makes the next one, the others where that does not.
        let isLast = outbox.knows(pending.token)
        due = group.due.map {
            isLast ? $0 : max($0, now.time).advanced(microseconds: Limits.tickMicroseconds)
        }
        groupBytes -= pending.bytes
        place = pending.asked.place
        link.follow(place, now)
        if outbox.isUnderWay(pending.token) { (sent, unsettledSince) = (nil, nil) }
        let entries = pending.decided?.entries ?? []
        let tickets = outbox.applied(pending.token).suffix(entries.count)
        let own = tickets.map { answers.removeValue(forKey: $0) }
        return Applied(
            place: place, steps: group.steps, newest: group.newest,
            entries: entries.indices.map { index in
                let isDecided =
                    if case .request = pending.asked.entries[index] { true } else { false }
                return Applied.Entry(
                    entry: entries[index], isDecided: isDecided,
                    answer: own.isEmpty ? nil : own[index])
            }, wasDecided: pending.asked.hasRequests)
    }

    /// Notes that the observer was told all of a group.
    package mutating func tell(_ applied: Applied) { told = applied.place }
}
