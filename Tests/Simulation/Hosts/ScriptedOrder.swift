import Ordered
import StoreSupport
import TestSupport
import Topics

/// An order of several hosts in one thread: its server takes appends, which a second server has a little
/// later. Only then are they answered and shown. What the second one does not have yet is lost where it
/// takes over.
///
/// A script, or chance, says which call goes on next and how: well, without an answer, twice, late, or
/// never.
// @unchecked: everything that has it is in one thread.
final class ScriptedOrder: @unchecked Sendable {
    /// How a call goes on.
    enum Fate: CaseIterable {
        case well
        /// It had no effect, and there is no answer.
        case lost
        /// It had its effect, and there is no answer.
        case unanswered
        /// It has its effect later, and there is no answer.
        case late
        /// The server has forgotten that it took the append already.
        case forgetful
    }

    /// An append that the second server does not have yet, and those who wait for that.
    private struct Doubtful {
        let append: EntryOutbox.Append
        let line: Int64
        var waiting: [(EntryOutbox.Outcome) -> Void]
    }

    let life: OrderLife
    /// The clock of the server.
    let clock: ManualClock
    /// What both servers have.
    private(set) var items: [OrderedItem] = []
    private var doubtful: [Doubtful] = []
    /// Appends that come to the server later.
    private var late: [EntryOutbox.Append] = []
    private(set) var line: Int64 = 1
    private var connections: [ScriptedConnection] = []
    /// What is broken on purpose.
    let fault: HostsFault?
    var met: Set<HostsEvent> = []

    init(life: OrderLife, clock: ManualClock, fault: HostsFault? = nil) {
        self.life = life
        self.clock = clock
        self.fault = fault
    }

    /// What one host sees of it.
    func connect() -> ScriptedConnection {
        let connection = ScriptedConnection(to: self)
        connections.append(connection)
        return connection
    }

    /// Forgets a connection that is closed.
    func forget(_ connection: ScriptedConnection) {
        connections.removeAll { $0 === connection }
    }

    // MARK: Steps

    /// One thing happens, if any can.
    func step(using random: inout SeededRandom, isWell: Bool = false) {
        let ready = connections.filter(\.canGoOn)
        // Where it is shown by a fault, there is more of it.
        let isSlow = fault == .showsBeforeTheBarrier && !isWell
        switch Int.random(in: 0..<(isSlow ? 12 : 3), using: &random) {
        case 0 where !doubtful.isEmpty: confirm()
        case 1 where !late.isEmpty:
            take(late.remove(at: Int.random(in: late.indices, using: &random))) { _ in }
        default:
            guard let connection = ready.randomElement(using: &random) else {
                return isSlow || Bool.random(using: &random) && !isWell ? () : confirm()
            }
            var fate = Fate.well
            if !isWell, Int.random(in: 0..<8, using: &random) == 0 {
                fate = Fate.allCases.randomElement(using: &random)!
            }
            connection.goOn(fate, using: &random)
        }
    }

    /// Lets all that is under way go on well. Returns whether there was anything.
    func settle() -> Bool {
        var random = SeededRandom(seed: 1)
        var isBusy = false
        while !doubtful.isEmpty || !late.isEmpty || connections.contains(where: \.canGoOn) {
            isBusy = true
            step(using: &random, isWell: true)
        }
        return isBusy
    }

    /// The second server takes over, with all that it has and so many of the appends that it may have.
    ///
    /// - Parameter isLeft: Whether the next host goes on speaking to the first one.
    func failOver(keeping count: Int, clockBy microseconds: Int64, isLeft: () -> Bool) {
        line += 1
        for _ in 0..<min(count, doubtful.count) { confirm() }
        let lost = doubtful
        met.formUnion(lost.isEmpty ? [] : [.lostAppend])
        doubtful = []
        clock.advance(microseconds: microseconds)
        for one in lost { for then in one.waiting { then(.unknown) } }
        for connection in connections where isLeft() { connection.leaveBehind(at: items.count) }
    }

    // MARK: The server

    /// Takes an append in, unless it is there.
    func take(
        _ append: EntryOutbox.Append, isForgetful: Bool = false,
        then: @escaping (EntryOutbox.Outcome) -> Void
    ) {
        if !isForgetful {
            if items.contains(where: { $0.token == append.token }) { return then(.taken) }
            if let index = doubtful.firstIndex(where: { $0.append.token == append.token }) {
                return doubtful[index].waiting.append(then)
            }
        }
        if has(append.token) { met.insert(.repeatedAppend) }
        doubtful.append(Doubtful(append: append, line: line, waiting: [then]))
    }

    /// Whether it has taken an append.
    func has(_ token: UInt128) -> Bool {
        items.contains { $0.token == token } || doubtful.contains { $0.append.token == token }
    }

    /// Has it come again later, though its host knows nothing of that.
    func takeLate(_ append: EntryOutbox.Append) { late.append(append) }

    /// The second server has the next append too.
    private func confirm() {
        guard !doubtful.isEmpty else { return }
        let first = doubtful.removeFirst()
        items.append(item(of: first, behind: items))
        for then in first.waiting { then(.taken) }
    }

    private func item(of one: Doubtful, behind items: [OrderedItem]) -> OrderedItem {
        OrderedItem(
            sequence: Int64(items.count) + 1, token: one.append.token,
            chain: OrderedItem.chain(
                after: items.last?.chain ?? life.identity, token: one.append.token),
            line: one.line, time: clock.now(), bytes: one.append.bytes)
    }

    /// What the server shows.
    var shown: [OrderedItem] {
        guard fault == .showsBeforeTheBarrier else { return items }
        return doubtful.reduce(into: items) { $0.append(item(of: $1, behind: $0)) }
    }

    func standing(at sequence: Int64) -> OrderStanding {
        let shown = shown
        let chain = shown.first { $0.sequence == sequence }?.chain
        return OrderStanding(
            life: life, low: 1, high: Int64(shown.count),
            chain: sequence == 0 ? life.identity : chain, line: line, time: clock.now())
    }
}

/// The way of one host to a scripted order.
// @unchecked: it is in the one thread of its order.
final class ScriptedConnection: Order, @unchecked Sendable {
    private enum Call {
        case stand(Int64, @Sendable (Result<OrderStanding, OrderTrouble>) -> Void)
        case append(EntryOutbox.Append, @Sendable (EntryOutbox.Outcome) -> Void)
        case read(Int64, Int, @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void)
    }

    private static let trouble = OrderTrouble("the script has it so")

    private let order: ScriptedOrder
    private var calls: [Call] = []
    /// Nothing comes through, and nothing ends.
    var hangs = false
    /// The end of what an old server shows that this host still speaks to.
    private var oldEnd: Int?

    init(to order: ScriptedOrder) { self.order = order }

    private var end: Int { oldEnd ?? order.shown.count }

    // MARK: The verbs

    func stand(
        at sequence: Int64,
        then: @escaping @Sendable (Result<OrderStanding, OrderTrouble>) -> Void
    ) { calls.append(.stand(sequence, then)) }

    func append(
        _ append: EntryOutbox.Append, then: @escaping @Sendable (EntryOutbox.Outcome) -> Void
    ) { calls.append(.append(append, then)) }

    func read(
        from sequence: Int64, bytesMax: Int,
        then: @escaping @Sendable (Result<[OrderedItem], OrderTrouble>) -> Void
    ) { calls.append(.read(sequence, bytesMax, then)) }

    func close() {
        let ended = calls
        calls = []
        order.forget(self)
        for call in ended {
            // Some are on their way, and come to the order after the end of their host.
            if case .append(let append, _) = call, append.token % 2 == 0 { order.takeLate(append) }
            fail(call)
        }
    }

    private func fail(_ call: Call) {
        switch call {
        case .stand(_, let then): then(.failure(Self.trouble))
        case .append(_, let then): then(.unknown)
        case .read(_, _, let then): then(.failure(Self.trouble))
        }
    }

    // MARK: The script

    /// An old server goes on speaking to this host.
    func leaveBehind(at end: Int) { oldEnd = oldEnd ?? end }

    /// This host speaks to the server that leads.
    func findLeader() { oldEnd = nil }

    private func canGoOn(_ call: Call) -> Bool {
        switch call {
        case .stand: true
        // The old server never has the second one's word.
        case .append: oldEnd == nil
        case .read(let sequence, _, _): sequence <= end
        }
    }

    var canGoOn: Bool { !hangs && calls.contains(where: canGoOn) }

    /// One of the calls that can goes on.
    func goOn(_ fate: ScriptedOrder.Fate, using random: inout SeededRandom) {
        let ready = calls.indices.filter { canGoOn(calls[$0]) }
        guard let index = ready.randomElement(using: &random) else { return }
        let call = calls.remove(at: index)
        switch call {
        case .stand(let sequence, let then):
            // Nor can it know how far the order is.
            guard fate == .well, oldEnd == nil else { return fail(call) }
            then(.success(order.standing(at: sequence)))
        case .read(let sequence, let bytesMax, let then):
            guard fate == .well else { return fail(call) }
            then(.success(items(from: sequence, bytesMax, using: &random)))
        case .append(let append, let then):
            switch (try? GroupForm(append.bytes))?.content {
            case .part?: order.met.insert(.part)
            case .entries(let entries, _)?:
                let givesBack = entries.contains {
                    guard case .request(let request) = $0, case .giveBack = request.verb else {
                        return false
                    }
                    return true
                }
                if givesBack { order.met.insert(.lateLease) }
            case nil: break
            }
            let isForgotten =
                fate == .well && order.has(append.token)
                && Int.random(in: 0..<4, using: &random) == 0
            go(append, then, isForgotten ? .forgetful : fate)
        }
    }

    private func go(
        _ append: EntryOutbox.Append, _ then: @escaping @Sendable (EntryOutbox.Outcome) -> Void,
        _ fate: ScriptedOrder.Fate
    ) {
        switch fate {
        case .well: order.take(append) { then($0) }
        case .forgetful: order.take(append, isForgetful: true) { then($0) }
        case .lost: then(.unknown)
        case .unanswered:
            order.take(append) { _ in }
            then(.unknown)
        case .late:
            order.takeLate(append)
            then(.unknown)
        }
    }

    /// Some appends from a place on, or from a few before it.
    private func items(
        from sequence: Int64, _ bytesMax: Int, using random: inout SeededRandom
    ) -> [OrderedItem] {
        let back = Int64(Int.random(in: 0..<12, using: &random) == 0 ? 2 : 0)
        var (items, bytes): ([OrderedItem], Int) = ([], 0)
        for item in order.shown.prefix(end).dropFirst(Int(max(sequence - back, 1)) - 1) {
            bytes += item.bytes.count
            if items.contains(where: { $0.sequence >= sequence }), bytes > bytesMax { break }
            items.append(item)
            let isEnough = item.sequence >= sequence
            if isEnough, Int.random(in: 0..<6, using: &random) == 0 { break }
        }
        return items
    }
}
