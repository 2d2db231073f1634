internal import Queues

/// The events that are held until they are due, and the decision which of them are.
///
/// A function of the entries so far and of the times that are handed in: no clock is read here. Changes count
/// at once, and are undone where their transaction is rolled back.
package struct LaterTable: Sendable {
    /// The way in which held events ended.
    package enum Outcome: Hashable, Sendable {
        /// They are in the log; the id is that of the first of them.
        case published(EventID)
        /// They were cancelled, or went with their topic.
        case cancelled
    }

    /// An end of held events that is remembered.
    package struct Ending: Hashable, Sendable {
        package let topic: TopicName
        package let outcome: Outcome
        package let time: Timestamp

        package init(topic: TopicName, outcome: Outcome, time: Timestamp) {
            self.topic = topic
            self.outcome = outcome
            self.time = time
        }
    }

    /// The moment by which a table decides.
    package struct Moment: Sendable {
        /// The time.
        package let time: Timestamp
        /// The time of the clock that nobody sets; nil where the time of an order counts for both.
        package let now: Int64?

        package init(time: Timestamp, now: Int64?) {
            self.time = time
            self.now = now
        }
    }

    private struct Entry: Comparable {
        let at: Int64
        let ticket: EventID

        static func < (left: Entry, right: Entry) -> Bool {
            left.at == right.at ? left.ticket < right.ticket : left.at < right.at
        }
    }

    /// A ticket as it was before the open transaction changed it.
    private struct Change {
        let ticket: EventID
        let head: HeldHead?
        let ending: Ending?
    }

    /// Events that become visible with one commit, unless a batch alone has more.
    package static let releasedEventsMax = Limits.releasedEventsMax

    private let countMax: Int
    private var heads: [EventID: HeldHead] = [:]
    private var endings: [EventID: Ending] = [:]
    /// Those that are due at a time, and those whose span is over at one. Entries of tickets that are not held
    /// any more mean nothing.
    private var byTime = Heap<Entry>()
    private var bySpan = Heap<Entry>()
    /// The tickets with endings, by the times of these.
    private var byEnding = Heap<Entry>()
    /// The tickets of each topic, rising, and the place of the topic.
    private var ofTopics: [TopicName: (tickets: [EventID], place: Int)] = [:]
    /// The topics for which events are held, each at a place that it keeps as long; nil at one that is free.
    private(set) var topics: [TopicName?] = []
    private var freePlaces: [Int] = []
    private var userCounts: [UInt32?: Int] = [:]
    /// The shares of a second's events that the schedules of each user take.
    private var userRates: [UInt32?: Int] = [:]
    /// The schedules with names.
    private var named: [TopicName: [String: EventID]] = [:]
    private var headBytes = 0
    private var changes: [Change] = []

    /// An empty table, for so many batches at most.
    package init(countMax: Int = Limits.heldBatchesMax) { self.countMax = countMax }

    /// How many batches are held.
    package var count: Int { heads.count }

    /// How many entries its queues have, for tests.
    var entryCount: Int { byTime.count + bySpan.count }

    /// Bytes that it takes in memory, without payloads.
    var memoryBytes: Int { headBytes + endings.count * Overhead.endingBytes }

    /// The head of a ticket; nil where nothing is held by it.
    package subscript(ticket: EventID) -> HeldHead? { heads[ticket] }

    /// How a ticket ended, as far as that is remembered.
    package func ending(of ticket: EventID) -> Ending? { endings[ticket] }

    /// The tickets of a topic, rising.
    func tickets(of topic: TopicName) -> [EventID] { ofTopics[topic]?.tickets ?? [] }

    /// Whether events are held for a topic.
    func holdsAny(for topic: TopicName) -> Bool { ofTopics[topic] != nil }

    /// Takes in held events that a store kept.
    package mutating func load(_ head: HeldHead) { put(head, at: head.ticket) }

    /// Takes in an ending that a store kept.
    package mutating func load(_ ending: Ending, of ticket: EventID) { put(ending, at: ticket) }

    // MARK: Deciding

    /// The decision about events that are to be held.
    package enum Answer: Sendable {
        /// They are held; a schedule of their name ends.
        case new(instead: HeldHead?)
        /// Their schedule is there already.
        case known(HeldHead)
        /// They are not held.
        case refused(BusError)
    }

    /// The decision about events that are to be held.
    package func answer(to held: HeldBatch) -> Answer {
        let (topic, user) = (held.batch.topic, held.batch.sender.uid)
        let name = held.schedule?.name
        let other = name.flatMap { named[topic]?[$0] }.flatMap { heads[$0] }
        if let other {
            if other.schedule == held.schedule, other.sender.uid == user { return .known(other) }
            guard other.sender.uid == user && user != nil || held.replacesOthers else {
                return .refused(.scheduleOfAnother(name ?? ""))
            }
        }
        let freed = other?.sender.uid == user ? 1 : 0
        let isOfUser = userCounts[user, default: 0] - freed >= countMax / 4 * 3
        guard !isOfUser, heads.count - (other == nil ? 0 : 1) < countMax else {
            return .refused(.laterFull(isOfUser: isOfUser))
        }
        let freedRate = freed == 0 ? 0 : other?.schedule?.rate ?? 0
        let rate = userRates[user, default: 0] - freedRate + (held.schedule?.rate ?? 0)
        guard held.schedule == nil || rate <= Limits.scheduleRateMax else {
            return .refused(.schedulesFull)
        }
        return .new(instead: other)
    }

    /// The ticket of the schedule of this name.
    func ticket(of name: String, _ topic: TopicName) -> EventID? { named[topic]?[name] }

    /// The held events that come next of those that are due: by their times, then by their tickets.
    package mutating func next(at moment: Moment) -> HeldHead? {
        let timed = first(of: &byTime, by: moment.time.microseconds)
        let spanned = moment.now.flatMap { first(of: &bySpan, by: $0) }
        guard let timed, let spanned else { return timed ?? spanned }
        return Self.isBefore(timed, spanned) ? timed : spanned
    }

    /// The earliest time at which events are due on an order; nil where none are held.
    package mutating func earliest() -> Timestamp? { first(of: &byTime, by: .max)?.due }

    private func first(of heap: inout Heap<Entry>, by time: Int64) -> HeldHead? {
        while let entry = heap.first, entry.at <= time {
            // That of a schedule is another one by now, where its time was before.
            if let head = heads[entry.ticket], head.key == entry.at { return head }
            _ = heap.removeFirst()
        }
        return nil
    }

    private static func isBefore(_ left: HeldHead, _ right: HeldHead) -> Bool {
        left.due == right.due ? left.ticket < right.ticket : left.due < right.due
    }

    // MARK: Changes

    /// Holds events.
    package mutating func hold(_ head: HeldHead) { change(head.ticket, head, nil) }

    /// Events that are due were published: they are held no more, or until the next time of their schedule. Returns
    /// their head of then; nil where they are held no more.
    package mutating func published(
        _ ticket: EventID, as first: EventID, at time: Timestamp
    ) -> HeldHead? {
        guard let next = heads[ticket]?.next(behind: time) else {
            end(ticket, .published(first), at: time)
            return nil
        }
        change(ticket, next, nil)
        return next
    }

    /// Events are held no more. Returns their head; nil where they were not.
    @discardableResult
    package mutating func end(
        _ ticket: EventID, _ outcome: Outcome, at time: Timestamp
    ) -> HeldHead? {
        guard let head = heads[ticket] else { return nil }
        change(ticket, nil, Ending(topic: head.topic, outcome: outcome, time: time))
        return head
    }

    /// Lets go of events that are held for a topic, which is removed: a number of batches at most, the newest first.
    /// Nobody remembers them. Returns the heads.
    ///
    /// - Complexity: O(log n) for each.
    package mutating func drop(_ topic: TopicName, atMost countMax: Int = .max) -> [HeldHead] {
        // The newest are at the end of their list, where they go without moving others.
        tickets(of: topic).suffix(countMax).reversed().compactMap { ticket in
            defer { change(ticket, nil, nil) }
            return heads[ticket]
        }
    }

    /// The tickets whose endings are old or too many, a bounded number of them. They are forgotten at once.
    package mutating func forgetEndings(at time: Timestamp) -> [EventID] {
        let oldest = time.advanced(microseconds: -Limits.endingMicroseconds).microseconds
        var gone: [EventID] = []
        while gone.count < Limits.forgottenEndingsMax, let first = byEnding.first {
            if endings[first.ticket] != nil {
                guard first.at <= oldest || endings.count > Limits.endingsMax else { break }
                endings[first.ticket] = nil
                gone.append(first.ticket)
            }
            _ = byEnding.removeFirst()
        }
        return gone
    }

    private mutating func change(_ ticket: EventID, _ head: HeldHead?, _ ending: Ending?) {
        changes.append(Change(ticket: ticket, head: heads[ticket], ending: endings[ticket]))
        put(head, at: ticket)
        put(ending, at: ticket)
    }

    private mutating func put(_ new: HeldHead?, at ticket: EventID) {
        if let old = heads.removeValue(forKey: ticket) {
            let index = ofTopics[old.topic]?.tickets.place(of: ticket) ?? 0
            ofTopics[old.topic]?.tickets.remove(at: index)
            if ofTopics[old.topic]?.tickets.isEmpty == true { removeTopic(old.topic) }
            count(old, -1)
        }
        guard let new else { return }
        heads[ticket] = new
        if !holdsAny(for: new.topic) { addTopic(new.topic) }
        let index = ofTopics[new.topic]?.tickets.place(of: ticket) ?? 0
        ofTopics[new.topic]?.tickets.insert(ticket, at: index)
        count(new, 1)
        let entry = Entry(at: new.key, ticket: ticket)
        if new.until == nil { byTime.insert(entry) } else { bySpan.insert(entry) }
        // Most of them mean nothing where much is cancelled.
        guard entryCount > 2 * heads.count + Limits.staleEndsMin else { return }
        byTime.keep { heads[$0.ticket]?.key == $0.at }
        bySpan.keep { heads[$0.ticket]?.key == $0.at }
    }

    private mutating func addTopic(_ topic: TopicName) {
        let place = freePlaces.popLast() ?? topics.count
        if place == topics.count { topics.append(topic) } else { topics[place] = topic }
        ofTopics[topic] = ([], place)
    }

    private mutating func removeTopic(_ topic: TopicName) {
        guard let place = ofTopics.removeValue(forKey: topic)?.place else { return }
        topics[place] = nil
        freePlaces.append(place)
        if ofTopics.isEmpty { (topics, freePlaces) = ([], []) }
    }

    private mutating func put(_ ending: Ending?, at ticket: EventID) {
        endings[ticket] = ending
        if let ending {
            byEnding.insert(Entry(at: ending.time.microseconds, ticket: ticket))
        }
    }

    private mutating func count(_ head: HeldHead, _ difference: Int) {
        headBytes += difference * head.memoryBytes
        let ofUser = userCounts[head.sender.uid, default: 0] + difference
        userCounts[head.sender.uid] = ofUser == 0 ? nil : ofUser
        guard let schedule = head.schedule else { return }
        let rate = userRates[head.sender.uid, default: 0] + difference * schedule.rate
        userRates[head.sender.uid] = rate == 0 ? nil : rate
        guard let name = schedule.name else { return }
        named[head.topic, default: [:]][name] = difference > 0 ? head.ticket : nil
        if named[head.topic]?.isEmpty == true { named[head.topic] = nil }
    }

    // MARK: Transactions

    /// The changes so far are there to stay.
    package mutating func committed() { changes.removeAll(keepingCapacity: true) }

    /// The changes since the last commit never were.
    package mutating func rolledBack() {
        for change in changes.reversed() {
            put(change.head, at: change.ticket)
            put(change.ending, at: change.ticket)
        }
        changes = []
    }
}

extension HeldHead {
    /// The time by which it comes into its queue.
    fileprivate var key: Int64 { until ?? due.microseconds }
}

extension [EventID] {
    /// The place of an id among rising ones, or the one where it would be.
    func place(of id: EventID) -> Int {
        // Most tickets are the newest one.
        guard let last, id <= last else { return count }
        return partition { $0 >= id }
    }
}
