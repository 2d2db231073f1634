import Protection
import TestSupport

@testable import Topics

/// Does random things on several hosts of one order, in one thread: hosts publish, register and
/// remove, each applies the order as far as chance has it, and readers change host with the cursor
/// that they have. It stops at the first promise that is broken.
struct SharedOrderRun {
    private struct Host {
        let bench: Bench
        let store: SharedStore
    }

    /// A reader that states its cursor with each request, wherever it asks.
    private struct Reader {
        let selector: Selector
        let start: EventID
        var cursor: EventID
        var ids: [EventID] = []
        var gaps: [Gap] = []
    }

    private var random: SeededRandom
    private let order = SharedOrder()
    private var hosts: [Host] = []
    private var readers: [Reader] = []
    /// What was answered: the places of batches, which were visible where they were published.
    private let answered = Protected<[PublishReceipt]>([])
    private var difference: String?

    init(seed: UInt64, fault: SharedStore.Fault? = nil) throws {
        random = SeededRandom(seed: seed)
        for number in 0..<3 {
            let store = SharedStore(
                order, host: number, keep: 12, fault: number == 2 ? fault : nil)
            let defaults = Retention(keep: 12, bytes: nil, age: nil)
            hosts.append(Host(bench: try Bench(store: store, defaults: defaults), store: store))
        }
    }

    /// Runs so many steps, and lets all hosts and readers come to the end. Returns the first broken
    /// promise.
    mutating func run(steps: Int) throws -> String? {
        for _ in 0..<steps where difference == nil { try step() }
        for host in hosts { while host.store.applyNext() {} }
        for index in readers.indices {
            while difference == nil, !read(index) {}
        }
        if let difference { return difference }
        for reader in readers {
            if let difference = missing(reader) { return difference }
        }
        return compareHosts()
    }

    private mutating func step() throws {
        let host = pick(hosts)
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: try publish(on: host)
        case 5: if Bool.random(using: &random) { try register(on: host) }
        case 6:
            if Int.random(in: 0..<4, using: &random) == 0 {
                host.bench.bus.remove(try TopicName(pick(["a", "b", "b.x"]))) { _ in }
            }
        case 7..<12: for _ in 0..<pick([1, 2, 8]) { _ = host.store.applyNext() }
        case 12:
            guard readers.count < 8 else { return }
            let back = UInt64.random(in: 0...20, using: &random)
            let start = EventID(
                rawValue: max(SharedOrder.floor.rawValue, order.newest.rawValue - min(back, 900)))
            let selector = try Selector(pick(["a", "b", "b.x", "*", "b.*", ">", "a,b.x"]))
            readers.append(Reader(selector: selector, start: start, cursor: start))
        default:
            if !readers.isEmpty { _ = read(Int.random(in: readers.indices, using: &random)) }
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func publish(on host: Host) throws {
        let payloads = (0..<pick([1, 1, 1, 3])).map { _ in
            Payload(count: Int.random(in: 0...9, using: &random)) { _ in }
        }
        let batch = PublishBatch(topic: try TopicName(pick(["a", "b", "b.x"])), payloads: payloads)
        let (answered, bus) = (answered, host.bench.bus)
        bus.publish(batch) { outcome in
            guard let receipt = try? outcome.get(), bus.newest == receipt.last else { return }
            answered.write { $0.append(receipt) }
        }
    }

    private mutating func register(on host: Host) throws {
        let settings = TopicSettings(
            retention: Retention(keep: pick([0, 3, 30]), bytes: nil, age: nil), persists: true)
        host.bench.bus.register(
            try TopicName(pick(["a", "b"])), settings: settings, by: Sender(uid: 7, pid: nil)
        ) { _ in }
    }

    /// One request of a reader, at any host. Returns whether it has everything there.
    private mutating func read(_ index: Int) -> Bool {
        let bus = pick(hosts).bench.bus
        let limit = ReadLimit(events: pick([1, 4, 100]), bytes: .max)
        let (selector, cursor) = (readers[index].selector, readers[index].cursor)
        var found = bus.read(
            LogPosition(after: cursor), matching: selector, filter: .all, limit: limit)
        if case .older(let position) = found {
            let read = Protected<LogRead?>(nil)
            bus.readStore(position, matching: selector, filter: .all, limit: limit) {
                read.value = try? $0.get()
            }
            guard let answer = read.value else {
                difference = "the store did not answer"
                return true
            }
            found = answer
        }
        take(found, index)
        guard case .gap(_, let next) = found, difference == nil else { return found.isCaughtUp }
        // Behind a gap, the answer of the same host goes on with what is left in its range.
        let rest = bus.read(next, matching: selector, filter: .all, limit: limit)
        take(rest, index)
        return rest.isCaughtUp
    }

    private mutating func take(_ read: LogRead, _ index: Int) {
        if let gap = read.gap {
            if gap.through < gap.after { difference = "\(gap.after) is of another life" }
            readers[index].gaps.append(gap)
        } else {
            for id in read.ids {
                if let last = readers[index].ids.last, id <= last {
                    difference = "\(id) was told after \(last)"
                }
                readers[index].ids.append(id)
            }
            if read.next.after < readers[index].cursor {
                difference = "the cursor fell from \(readers[index].cursor)"
            }
            readers[index].cursor = read.next.after
        }
    }

    /// An event of the order that a reader was neither told nor had in a gap.
    private func missing(_ reader: Reader) -> String? {
        for index in 0..<order.count {
            guard let item = order[index], case .events(let batch, _, _) = item.entry,
                reader.selector.matches(batch.topic)
            else { continue }
            for offset in batch.payloads.indices {
                let id = EventID(rawValue: item.first.rawValue + UInt64(offset))
                let isTold =
                    id <= reader.start || reader.ids.contains(id)
                    || reader.gaps.contains { $0.after < id && id <= $0.through }
                if !isTold { return "\(id) of \(batch.topic) is missing for \(reader.selector)" }
            }
        }
        return nil
    }

    private func compareHosts() -> String? {
        for host in hosts {
            guard host.bench.bus.newest == order.newest else {
                return "a host is at \(host.bench.bus.newest), not at \(order.newest)"
            }
            let topics = host.bench.bus.topics(matching: nil).topics
            guard topics == hosts[0].bench.bus.topics(matching: nil).topics else {
                return "two hosts have other topics: \(topics)"
            }
        }
        var batches = 0
        for index in 0..<order.count {
            if let item = order[index], case .events = item.entry { batches += 1 }
        }
        let receipts = answered.value
        return receipts.count == batches
            ? nil : "\(receipts.count) of \(batches) batches were answered once visible"
    }
}
