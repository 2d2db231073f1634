import Protection
import Testing
import Topics

@testable import Ordered

/// A host on an order whose other end a test plays.
struct OrderRig {
    var host: OrderHost
    var items = SampleItems()
    /// Whether the order answers what a test does not ask for.
    var answersLooks = false
    let told = Protected<[BusError?]>([])
    private var passed: Int64 = 1_000_000
    private var tokens: UInt128 = 1

    init(at place: OrderPlace = .beginning(of: SampleItems.life)) {
        host = OrderHost("a", on: SampleItems.life, at: place, bytesMax: 1 << 20)
    }

    var now: OrderHost.Moment {
        OrderHost.Moment(passed: passed, time: Timestamp(microseconds: 5_000_000 + passed))
    }

    mutating func pass(seconds: Int64) { passed += seconds * 1_000_000 }

    var readiness: Readiness { host.readiness(now) }

    // MARK: The users of the host

    mutating func commit(_ text: String) throws(BusError) {
        guard
            case .entries(let entries, _)? = try? SampleItems.form(
                text, rules: 1, issuer: items.issuer()
            ).content
        else { preconditionFailure("a group of one event has entries") }
        let told = told
        try host.commit(entries[0], for: 1, now) { outcome in
            told.write { told in
                if case .failure(let error) = outcome {
                    told.append(error)
                } else {
                    told.append(nil)
                }
            }
        }
    }

    mutating func ask(_ user: UInt32) throws(BusError) {
        guard let selector = try? Selector("a") else { preconditionFailure("a is a topic") }
        var read = StoreRead(
            start: .after(EventID(rawValue: 99)), through: EventID(rawValue: 99),
            selector: selector, filter: .all, limit: ReadLimit(events: 1, bytes: 1))
        read.client = StoreClient(user: user)
        try host.ask(OrderHost.AheadRead(read) { _ in })
    }

    /// Draws tokens that no other rig draws.
    mutating func skipTokens() { tokens += 1 << 64 }

    // MARK: The next call

    private mutating func next() -> OrderHost.Action? {
        var tokens = tokens
        defer { self.tokens = tokens }
        return host.next(now) {
            tokens += 1
            return tokens
        }
    }

    /// Whether there is nothing to do but to read.
    var isAtRest: Bool {
        var copy = self
        while let action = copy.next() {
            guard case .read = action else { return false }
        }
        return true
    }

    /// Whether it reads next.
    mutating func reads() -> Bool {
        if case .read = next() { true } else { false }
    }

    /// The place at which it looks at the order next; nil where it does not look.
    mutating func look() -> Int64? {
        if case .look(let sequence) = next() { sequence } else { nil }
    }

    /// The errors of the entries that are refused next.
    mutating func refused() -> [BusError] {
        switch next() {
        case .refuse(let answers, let error): return answers.map { _ in error }
        case .look where answersLooks:
            answerLook()
            return refused()
        default: return []
        }
    }

    /// How many questions are answered next.
    mutating func answered() -> Int {
        guard case .answer(let reads) = next() else { return 0 }
        return reads.count
    }

    /// How many questions end next, without an answer.
    mutating func ended() -> Int {
        guard case .end(let reads, _) = next() else { return 0 }
        return reads.count
    }

    /// Whether it asks for the requests of a group next.
    mutating func isAskedToDecide() -> Bool {
        if case .decide = next() { true } else { false }
    }

    /// The next group for the replica.
    mutating func nextGroup() throws -> OrderedGroup {
        guard case .apply(let group) = next() else { throw Unexpected() }
        return group
    }

    /// The next append; it may read before that.
    mutating func nextAppend() throws -> EntryOutbox.Append {
        while let action = next() {
            if case .append(let append) = action { return append }
            guard case .read = action else { break }
        }
        throw Unexpected()
    }

    struct Unexpected: Error {}

    // MARK: The order

    static func standing(
        life: OrderLife = SampleItems.life, high: Int64 = 4, chain: UInt128? = 7, line: Int64 = 2,
        time: Timestamp = Timestamp(microseconds: 6_000_000)
    ) -> OrderStanding {
        OrderStanding(life: life, low: 1, high: high, chain: chain, line: line, time: time)
    }

    /// It looks at the order, and everything is well.
    mutating func goUp(clockAhead seconds: Int64 = 0) throws {
        guard look() != nil else { throw Unexpected() }
        answerLook(clockAhead: seconds)
    }

    private mutating func answerLook(clockAhead seconds: Int64 = 0) {
        let time = now.time.advanced(microseconds: seconds * 1_000_000)
        host.looked(
            .success(
                Self.standing(
                    high: Int64(items.items.count), chain: nil, line: 0, time: time)), now)
    }

    /// It looks at the order, and gets no answer.
    mutating func fail() {
        if look() != nil { host.looked(.failure(OrderTrouble("the order is away")), now) }
    }

    /// The order shows an append.
    mutating func show(_ append: EntryOutbox.Append) throws {
        items.add(append.bytes, token: append.token)
        host.read(.success(items.items.suffix(1)), now)
    }

    /// The replica applies the next group. Returns whose its entries were.
    mutating func apply(due: Timestamp? = nil) throws -> [String] {
        _ = try nextGroup()
        guard
            let applied = host.applied(
                .success(AppliedGroup(steps: [], due: due, newest: .zero)), now)
        else {
            throw Unexpected()
        }
        host.tell(applied)
        return applied.entries.map { $0.answer == nil ? "another host's" : "own" }
    }

    /// The texts of the entries of an append.
    static func texts(_ append: EntryOutbox.Append) throws -> [String] {
        guard case .entries(let entries, _) = try GroupForm(append.bytes).content else { return [] }
        return entries.compactMap { entry in
            guard case .publish(let batch, _, _) = entry else { return nil }
            return batch.payloads[0].text
        }
    }
}
