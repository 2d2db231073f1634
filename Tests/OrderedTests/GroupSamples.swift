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

    private mutating func group() -> GroupNumber {
        GroupNumber(rawValue: 1 + Int64(number()) % GroupNumber.max.rawValue)
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
        switch draw(8) {
        case 0: return .removal(topic)
        case 6:
            let moment: DueTime =
                draw(2) == 0 ? .after(microseconds: span()) : .at(Timestamp(microseconds: span()))
            return .hold(
                HeldBatch(
                    try batch(topic), ttl: perhaps { Int64($0.number()) }, at: moment,
                    schedule: perhaps { sample in
                        Schedule(
                            every: sample.span(), name: sample.perhaps { _ in "nightly" },
                            print: sample.random.next())
                    }, replacesOthers: draw(2) == 0))
        case 7: return .cancel(EventID(rawValue: max(1, id().rawValue)), topic)
        case 1:
            var settings = TopicSettings(retention: retention(), persists: draw(2) == 0)
            let kept = SettingsChange.Kept(rawValue: draw(2) == 0 ? 0 : UInt8(draw(8)))
            if !kept.contains(.hold) {
                settings.hold = perhaps {
                    TopicHolder(group: $0.group(), name: "mail")
                }
            }
            if !kept.contains(.expect) {
                settings.expect = perhaps { Int64(1_000_000 + $0.draw(1 << 40)) }
            }
            return .registration(topic, SettingsChange(settings, keeping: kept), owner: owner)
        case 2, 3: return .request(try request())
        default:
            var batch = try batch(topic)
            switch draw(6) {
            case 0: batch = batch.under(.newest(id()))
            case 1: batch = batch.under(.exists)
            case 2: batch = batch.under(.isNew)
            default: break
            }
            return .publish(batch, ttl: perhaps { Int64($0.number()) }, owner: owner)
        }
    }

    private mutating func batch(_ topic: TopicName) throws -> PublishBatch {
        let attributes = try EventAttributes(
            draw(3) == 0 ? ["subject": "größer", "a": "b=c"] : [:])
        let metadata = try EventMetadata(
            type: perhaps { _ in "done" }, key: perhaps { "k\($0.draw(9))" },
            contentType: perhaps { _ in "text/plain" })
        let payloads = (0...draw(3)).map { _ in
            Payload((0..<draw(200)).map { UInt8($0) })
        }
        let sender = Sender(
            uid: perhaps { UInt32($0.draw(9)) },
            pid: perhaps { Int32(truncatingIfNeeded: $0.draw(3) - 1) })
        return PublishBatch(
            topic: topic, metadata: metadata.with(attributes, expires: nil), sender: sender,
            payloads: payloads, idempotencyKey: perhaps { $0.key() })
    }

    private mutating func key() -> IdempotencyKey {
        let key = IdempotencyKey(
            IdempotencyKey.Identity(high: random.next(), low: random.next()), print: random.next(),
            number: perhaps { UInt64($0.number()) }, windowSeconds: UInt32(draw(9_000)))
        return draw(4) == 0 ? key.asking : key
    }

    // MARK: Requests

    private mutating func token() -> LeaseToken {
        LeaseToken(high: random.next(), low: random.next())
    }

    private mutating func id() -> EventID {
        EventID(rawValue: UInt64(number()) & EventID.max.rawValue)
    }

    /// The length of a lease.
    private mutating func span() -> Int64 { Int64(1_000_000 + draw(40_000_000_000)) }

    private mutating func gap() -> Gap { Gap(after: id(), through: id()) }

    private mutating func place() -> GroupRequest.Place {
        GroupRequest.Place(after: id(), reportedThrough: id(), missing: perhaps { $0.gap() })
    }

    private mutating func caller() -> StoredCaller {
        StoredCaller(uid: perhaps { UInt32($0.draw(70_000)) }, token: perhaps { _ in "ci" })
    }

    private mutating func wish() throws -> GroupSettings {
        var wish = GroupSettings()
        wish.selector = try [nil, Selector("jobs.*,mail")][draw(2)]
        wish.type = perhaps { _ in "done" }
        wish.attributes = try [
            nil, EventAttributes.none, EventAttributes(["host": "web1", "a": "b=c"]),
        ][draw(3)]
        wish.leaseMicroseconds = perhaps { Int64($0.number()) }
        wish.attempts = perhaps { $0.draw(9) }
        wish.dead = try [nil, .nowhere, .topic(TopicName("dead"))][draw(3)]
        wish.isOrderedByKey = perhaps { $0.draw(2) == 0 }
        wish.replies = perhaps { $0.draw(2) == 0 }
        return wish
    }

    private mutating func request() throws -> GroupRequest {
        let verb: GroupRequest.Verb
        switch draw(11) {
        case 0:
            verb = .make(
                GroupRequest.Making(name: "mail", wish: try wish(), place: place(), maker: caller())
            )
        case 1:
            let settling = draw(2) == 0 ? nil : try settling()
            verb = .take(
                GroupRequest.Take(
                    worker: perhaps { _ in "w1" }, caller: "uid 7", settling: settling,
                    length: perhaps { $0.span() }, countMax: 1 + draw(256),
                    isPatient: draw(2) == 0))
        case 2: verb = .settle(try settling())
        case 3: verb = .extend(lease: "lease", microseconds: span())
        case 4: verb = .giveBack(token(), gap: perhaps { $0.gap() })
        case 5: verb = .set(try wish(), by: caller())
        case 6: verb = .seek(place())
        case 7: verb = .remove
        case 8:
            verb = .expire(
                (0..<draw(4)).map { _ in
                    GroupRequest.PassedLease(token(), until: Int64(number()))
                })
        case 9:
            let letter = WorkChange.Letter(topic: try TopicName("dead"), id: id())
            verb = .revive(GroupRequest.Reviving(letter, by: perhaps { UInt32($0.draw(9)) }))
        default: verb = .bury
        }
        return GroupRequest(token(), to: group(), verb)
    }

    private mutating func settling() throws -> GroupRequest.Settling {
        let payload = Payload(Array("no".utf8))
        let end: GroupRequest.End
        switch draw(6) {
        case 0: end = .done
        case 1: end = .reply(payload, contentType: perhaps { _ in "text/plain" })
        case 2:
            end = .publish(try batch(TopicName("a")), ttl: perhaps { Int64($0.number()) })
        case 3: end = .retry(delay: perhaps { $0.span() })
        case 4: end = .dead
        default: end = .refuse(payload, contentType: nil)
        }
        return GroupRequest.Settling(
            lease: "a lease",
            only: perhaps { sample in (0...sample.draw(3)).map { _ in sample.id() } },
            end: end, reason: perhaps { _ in "größer" }, isReplyAwaited: draw(2) == 0)
    }

    /// All of an entry, to compare.
    static func words(_ entry: OrderedEntry) -> [AnyHashable?] {
        switch entry {
        case .publish(let batch, let ttl, let owner):
            return words(batch) + [ttl, owner, batch.idempotencyKey]
        case .removal(let topic): return [topic]
        case .registration(let topic, let change, let owner): return [topic, change, owner]
        case .hold(let held):
            return words(held.batch)
                + [
                    held.ttl, held.moment, held.batch.idempotencyKey, held.schedule,
                    held.replacesOthers,
                ]
        case .cancel(let ticket, let topic): return [ticket, topic]
        case .request(let request): return [request.token, request.group] + words(request.verb)
        }
    }

    private static func words(_ batch: PublishBatch) -> [AnyHashable?] {
        [batch.topic, batch.metadata, batch.sender, batch.payloads.map(bytes), batch.condition]
    }

    private static func bytes(_ payload: Payload) -> [UInt8] {
        payload.withUnsafeBytes { Array($0) }
    }

    private static func words(_ verb: GroupRequest.Verb) -> [AnyHashable?] {
        switch verb {
        case .make(let making): [making.name, making.wish, making.place, making.maker]
        case .take(let take):
            [take.worker, take.caller, take.length, take.countMax, take.isPatient]
                + (take.settling.map(words) ?? [])
        case .settle(let settling): words(settling)
        case .extend(let lease, let microseconds): [lease, microseconds]
        case .giveBack(let token, let gap): [token, gap]
        case .set(let wish, let caller): [wish, caller]
        case .seek(let place): [place]
        case .remove: ["remove"]
        case .expire(let leases): [leases]
        case .bury: ["bury"]
        case .revive(let revival): [revival]
        }
    }

    private static func words(_ settling: GroupRequest.Settling) -> [AnyHashable?] {
        let end: [AnyHashable?] =
            switch settling.end {
            case .done: ["done"]
            case .reply(let payload, let contentType): ["reply", bytes(payload), contentType]
            case .publish(let batch, let ttl): words(batch) + [ttl]
            case .retry(let delay): ["retry", delay]
            case .dead: ["dead"]
            case .refuse(let payload, let contentType): ["refuse", bytes(payload), contentType]
            }
        return [settling.lease, settling.only, settling.reason, settling.isReplyAwaited] + end
    }
}
