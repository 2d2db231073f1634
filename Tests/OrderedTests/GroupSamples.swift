import TestSupport
import Topics

@testable import Ordered

/// Groups with everything that a group can have.
struct GroupSamples {
    private var random: SeededRandom

    init(_ random: SeededRandom) { self.random = random }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// A value, or none.
    private mutating func perhaps<Value>(_ value: (inout GroupSamples) -> Value) -> Value? {
        draw(2) == 0 ? nil : value(&self)
    }

    private mutating func number() -> Int {
        Int(truncatingIfNeeded: random.next() >> UInt64(1 + draw(62)))
    }

    /// - Parameter entries: How many entries it has; nil for any number, or a part.
    mutating func form(entries count: Int? = nil) throws -> GroupForm {
        let issuer = GroupForm.Issuer(
            host: ["", "a", "host-2.example"][draw(3)],
            time: Timestamp(microseconds: Int64(truncatingIfNeeded: random.next())),
            sequence: Int64(number()), chain: UInt128(random.next()) << 64 | UInt128(random.next()))
        let content: GroupForm.Content
        if count == nil, draw(4) == 0 {
            let parts = UInt32(1 + draw(9))
            let bytes = (0..<draw(40)).map { UInt8($0) }
            content = .part(
                GroupPart(
                    token: UInt128(random.next()), index: UInt32(draw(Int(parts))), count: parts,
                    bytes: bytes))
        } else {
            let settings = perhaps {
                OrderSettings(
                    defaults: $0.retention(), tombstonesMax: $0.number(), bytesMax: $0.number())
            }
            let entries = try (0..<(count ?? draw(6))).map { _ in try entry() }
            content = .entries(entries, settings: settings)
        }
        return GroupForm(rules: UInt32(draw(300)), issuer: issuer, content: content)
    }

    private mutating func retention() -> Retention {
        Retention(
            keep: perhaps { $0.number() }, bytes: perhaps { $0.number() },
            age: perhaps { Int64($0.number()) })
    }

    private mutating func entry() throws -> OrderedEntry {
        let topic = try TopicName(["a", "jobs.mail", "deploys"][draw(3)])
        let owner = perhaps { UInt32($0.draw(70_000)) }
        switch draw(4) {
        case 0: return .removal(topic)
        case 1:
            var settings = TopicSettings(retention: retention(), persists: draw(2) == 0)
            settings.hold = perhaps {
                TopicHolder(group: GroupNumber(rawValue: Int64(1 + $0.number() / 2)), name: "mail")
            }
            return .registration(topic, settings, owner: owner)
        default:
            let labels = try EventLabels(draw(3) == 0 ? ["subject": "größer", "a": "b=c"] : [:])
            let metadata = try EventMetadata(
                type: perhaps { _ in "done" }, key: perhaps { "k\($0.draw(9))" },
                contentType: perhaps { _ in "text/plain" })
            let payloads = (0...draw(3)).map { _ in
                Payload((0..<draw(200)).map { UInt8($0) })
            }
            let sender = Sender(
                uid: perhaps { UInt32($0.draw(9)) },
                pid: perhaps { Int32(truncatingIfNeeded: $0.draw(3) - 1) })
            let ttl = perhaps { Int64($0.number()) }
            return .publish(
                PublishBatch(
                    topic: topic, metadata: metadata.with(labels, expires: nil), sender: sender,
                    payloads: payloads), ttl: ttl, owner: owner)
        }
    }

    /// All of an entry, to compare.
    static func words(_ entry: OrderedEntry) -> [AnyHashable?] {
        switch entry {
        case .publish(let batch, let ttl, let owner):
            let payloads = batch.payloads.map { $0.withUnsafeBytes { Array($0) } }
            return [batch.topic, batch.metadata, batch.sender, payloads, ttl, owner]
        case .removal(let topic): return [topic]
        case .registration(let topic, let settings, let owner): return [topic, settings, owner]
        }
    }
}
