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
    case registration(TopicName, TopicSettings, owner: UInt32?)

    /// The entry as a replica applies it at a time of the order.
    package func applied(at time: Timestamp) -> StoreEntry {
        switch self {
        case .publish(let batch, let ttl, let owner):
            guard let ttl else { return .events(batch, persists: true, owner: owner) }
            let expires = min(time.advanced(microseconds: ttl), Limits.timeMax)
            let metadata = batch.metadata.with(batch.metadata.labels, expires: expires)
            return .events(
                PublishBatch(
                    topic: batch.topic, metadata: metadata, sender: batch.sender,
                    payloads: batch.payloads), persists: true, owner: owner)
        case .removal(let topic): return .removal(topic)
        case .registration(let topic, let settings, let owner):
            return .registration(topic, settings, owner: owner)
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
}

extension ByteWriter {
    fileprivate mutating func write(_ entry: OrderedEntry) {
        switch entry {
        case .publish(let batch, let ttl, let owner):
            write(byte: EntryKind.publish.rawValue)
            write(batch.topic.text)
            for field in MetadataField.all { write(optional: batch.metadata[field]) }
            write(batch.metadata.labels.text)
            write(optional: ttl.map { UInt64($0) })
            write(optional: owner.map { UInt64($0) })
            write(optional: batch.sender.uid.map { UInt64($0) })
            write(optional: batch.sender.pid.map { UInt64(UInt32(bitPattern: $0)) })
            write(UInt64(batch.payloads.count))
            for payload in batch.payloads { write(payload) }
        case .removal(let topic):
            write(byte: EntryKind.removal.rawValue)
            write(topic.text)
        case .registration(let topic, let settings, let owner):
            write(byte: EntryKind.registration.rawValue)
            write(topic.text)
            write(settings.retention)
            write(byte: settings.persists ? 1 : 0)
            write(optional: settings.hold.map { UInt64($0.group.rawValue) })
            if let hold = settings.hold { write(hold.name) }
            write(optional: owner.map { UInt64($0) })
        }
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
        case .publish: return try publish()
        case .removal: return .removal(try topic())
        case .registration: return try registration()
        }
    }

    private mutating func topic() throws(GroupFormError) -> TopicName {
        let text = try text()
        guard let name = try? TopicName(text) else { throw .damaged("a topic has no name of one") }
        return name
    }

    private mutating func publish() throws(GroupFormError) -> OrderedEntry {
        let topic = try topic()
        var texts = MetadataTexts()
        for field in MetadataField.all { texts[field] = try optionalText() }
        let text = try text()
        // As text, labels have one order.
        guard let labels = try? EventLabels(text: text), labels.text == text,
            let metadata = try? EventMetadata(texts).with(labels, expires: nil)
        else { throw .damaged("the attributes of an event make no sense") }
        let ttl = try optional("a time to live", in: 0...Int64.max)
        let owner = try optional("an owner", in: 0...UInt32.max)
        let uid = try optional("a user", in: 0...UInt32.max)
        let pid = try optional("a process", in: 0...UInt32.max)
        // An event without bytes takes one still.
        let count = try number("the number of events", in: 1...max(1, self.count))
        var payloads: [Payload] = []
        for _ in 0..<count { payloads.append(try payload()) }
        let sender = Sender(uid: uid, pid: pid.map { Int32(bitPattern: $0) })
        return .publish(
            PublishBatch(topic: topic, metadata: metadata, sender: sender, payloads: payloads),
            ttl: ttl, owner: owner)
    }

    private mutating func registration() throws(GroupFormError) -> OrderedEntry {
        let topic = try topic()
        var settings = TopicSettings(retention: try retention(), persists: try flag())
        if let group = try optional("a work group", in: 1...Int64.max) {
            settings.hold = TopicHolder(group: GroupNumber(rawValue: group), name: try text())
        }
        return .registration(
            topic, settings, owner: try optional("an owner", in: 0...UInt32.max))
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
