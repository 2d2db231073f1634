package import JSON
package import Topics

/// A topic as lists show it.
extension TopicDescription {
    /// Writes its members.
    ///
    /// - Parameter showsEvents: False for somebody who may change the topic, and not know what it holds.
    package func writeMembers(to json: inout JSONWriter, showsEvents: Bool = true) {
        json.member("name", name.text)
        json.member("registered", isRegistered)
        if showsEvents {
            json.member("events", events)
            json.member("published", published)
            json.member("bytes", bytes)
            json.member("oldest", oldest)
            json.member("newest", newest)
            json.member("newest_time", newestTime?.rfc3339)
            json.member("subscribers", subscribers)
        }
        json.member("keep", retention.keep)
        json.member("keep_bytes", retention.bytes)
        json.member("keep_for", retention.age.map { Quantity.text(microseconds: $0) })
        json.member("persist", persists)
        json.member("hold", hold)
    }

    /// Reads the object; nil where it describes no topic. Where it does not show events, they count as none.
    package init?(_ object: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(object),
            let name = members.texts["name"].flatMap({ try? TopicName($0) })
        else { return nil }
        let id = { (name: String) in members.texts[name].flatMap { EventID(decimal: $0) } }
        self.init(
            name: name, isRegistered: members.truths["registered"] ?? false,
            events: members.numbers["events"] ?? 0, published: members.numbers["published"] ?? 0,
            bytes: members.numbers["bytes"] ?? 0, oldest: id("oldest"), newest: id("newest"),
            newestTime: members.texts["newest_time"].flatMap { Timestamp(rfc3339: $0) },
            subscribers: members.numbers["subscribers"] ?? 0,
            retention: Retention(
                keep: members.numbers["keep"], bytes: members.numbers["keep_bytes"],
                age: members.texts["keep_for"].flatMap { Quantity.microseconds($0) }),
            persists: members.truths["persist"] ?? false, hold: members.texts["hold"], owner: nil)
    }
}

extension JSONWriter {
    /// Writes a member whose value is an id, which is a string in JSON, or null.
    package mutating func member(_ name: StaticString, _ id: EventID?) {
        self.name(name)
        optional(id) { $0.quotedInteger($1.rawValue) }
    }
}
