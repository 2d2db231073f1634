import TestSupport
import Topics

@testable import Ordered

/// An order that is written as a test asks.
struct SampleItems {
    static let life = OrderLife(identity: 0xB2 << 64 | 9, base: EventID(rawValue: 1))

    private(set) var items: [OrderedItem] = []
    private var chain = SampleItems.life.identity
    private var time = Timestamp(microseconds: 1_000_000)
    private var tokens: UInt128 = 100

    /// The issuer of an append that goes behind all there are.
    func issuer(
        _ host: String = "a", at offset: Int64 = 0, behind sequence: Int? = nil,
        chain: UInt128? = nil
    ) -> GroupForm.Issuer {
        let sequence = sequence ?? items.count
        let known = sequence == 0 ? Self.life.identity : items[sequence - 1].chain
        return GroupForm.Issuer(
            host: host, time: time.advanced(microseconds: offset), sequence: Int64(sequence),
            chain: chain ?? known)
    }

    /// Adds an append.
    mutating func add(
        _ bytes: [UInt8], token: UInt128? = nil, line: Int64 = 0, after microseconds: Int64 = 1_000
    ) {
        tokens += 1
        let token = token ?? tokens
        time = time.advanced(microseconds: microseconds)
        chain = OrderedItem.chain(after: chain, token: token)
        items.append(
            OrderedItem(
                sequence: Int64(items.count + 1), token: token, chain: chain, line: line,
                time: time, bytes: bytes))
    }

    /// Adds a group of one event.
    mutating func add(
        _ text: String, rules: UInt32 = Applier.rules, issuer: GroupForm.Issuer? = nil,
        token: UInt128? = nil, line: Int64 = 0, after microseconds: Int64 = 1_000
    ) throws {
        let form = try Self.form(text, rules: rules, issuer: issuer ?? self.issuer())
        add(form.bytes, token: token, line: line, after: microseconds)
    }

    /// Adds a group of one request to a work group of this number.
    mutating func add(request number: Int64) throws {
        let token = LeaseToken(high: 0, low: UInt64(number))
        let request = GroupRequest(token, to: GroupNumber(rawValue: number), .bury)
        let form = GroupForm(
            rules: Applier.rules, issuer: issuer(),
            content: .entries([.request(request)], settings: nil))
        add(form.bytes)
    }

    static func form(
        _ text: String, rules: UInt32 = Applier.rules, issuer: GroupForm.Issuer
    ) throws -> GroupForm {
        let batch = PublishBatch(
            topic: try TopicName("a"), payloads: [Payload(Array(text.utf8))])
        return GroupForm(
            rules: rules, issuer: issuer,
            content: .entries([.publish(batch, ttl: 60_000_000, owner: nil)], settings: nil))
    }

    /// A group of one event in so many parts.
    func parts(of text: String, _ count: Int, token: UInt128) throws -> [[UInt8]] {
        let whole = try Self.form(text, issuer: issuer()).bytes
        return (0..<count).map { index in
            let range = (index * whole.count / count)..<((index + 1) * whole.count / count)
            let part = GroupPart(
                token: token, index: UInt32(index), count: UInt32(count), bytes: Array(whole[range])
            )
            return GroupForm(rules: Applier.rules, issuer: issuer(), content: .part(part)).bytes
        }
    }
}

/// All of a group, to compare.
struct AppliedWords: Hashable {
    let place: OrderPlace
    let texts: [String]
    let ends: [Timestamp?]

    init(_ group: AskedGroup) {
        place = group.place
        var (texts, ends): ([String], [Timestamp?]) = ([], [])
        for case .entry(.events(let batch, _, _)) in group.entries {
            texts += batch.payloads.map(\.text)
            ends.append(batch.metadata.expires)
        }
        (self.texts, self.ends) = (texts, ends)
    }
}

extension Applier {
    /// Takes appends up to the first fault. Returns the groups, and the fault.
    mutating func follow(
        _ items: some Sequence<OrderedItem>
    ) -> (groups: [AppliedWords], fault: OrderFault?) {
        var groups: [AppliedWords] = []
        for item in items {
            switch take(item) {
            case .apply(let group): groups.append(AppliedWords(group))
            case .skip: break
            case .stop(let fault): return (groups, fault)
            }
        }
        return (groups, nil)
    }
}
