internal import Queues
package import Topics

/// The entries of one host on their way into an order, as a machine without clock, thread and I/O.
///
/// One append is under way at a time. All entries that come meanwhile go with the next one, user by
/// user in turn. So the entries of a user keep their order, also over failures. An append whose
/// outcome nobody knows is made again with the same token, until that is known.
///
/// A group that is larger than one append travels in parts, one behind the other.
package struct EntryOutbox {
    /// Names an entry as long as its outcome is not known.
    package struct Ticket: Hashable, Sendable {
        let number: UInt64
    }

    /// An append to make.
    package struct Append: Hashable, Sendable {
        /// Names it. An order that has taken it takes it no second time.
        package let token: UInt128
        /// A ``GroupForm``.
        package let bytes: [UInt8]
    }

    /// The outcome of an append.
    package enum Outcome: Hashable, Sendable {
        /// It is in the order.
        case taken
        /// It is not in the order, and never will be.
        case refused
        /// Nobody knows whether it is in the order.
        case unknown
    }

    private struct Waiting {
        let ticket: Ticket
        let bytes: [UInt8]

        var cost: Int { bytes.count + Limits.entryOverheadBytes }
    }

    /// The group under way: the appends that are left of it, the first of which is made, and its
    /// tickets.
    private struct Sent {
        var appends: [Append]
        let last: UInt128
        let group: SentEntries
    }

    /// The entries of a group, by their tickets, and their cost until they are applied.
    private struct SentEntries {
        var tickets: [Ticket]
        var cost = 0
    }

    private let rules: UInt32
    private let bytesMax: Int
    private var lines = TurnLines<UInt32?, Waiting>()
    private var settings: (value: OrderSettings, tickets: [Ticket])?
    private var wantsTick = false
    private var underWay: Sent?
    /// Groups that are in the order, by the token of their last append, and not applied here yet.
    private var taken: [UInt128: SentEntries] = [:]
    private var ticketCount: UInt64 = 0

    /// Bytes of entries that are neither refused nor applied here yet, with an overhead each.
    package private(set) var heldBytes = 0

    /// - Parameters:
    ///   - rules: The number of the rules by which its entries are to be applied.
    ///   - bytesMax: Bytes of entries that may be held. One entry may be held in any case.
    package init(rules: UInt32, bytesMax: Int) {
        self.rules = rules
        self.bytesMax = bytesMax
    }

    /// Whether an append is to be made or is under way.
    package var isIdle: Bool {
        underWay == nil && lines.isEmpty && settings == nil && !wantsTick
    }

    /// Whether this append is under way.
    package func isUnderWay(_ token: UInt128) -> Bool { underWay?.appends.first?.token == token }

    /// Whether this append was made here, and this host has not applied it.
    package func knows(_ token: UInt128) -> Bool { isUnderWay(token) || taken[token] != nil }

    // MARK: Entries

    /// Takes an entry in, behind those of its user. Nil where too much is held.
    package mutating func add(_ entry: OrderedEntry, for user: UInt32?) -> Ticket? {
        let waiting = Waiting(ticket: Ticket(number: ticketCount), bytes: entry.bytes)
        guard heldBytes == 0 || heldBytes + waiting.cost <= bytesMax else { return nil }
        ticketCount += 1
        heldBytes += waiting.cost
        lines.add(waiting, to: user)
        return waiting.ticket
    }

    /// Takes settings of the order in, in place of those that wait.
    package mutating func set(_ value: OrderSettings) -> Ticket {
        defer { ticketCount += 1 }
        let ticket = Ticket(number: ticketCount)
        settings = (value, (settings?.tickets ?? []) + [ticket])
        return ticket
    }

    /// Has a group appended even if nothing waits, so that the time of the order goes on.
    package mutating func tick() { wantsTick = true }

    /// Gives up everything that waits, and was in no append yet.
    package mutating func giveUp() -> [Ticket] {
        wantsTick = false
        defer { settings = nil }
        let waiting = lines.takeAll()
        heldBytes -= waiting.reduce(0) { $0 + $1.cost }
        return waiting.map(\.ticket) + (settings?.tickets ?? [])
    }

    // MARK: Appends

    /// The next append, or the one of unknown outcome again. Nil where nothing waits.
    ///
    /// It is not called between an append and its outcome.
    ///
    /// - Parameters:
    ///   - issuer: This host as it is now.
    ///   - token: Gives a token that nobody has used.
    /// - Complexity: O(bytes of the append).
    package mutating func next(
        _ issuer: GroupForm.Issuer, token: () -> UInt128
    ) -> Append? {
        if underWay == nil { underWay = collect(issuer, token) }
        return underWay?.appends.first
    }

    private mutating func collect(
        _ issuer: GroupForm.Issuer, _ token: () -> UInt128
    ) -> Sent? {
        guard !isIdle else { return nil }
        wantsTick = false
        var entries: [[UInt8]] = []
        var group = SentEntries(tickets: settings?.tickets ?? [])
        lines.take(
            atMost: Limits.groupEntriesMax,
            costing: Limits.appendBytesMax - Limits.headBytesMax, turn: Limits.turnBytes,
            \.bytes.count
        ) { waiting in
            entries.append(waiting.bytes)
            group.tickets.append(waiting.ticket)
            group.cost += waiting.cost
        }
        let form = GroupForm.bytes(rules, issuer, settings?.value, entries: entries)
        settings = nil
        let appends = split(form, issuer, token)
        return Sent(appends: appends, last: appends[appends.count - 1].token, group: group)
    }

    private func split(
        _ form: [UInt8], _ issuer: GroupForm.Issuer, _ token: () -> UInt128
    ) -> [Append] {
        guard form.count > Limits.appendBytesMax else {
            return [Append(token: token(), bytes: form)]
        }
        let (name, size) = (token(), Limits.appendBytesMax - Limits.headBytesMax)
        let count = (form.count + size - 1) / size
        return (0..<count).map { index in
            let part = GroupPart(
                token: name, index: UInt32(index), count: UInt32(count),
                bytes: Array(form[(index * size)..<min(form.count, (index + 1) * size)]))
            let form = GroupForm(rules: rules, issuer: issuer, content: .part(part))
            return Append(token: token(), bytes: form.bytes)
        }
    }

    /// Notes the outcome of the append that is under way. Returns the tickets of entries that are
    /// not in the order and never will be.
    package mutating func settle(_ token: UInt128, _ outcome: Outcome) -> [Ticket] {
        // The order may have shown the append before its outcome came.
        guard let sent = underWay, sent.appends.first?.token == token else { return [] }
        switch outcome {
        case .unknown: return []
        case .refused:
            underWay = nil
            heldBytes -= sent.group.cost
            return sent.group.tickets
        case .taken:
            advance()
            return []
        }
    }

    /// Notes that this host has applied an append that the order has. Returns the tickets of the
    /// entries that came with it: those of a group in parts come with the last one.
    package mutating func applied(_ token: UInt128) -> [Ticket] {
        if isUnderWay(token) { advance() }
        guard let group = taken.removeValue(forKey: token) else { return [] }
        heldBytes -= group.cost
        return group.tickets
    }

    private mutating func advance() {
        underWay?.appends.removeFirst()
        guard let sent = underWay, sent.appends.isEmpty else { return }
        taken[sent.last] = sent.group
        underWay = nil
    }
}
