public import JSON
public import Topics

/// A topic as lists show it.
extension TopicDescription {
    /// Writes its members.
    ///
    /// - Parameter showsEvents: False for a caller that may change the topic, but not know its
    ///   events.
    public func writeMembers(to json: inout JSONWriter, showsEvents: Bool = true) {
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
        let settings = settings
        for setting in TopicSetting.all {
            json.name(setting.member)
            switch setting.form {
            case .count, .size:
                json.optional(setting.number(in: settings)) { $0.integer(Int($1)) }
            case .duration:
                json.optional(setting.number(in: settings)) {
                    $0.string(Quantity.text(microseconds: $1))
                }
            case .truth(let path): json.boolean(settings[keyPath: path])
            case .holder: json.optional(hold) { $0.string($1) }
            }
        }
        if showsEvents, let silentSince { json.member("silent_since", silentSince.rfc3339) }
    }

    fileprivate var settings: TopicSettings {
        var settings = TopicSettings(retention: retention, persists: persists)
        settings.expect = expect
        return settings
    }

    /// Reads the object; nil where it describes no topic. Where it does not show events, they count as none.
    public init?(_ reader: inout JSONReader) {
        guard let members = JSONMembers(&reader),
            let name = members.texts["name"].flatMap({ try? TopicName($0) })
        else { return nil }
        var settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: nil), persists: false)
        for setting in TopicSetting.all {
            switch setting.form {
            case .count, .size:
                setting.set(members.numbers[setting.member].map { Int64($0) }, in: &settings)
            case .duration:
                let text = members.texts[setting.member]
                setting.set(text.flatMap { Quantity.microseconds($0) }, in: &settings)
            case .truth(let path): settings[keyPath: path] = members.truths[setting.member] ?? false
            case .holder: break
            }
        }
        let id = { (name: String) in members.texts[name].flatMap { EventID(decimal: $0) } }
        self.init(
            name: name, isRegistered: members.truths["registered"] ?? false,
            events: members.numbers["events"] ?? 0, published: members.numbers["published"] ?? 0,
            bytes: members.numbers["bytes"] ?? 0, oldest: id("oldest"), newest: id("newest"),
            newestTime: members.texts["newest_time"].flatMap { Timestamp(rfc3339: $0) },
            subscribers: members.numbers["subscribers"] ?? 0,
            retention: settings.retention, persists: settings.persists,
            hold: members.texts["hold"], expect: settings.expect,
            silentSince: members.texts["silent_since"].flatMap { Timestamp(rfc3339: $0) },
            owner: nil)
    }
}

extension TopicSetting {
    /// Its value for a topic, as the text of a parameter; nil where the topic is held for no group.
    public func text(of topic: TopicDescription) -> String? {
        if case .holder = form { return topic.hold }
        return text(of: topic.settings)
    }

    /// Its value in these settings, as the text of a parameter; nil for the group, which they know by its number.
    fileprivate func text(of settings: TopicSettings) -> String? {
        let number = number(in: settings)
        switch form {
        case .count, .size: return number.map { "\($0)" } ?? "none"
        case .duration: return number.map { Quantity.text(microseconds: $0) } ?? "none"
        case .truth(let path): return settings[keyPath: path] ? "yes" : "no"
        case .holder: return nil
        }
    }
}

extension TopicSettings {
    /// All but the group, as parameters of a request.
    public var parameters: [(name: String, text: String)] {
        TopicSetting.all.compactMap { setting in setting.text(of: self).map { (setting.name, $0) } }
    }
}

extension JSONWriter {
    /// Writes a member whose value is an id, which is a string in JSON, or null.
    public mutating func member(_ name: StaticString, _ id: EventID?) {
        self.name(name)
        optional(id) { $0.quotedInteger($1.rawValue) }
    }
}
