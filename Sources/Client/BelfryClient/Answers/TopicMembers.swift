internal import Topics

/// Reads a topic as lists show it.
enum TopicMembers {
    /// The description; nil where something of it is missing. Without the right to receive from the
    /// topic nothing is said of its events, which then count as none.
    static func read(_ reader: inout AnswerReader) -> TopicDescription? {
        var (name, isRegistered, persists) = (TopicName?.none, false, false)
        var (events, published, bytes, subscribers) = (0, 0, 0, 0)
        var (oldest, newest, owner) = (EventID?.none, EventID?.none, UInt32?.none)
        var (hold, newestTime) = (String?.none, Timestamp?.none)
        var retention = Retention(keep: nil, bytes: nil, age: nil)
        let isObject = reader.object { member, reader in
            if reader.isNull() { return true }
            if member.spells("name") {
                name = reader.string().flatMap { try? TopicName($0) }
                return name != nil
            }
            if member.spells("oldest") || member.spells("newest") {
                guard let id = reader.string().flatMap({ EventID(decimal: $0) }) else {
                    return false
                }
                if member.spells("oldest") { oldest = id } else { newest = id }
                return true
            }
            if member.spells("registered") || member.spells("persist") {
                guard let truth = reader.truth() else { return false }
                if member.spells("registered") { isRegistered = truth } else { persists = truth }
                return true
            }
            if member.spells("newest_time") {
                newestTime = reader.string().flatMap { Timestamp(rfc3339: $0) }
                return newestTime != nil
            }
            if member.spells("hold") {
                hold = reader.string()
                return hold != nil
            }
            if member.spells("keep_for") {
                retention.age = reader.string().flatMap { DurationText.microseconds($0) }
                return retention.age != nil
            }
            guard let number = number(member) else { return reader.value() != nil }
            guard let value = reader.number() else { return false }
            switch number {
            case .events: events = value
            case .published: published = value
            case .bytes: bytes = value
            case .subscribers: subscribers = value
            case .keep: retention.keep = value
            case .keepBytes: retention.bytes = value
            case .owner: owner = UInt32(exactly: value)
            }
            return true
        }
        guard isObject, let name else { return nil }
        return TopicDescription(
            name: name, isRegistered: isRegistered, events: events, published: published,
            bytes: bytes, oldest: oldest, newest: newest, newestTime: newestTime,
            subscribers: subscribers, retention: retention, persists: persists, hold: hold,
            owner: owner)
    }

    private enum Number { case events, published, bytes, subscribers, keep, keepBytes, owner }

    private static func number(_ member: UnsafeRawBufferPointer) -> Number? {
        if member.spells("events") { return .events }
        if member.spells("published") { return .published }
        if member.spells("bytes") { return .bytes }
        if member.spells("subscribers") { return .subscribers }
        if member.spells("keep") { return .keep }
        if member.spells("keep_bytes") { return .keepBytes }
        if member.spells("owner") { return .owner }
        return nil
    }
}
