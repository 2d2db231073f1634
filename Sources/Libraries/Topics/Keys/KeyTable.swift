package import Telemetry

/// The keys that a store remembers, and its decision about the next publish by them.
///
/// A function of the publishes so far and of the times that they took: no clock is read here. Changes
/// count at once, and are undone where their transaction is rolled back.
package struct KeyTable: Sendable {
    /// A publish that is remembered by its key.
    package struct Known: Hashable, Sendable {
        /// The first id of its events.
        package let first: EventID
        /// The time of its events.
        package let time: Timestamp
        package let print: UInt64
        /// Its topic, by name: the topic of that name may be another one by now.
        package let topic: TopicName
        /// Its number in a series; the highest number for a key that stands alone.
        fileprivate let storedNumber: UInt64
        /// The user that counts it; nobody for the highest one.
        fileprivate let storedUser: UInt32
        fileprivate let storedCount: UInt32
        package let windowSeconds: UInt32

        /// How many events it has.
        package var count: Int { Int(storedCount) }
        /// Its number in a series; nil for a key that stands alone.
        package var number: UInt64? { storedNumber == .max ? nil : storedNumber }
        /// The user that counts it; nil for an unknown one.
        package var user: UInt32? { storedUser == .max ? nil : storedUser }
        /// The time from which on it is forgotten.
        package var until: Timestamp {
            time.advanced(microseconds: Int64(windowSeconds) * 1_000_000)
        }

        package init(
            first: EventID, count: Int, time: Timestamp, topic: TopicName, user: UInt32?,
            print: UInt64, number: UInt64?, windowSeconds: UInt32
        ) {
            self.first = first
            self.time = time
            self.print = print
            self.topic = topic
            storedNumber = number ?? .max
            storedUser = user ?? .max
            storedCount = UInt32(count)
            self.windowSeconds = windowSeconds
        }
    }

    /// The decision about a publish with a key.
    package enum Answer: Hashable, Sendable {
        /// It is the first one with its key: it is published.
        case new
        /// Its events are there.
        case repeated(Known)
        /// A later one of its series is there, so it was there too.
        case passed(Known)
        /// The key was given to other events.
        case differs
        /// No more keys are remembered: of its user, or of all.
        case full(isOfUser: Bool)
    }

    /// The time at which a key is forgotten. Of a key that was given again or forgotten before it means
    /// nothing.
    private struct End: Comparable, Sendable {
        let until: Timestamp
        let first: EventID
        let identity: IdempotencyKey.Identity

        static func < (left: End, right: End) -> Bool {
            left.until == right.until ? left.first < right.first : left.until < right.until
        }
    }

    private let keysMax: Int
    private let memory: MemoryBudget?
    private var known: [IdempotencyKey.Identity: Known] = [:]
    private var ends = Heap<End>()
    private var userCounts: [UInt32?: Int] = [:]
    private var ofTopics: [TopicName: Set<IdempotencyKey.Identity>] = [:]
    /// The changes of the open transaction, each with the entry of before.
    private var changes: [(identity: IdempotencyKey.Identity, before: Known?)] = []

    /// A table of no keys, for so many at most.
    package init(keysMax: Int = Limits.idempotencyKeysMax) {
        self.keysMax = keysMax
        memory = nil
    }

    /// A table of no keys, for as many as their part of the memory takes. All hosts of an order take as many as
    /// any other, so that each decides the same.
    package init(in memory: MemoryBudget?, onOrder: Bool = false) {
        self.memory = memory
        let bytesMax = onOrder ? .max : memory?.bytesMax ?? .max
        keysMax = min(
            Limits.idempotencyKeysMax, bytesMax / Limits.keysMemoryFraction / Overhead.keyBytes)
    }

    /// How many keys are remembered.
    package var count: Int { known.count }

    /// How many ends are kept, for tests.
    var endCount: Int { ends.count }

    /// Takes in a key that a store kept, in the order of ids. Returns the first id of the one that it
    /// replaces.
    package mutating func load(
        _ identity: IdempotencyKey.Identity, _ found: Known
    ) -> EventID? {
        let before = known[identity]
        put(found, at: identity)
        return before?.first
    }

    // MARK: Deciding

    /// The decision about a publish with this key, at the time that it would take.
    ///
    /// - Parameter forgotten: Learns the first ids of keys that are forgotten by now.
    /// - Complexity: O(forgotten · log count). ``forget(at:atMost:_:)`` does it before, in parts.
    package mutating func answer(
        to key: IdempotencyKey, of user: UInt32?, at time: Timestamp, forgotten: (EventID) -> Void
    ) -> Answer {
        forget(at: time, atMost: .max, forgotten)
        if let found = known[key.identity] {
            switch (key.number, found.number) {
            case (let number?, let last?) where number > last: return .new
            case (let number?, let last?) where number < last: return .passed(found)
            case (nil, nil), (_?, _?): return found.print == key.print ? .repeated(found) : .differs
            case (nil, _?), (_?, nil): return .differs
            }
        }
        let isOfUser = userCounts[user, default: 0] >= keysMax / 4 * 3
        return isOfUser || known.count >= keysMax ? .full(isOfUser: isOfUser) : .new
    }

    /// The answer to a publish that its key does not let through; nil for one that is published.
    ///
    /// - Parameter forgotten: As in ``answer(to:of:at:forgotten:)``.
    package mutating func refusal(
        of key: IdempotencyKey, by user: UInt32?, at time: Timestamp, forgotten: (EventID) -> Void
    ) -> Answer? {
        let answer = answer(to: key, of: user, at: time, forgotten: forgotten)
        return answer == .new && !key.asks ? nil : answer
    }

    /// Remembers a publish that was new. Returns the first id of the one that it replaces.
    package mutating func note(_ identity: IdempotencyKey.Identity, _ new: Known) -> EventID? {
        let before = known[identity]
        changes.append((identity, before))
        put(new, at: identity)
        return before?.first
    }

    /// Forgets all keys of a topic, which is removed. Returns their first ids.
    ///
    /// - Complexity: O(log n) for each of its n keys.
    package mutating func forget(_ topic: TopicName) -> [EventID] {
        var gone: [EventID] = []
        for identity in ofTopics[topic] ?? [] {
            guard let found = known[identity] else { continue }
            changes.append((identity, found))
            put(nil, at: identity)
            gone.append(found.first)
        }
        return gone.sorted()
    }

    /// Forgets keys whose window is over. No later decision is about a time before this one.
    ///
    /// - Parameter forgotten: Learns their first ids.
    package mutating func forget(
        at time: Timestamp, atMost most: Int, _ forgotten: (EventID) -> Void
    ) {
        var left = most
        while left > 0, let end = ends.first, end.until <= time {
            _ = ends.removeFirst()
            left -= 1
            guard let found = known[end.identity], found.first == end.first else { continue }
            put(nil, at: end.identity)
            forgotten(found.first)
        }
    }

    // MARK: Transactions

    /// The changes so far are there to stay.
    package mutating func committed() { changes.removeAll(keepingCapacity: true) }

    /// The changes since the last commit never were.
    package mutating func rolledBack() {
        for (identity, before) in changes.reversed() { put(before, at: identity) }
        changes = []
    }

    private mutating func put(_ new: Known?, at identity: IdempotencyKey.Identity) {
        let old = known.removeValue(forKey: identity)
        if let old { count(old, -1) }
        if let old, old.topic != new?.topic {
            ofTopics[old.topic]?.remove(identity)
            if ofTopics[old.topic]?.isEmpty == true { ofTopics[old.topic] = nil }
        }
        guard let new else { return }
        known[identity] = new
        count(new, 1)
        if old?.topic != new.topic { ofTopics[new.topic, default: []].insert(identity) }
        ends.insert(End(until: new.until, first: new.first, identity: identity))
        // Most of it means nothing where a series goes on and on.
        if ends.count > 2 * known.count + Limits.staleEndsMin {
            ends.keep { known[$0.identity]?.first == $0.first }
        }
    }

    private mutating func count(_ found: Known, _ difference: Int) {
        memory?.charge(difference * Overhead.keyBytes, to: .keys)
        let ofUser = userCounts[found.user, default: 0] + difference
        userCounts[found.user] = ofUser == 0 ? nil : ofUser
    }
}
