package import Topics

/// One thing that a host asks of an order. It carries lengths of time, never ends: those follow
/// from the time of the order where it is applied.
package enum OrderedEntry: Sendable {
    /// Events of one batch. `ttl` is how many microseconds they are of use; nil is for ever. `owner`
    /// makes their topic if it does not exist.
    case publish(PublishBatch, ttl: Int64?, owner: UInt32?)
    /// The removal of a topic.
    case removal(TopicName)
    /// New settings of a topic, and the user that owns it if it is new.
    case registration(TopicName, SettingsChange, owner: UInt32?)
    /// Events that are held until they are due.
    case hold(HeldBatch)
    /// Events that are held by a ticket for a topic are cancelled.
    case cancel(EventID, TopicName)
    /// A request to a work group.
    case request(GroupRequest)

    /// The entry as it is applied at a time of the order.
    package func applied(at time: Timestamp) -> AskedEntry {
        switch self {
        case .publish(let batch, let ttl, let owner):
            .entry(.events(batch.lasting(ttl, from: time), persists: true, owner: owner))
        case .removal(let topic): .entry(.removal(topic))
        case .registration(let topic, let change, let owner):
            .entry(.registration(topic, change, owner: owner))
        case .hold(let held): .entry(.hold(held))
        case .cancel(let ticket, let topic): .entry(.cancel(ticket, topic))
        case .request(let request): .request(request)
        }
    }
}

extension OrderedEntry {
    /// The bytes of the entry in a ``GroupForm``.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(self)
        return writer.bytes
    }
}

private enum EntryKind: UInt8 {
    case publish = 1
    case removal = 2
    case registration = 3
    case request = 4
    /// A publish with its key behind it.
    case keyed = 5
    case hold = 6
    case cancel = 7
    /// A registration of a topic that is expected to have events, with the time behind it.
    case expecting = 8
    /// A registration that leaves some settings as they are, with these in front.
    case keeping = 9
    /// A publish with its condition behind it, and its key behind that, if it has one.
    case conditional = 10

    init(of change: SettingsChange) {
        self =
            !change.kept.isEmpty
            ? .keeping : change.settings.expect == nil ? .registration : .expecting
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ entry: OrderedEntry) {
        switch entry {
        case .publish(let batch, let ttl, let owner):
            let key = batch.idempotencyKey
            let kind: EntryKind =
                batch.condition != nil ? .conditional : key == nil ? .publish : .keyed
            write(byte: kind.rawValue)
            write(batch, ttl: ttl)
            write(optional: owner.map { UInt64($0) })
            if let condition = batch.condition {
                write(condition)
                write(byte: key == nil ? 0 : 1)
            }
            if let key { write(key) }
        case .removal(let topic):
            write(byte: EntryKind.removal.rawValue)
            write(topic.text)
        case .registration(let topic, let change, let owner):
            let kind = EntryKind(of: change)
            let settings = change.settings
            write(byte: kind.rawValue)
            write(topic.text)
            if kind == .keeping { write(byte: change.kept.rawValue) }
            write(settings.retention)
            write(byte: settings.persists ? 1 : 0)
            if !change.kept.contains(.hold) {
                write(optional: settings.hold.map { UInt64($0.group.rawValue) })
                if let hold = settings.hold { write(hold.name) }
            }
            write(optional: owner.map { UInt64($0) })
            if kind == .keeping, !change.kept.contains(.expect) {
                write(optional: settings.expect.map { UInt64($0) })
            } else if let expect = settings.expect {
                write(UInt64(expect))
            }
        case .hold(let held):
            write(byte: EntryKind.hold.rawValue)
            write(held.batch, ttl: held.ttl)
            write(held.moment)
            write(optional: held.schedule.map { UInt64($0.every) })
            if let schedule = held.schedule {
                write(optional: schedule.name)
                write(schedule.print)
            }
            write(byte: held.replacesOthers ? 1 : 0)
            write(byte: held.batch.idempotencyKey == nil ? 0 : 1)
            if let key = held.batch.idempotencyKey { write(key) }
        case .cancel(let ticket, let topic):
            write(byte: EntryKind.cancel.rawValue)
            write(ticket.rawValue)
            write(topic.text)
        case .request(let request):
            write(byte: EntryKind.request.rawValue)
            write(request)
        }
    }

    mutating func write(_ batch: PublishBatch, ttl: Int64?) {
        write(batch.topic.text)
        for field in MetadataField.all { write(optional: batch.metadata[field]) }
        write(batch.metadata.attributes.text)
        write(optional: ttl.map { UInt64($0) })
        write(optional: batch.sender.uid.map { UInt64($0) })
        write(optional: batch.sender.pid.map { UInt64(UInt32(bitPattern: $0)) })
        write(UInt64(batch.payloads.count))
        for payload in batch.payloads { write(payload) }
    }

    private mutating func write(_ condition: PublishCondition) {
        switch condition {
        case .newest(let id):
            write(byte: 0)
            write(id.rawValue)
        case .exists: write(byte: 1)
        case .isNew: write(byte: 2)
        }
    }

    private mutating func write(_ moment: DueTime) {
        switch moment {
        case .after(microseconds: let span):
            write(byte: 0)
            write(UInt64(bitPattern: span))
        case .at(let time):
            write(byte: 1)
            write(UInt64(bitPattern: time.microseconds))
        }
    }

    private mutating func write(_ key: IdempotencyKey) {
        write(key.identity.high)
        write(key.identity.low)
        write(key.print)
        write(optional: key.number)
        write(UInt64(key.windowSeconds))
        write(byte: key.asks ? 1 : 0)
    }

    mutating func write(_ settings: OrderSettings) {
        write(settings.defaults)
        write(UInt64(settings.tombstonesMax))
        write(UInt64(settings.bytesMax))
    }

    private mutating func write(_ retention: Retention) {
        write(optional: retention.keep.map { UInt64($0) })
        write(optional: retention.bytes.map { UInt64($0) })
        write(optional: retention.age.map { UInt64($0) })
    }
}

extension ByteReader {
    mutating func entry() throws(GroupFormError) -> OrderedEntry {
        guard let kind = EntryKind(rawValue: try byte()) else {
            throw .damaged("an entry is of no kind")
        }
        switch kind {
        case .publish, .keyed, .conditional:
            var (batch, ttl) = try batch()
            let owner = try user("an owner")
            var hasKey = kind == .keyed
            if kind == .conditional {
                batch = batch.under(try condition())
                hasKey = try flag()
            }
            if hasKey { batch = batch.with(try idempotencyKey()) }
            return .publish(batch, ttl: ttl, owner: owner)
        case .removal: return .removal(try topic())
        case .registration, .expecting, .keeping: return try registration(kind)
        case .hold: return .hold(try held())
        case .cancel:
            let ticket = EventID(rawValue: try number("a ticket", in: 1...EventID.max.rawValue))
            return .cancel(ticket, try topic())
        case .request: return .request(try request())
        }
    }

    private mutating func condition() throws(GroupFormError) -> PublishCondition {
        switch try byte() {
        case 0: .newest(EventID(rawValue: try number("an id", in: 0...EventID.max.rawValue)))
        case 1: .exists
        case 2: .isNew
        default: throw .damaged("a publish is under no condition that there is")
        }
    }

    mutating func user(_ what: StaticString) throws(GroupFormError) -> UInt32? {
        try optional(what, in: 0...UInt32.max)
    }

    mutating func topic() throws(GroupFormError) -> TopicName {
        let text = try text()
        guard let name = try? TopicName(text) else { throw .damaged("a topic has no name of one") }
        return name
    }

    mutating func batch() throws(GroupFormError) -> (PublishBatch, ttl: Int64?) {
        let topic = try topic()
        var texts = MetadataTexts()
        for field in MetadataField.all { texts[field] = try optionalText() }
        let text = try text()
        // As text, attributes have one order.
        guard let attributes = try? EventAttributes(text: text), attributes.text == text,
            let metadata = try? EventMetadata(texts).with(attributes, expires: nil)
        else { throw .damaged("the fields of an event make no sense") }
        let ttl = try optional("a time to live", in: 0...Int64.max)
        let uid = try user("a user")
        let pid = try optional("a process", in: 0...UInt32.max)
        // An event without bytes takes one still.
        let count = try number("the number of events", in: 1...max(1, self.count))
        var payloads: [Payload] = []
        for _ in 0..<count { payloads.append(try payload()) }
        let sender = Sender(uid: uid, pid: pid.map { Int32(bitPattern: $0) })
        return (
            PublishBatch(topic: topic, metadata: metadata, sender: sender, payloads: payloads), ttl
        )
    }

    private mutating func held() throws(GroupFormError) -> HeldBatch {
        var (batch, ttl) = try batch()
        let isTime = try flag()
        let value = try number(
            "the moment of held events", in: 0...UInt64(Timestamp.latest.microseconds))
        var schedule: Schedule?
        if let every = try optional("the interval of a schedule", in: Schedule.intervals) {
            schedule = Schedule(every: every, name: try optionalText(), print: try number())
        }
        let replacesOthers = try flag()
        if try flag() { batch = batch.with(try idempotencyKey()) }
        let moment: DueTime =
            isTime ? .at(Timestamp(microseconds: Int64(value))) : .after(microseconds: Int64(value))
        return HeldBatch(
            batch, ttl: ttl, at: moment, schedule: schedule, replacesOthers: replacesOthers)
    }

    private mutating func idempotencyKey() throws(GroupFormError) -> IdempotencyKey {
        let identity = IdempotencyKey.Identity(high: try number(), low: try number())
        let key = IdempotencyKey(
            identity, print: try number(),
            number: try optional("the number of a key", in: 0...UInt64(Int64.max)),
            windowSeconds: try number("the window of a key", in: 0...UInt32.max))
        return try flag() ? key.asking : key
    }

    private mutating func registration(_ kind: EntryKind) throws(GroupFormError) -> OrderedEntry {
        let topic = try topic()
        let kept = try kind == .keeping ? kept() : []
        var settings = TopicSettings(retention: try retention(), persists: try flag())
        if !kept.contains(.hold),
            let group = try optional("a work group", in: 1...GroupNumber.max.rawValue)
        {
            settings.hold = TopicHolder(group: GroupNumber(rawValue: group), name: try text())
        }
        let owner = try user("an owner")
        let expectation: StaticString = "the time within which an event is expected"
        if kind == .expecting {
            settings.expect = try number(expectation, in: Silence.expectations)
        } else if kind == .keeping, !kept.contains(.expect) {
            settings.expect = try optional(expectation, in: Silence.expectations)
        }
        return .registration(topic, SettingsChange(settings, keeping: kept), owner: owner)
    }

    private mutating func kept() throws(GroupFormError) -> SettingsChange.Kept {
        let kept = SettingsChange.Kept(rawValue: try byte())
        guard !kept.isEmpty, kept.isSubset(of: .all) else {
            throw .damaged("a registration keeps settings that there are not")
        }
        return kept
    }

    mutating func settings() throws(GroupFormError) -> OrderSettings {
        OrderSettings(
            defaults: try retention(),
            tombstonesMax: try number("the number of tombstones", in: 0...Int.max),
            bytesMax: try number("the bytes of the order", in: 0...Int.max))
    }

    private mutating func retention() throws(GroupFormError) -> Retention {
        Retention(
            keep: try optional("a number of events", in: 0...Int.max),
            bytes: try optional("a number of bytes", in: 0...Int.max),
            age: try optional("an age", in: 0...Int64.max))
    }
}
