internal import HTTPFront
internal import Topics

extension BusHandler {
    /// `HEAD /topics/{selector}`: where it stands, without waiting.
    func stand(_ call: borrowing Call) throws(Refusal) {
        let selector = try Selector(request: call.resource.name)
        let standing = bus.standing(of: selector)
        var headers = [("Event-Cursor", "\(standing.cursor)")]
        if let oldest = standing.oldest { headers.append(("Event-Oldest", "\(oldest)")) }
        if standing.exists { headers.append(("Event-Count", "\(standing.count)")) }
        call.respond(Response(status: standing.exists ? 200 : 404, headers: headers))
    }

    /// `PUT /topics/{topic}`: registers the topic or replaces its settings.
    func register(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        let settings = try settings(call.parameters)
        let peer = call.head.peer
        try requireAuthority(over: topic, peer, "change its settings")
        let reply = call.exchange.reply
        bus.register(topic, settings: settings, by: Sender(uid: peer.uid, pid: peer.pid)) {
            result in
            switch result {
            case .success((let description, let isNew)):
                var json = JSONWriter()
                description.write(to: &json)
                reply.send(.json(status: isNew ? 201 : 200, json))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// The settings that a registration asks for; what it does not name is the default.
    private func settings(_ parameters: Parameters) throws(Refusal) -> TopicSettings {
        var retention = bus.defaults
        if let keep = try parameters.count("keep", in: 0...Int64(Int32.max)) {
            retention.keep = Int(keep)
        }
        if let bytes = try parameters.size("bytes", in: 0...Limits.retentionBytesMax) {
            retention.bytes = Int(bytes)
        }
        if let age = try parameters.duration("for", in: 0...Limits.retentionMicrosecondsMax) {
            retention.age = age
        }
        let persists = try parameters.choice("persist", ["yes": true, "no": false]) ?? true
        return TopicSettings(retention: retention, persists: persists)
    }

    /// `DELETE /topics/{topic}`: removes what is visible.
    func remove(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        guard bus.description(of: topic) != nil else {
            throw Refusal(.topicUnknown, "There is no topic '\(topic)', so nothing to delete.")
        }
        try requireAuthority(over: topic, call.head.peer, "delete it")
        let reply = call.exchange.reply
        bus.remove(topic) { result in
            switch result {
            case .success: reply.send(Response(status: 204))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// `GET /topics`: lists the topics of one moment.
    func list(_ call: borrowing Call) throws(Refusal) {
        var pattern: TopicPattern?
        if let match = call.parameters.text("match") {
            do throws(NameError) {
                pattern = try TopicPattern(match)
            } catch {
                throw Refusal(.parameterInvalid, "'match' is no pattern: \(error.detail)")
            }
        }
        let (topics, cursor) = bus.topics(matching: pattern)
        var json = JSONWriter(reserving: 64 + topics.count * 192)
        json.beginObject()
        json.name("topics")
        json.beginArray()
        for topic in topics { topic.write(to: &json) }
        json.endArray()
        json.name("cursor")
        json.quotedInteger(cursor.rawValue)
        json.endObject()
        call.respond(json, [("Event-Cursor", "\(cursor)")])
    }

    /// Refuses everyone but root, the bus's own user and the user who made the topic.
    private func requireAuthority(
        over topic: TopicName, _ peer: Peer, _ intent: String
    ) throws(Refusal) {
        guard let description = bus.description(of: topic) else { return }
        let allowed = [0, configuration.administrator, description.owner]
        if let uid = peer.uid, allowed.contains(uid) { return }
        let caller = peer.uid.map { "user \($0)" } ?? "an unknown user"
        throw Refusal(
            .accessDenied,
            "Topic '\(topic)' exists, and \(caller) may not \(intent): root, the bus's own user and "
                + "the user who made it may.")
    }
}

extension TopicDescription {
    /// Writes the topic as the list and `PUT` show it.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("name")
        json.string(name.text)
        json.name("registered")
        json.boolean(isRegistered)
        json.name("events")
        json.integer(events)
        json.name("bytes")
        json.integer(bytes)
        json.name("oldest")
        json.optional(oldest) { $0.quotedInteger($1.rawValue) }
        json.name("newest")
        json.optional(newest) { $0.quotedInteger($1.rawValue) }
        json.name("subscribers")
        json.integer(subscribers)
        json.name("keep")
        json.optional(retention.keep) { $0.integer($1) }
        json.name("keep_bytes")
        json.optional(retention.bytes) { $0.integer($1) }
        json.name("keep_for")
        json.optional(retention.age) { $0.string(Quantity.text(microseconds: $1)) }
        json.name("persist")
        json.boolean(persists)
        json.endObject()
    }
}

extension JSONWriter {
    /// A value, or null.
    fileprivate mutating func optional<Value>(
        _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        if let value { write(&self, value) } else { null() }
    }
}
