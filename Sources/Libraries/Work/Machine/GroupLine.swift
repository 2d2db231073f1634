internal import Queues
internal import Topics

/// The number of one request to a group; later requests have higher numbers.
typealias RequestNumber = UInt64

/// The requests that wait for a job of one group, the longest waiting first.
struct GroupLine {
    /// One request that waits.
    struct Entry {
        let number: RequestNumber
        /// The worker; nil where it gave no name.
        let holder: Holder?
        let caller: String
        /// How long its lease is to last, in microseconds; nil for the group's setting.
        let length: Int64?
        let countMax: Int
        /// The token of the lease that it gets.
        let token: LeaseToken
        /// Whether it stays where there is no job.
        var waits: Bool
        /// Whether it stays for the next change, since this one may bring no more from the store.
        var awaitsMore = false
        /// Whether it is to wait for nothing any more.
        var hasLeft = false
        /// The job that it had, and gets again.
        var owed: EventID?
        /// Whether it gets something by the change under way.
        var isServed = false

        /// Whether it stays where there is no job at this moment.
        var stays: Bool { waits || awaitsMore }

        /// Lets it wait no longer, neither for a job nor for the next change.
        mutating func leave() {
            waits = false
            awaitsMore = false
            hasLeft = true
        }
    }

    /// Those that had a job go first, and are few.
    private var owed: [Entry] = []
    private var entries: [Entry] = []
    private var named: [Holder: RequestNumber] = [:]

    var count: Int { owed.count + entries.count }
    var isEmpty: Bool { owed.isEmpty && entries.isEmpty }

    /// Those that get nothing by the change under way, at most so many.
    func waiting(countMax: Int) -> [Entry] {
        var waiting = owed.filter { !$0.isServed }
        for entry in entries where !entry.isServed {
            guard waiting.count < countMax else { break }
            waiting.append(entry)
        }
        return waiting
    }

    /// The first that gets nothing by the change under way so far.
    var firstWaiting: Entry? {
        owed.first { !$0.isServed } ?? entries.first { !$0.isServed }
    }

    /// Whether a job is to go to another request than this one.
    func isOwed(_ id: EventID, except number: RequestNumber) -> Bool {
        owed.contains { $0.owed == id && $0.number != number && !$0.isServed }
    }

    /// Takes a request behind the others. Returns the one of the same worker, which is over.
    mutating func append(_ entry: Entry) -> RequestNumber? {
        var replaced: RequestNumber?
        if let holder = entry.holder {
            replaced = named.updateValue(entry.number, forKey: holder)
            if let replaced { remove(replaced) }
        }
        if entry.owed == nil { entries.append(entry) } else { owed.append(entry) }
        return replaced
    }

    /// Takes a request out; nil if it is not here.
    @discardableResult
    mutating func remove(_ number: RequestNumber) -> Entry? {
        let gone: Entry
        if let index = owed.firstIndex(where: { $0.number == number }) {
            gone = owed.remove(at: index)
        } else if let index = index(of: number) {
            gone = entries.remove(at: index)
        } else {
            return nil
        }
        if let holder = gone.holder, let place = named.index(forKey: holder),
            named[place].value == number
        {
            named.remove(at: place)
        }
        return gone
    }

    /// Takes those out that `isOver` says, and returns them.
    mutating func removeAll(where isOver: (Entry) -> Bool) -> [Entry] {
        let gone = owed.filter(isOver) + entries.filter(isOver)
        for entry in gone { remove(entry.number) }
        return gone
    }

    mutating func change(_ number: RequestNumber, _ body: (inout Entry) -> Void) {
        if let index = owed.firstIndex(where: { $0.number == number }) {
            body(&owed[index])
        } else if let index = index(of: number) {
            body(&entries[index])
        }
    }

    mutating func changeAll(_ body: (inout Entry) -> Void) {
        for index in owed.indices { body(&owed[index]) }
        for index in entries.indices { body(&entries[index]) }
    }

    private func index(of number: RequestNumber) -> Int? {
        let index = entries.partition { $0.number >= number }
        return index < entries.endIndex && entries[index].number == number ? index : nil
    }
}
