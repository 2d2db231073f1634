internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The routes about events that are held until they are due.
struct LaterRoutes: Routes {
    let loop: BusLoop

    /// `GET /topics/{topic}/later`: lists the events that the caller may see, by their tickets.
    func list(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        let after = try call.parameters.text("after").map { (text) throws(Refusal) in
            guard let ticket = EventID(decimal: text) else {
                throw Refusal(
                    .cursorInvalid, "'after' is '\(text)'; it takes a ticket, in digits.")
            }
            return ticket
        }
        let max = try call.parameters.count("max", in: 1...Int64(Limits.heldListedMax))
        let (sees, caller) = (try seesAll(of: topic, call), call.caller)
        let (heads, next) = bus.held(
            for: topic, after: after ?? .zero,
            countMax: max.map(Int.init) ?? Limits.heldListedDefault
        ) { sees || Self.isOwn($0, caller) }
        var json = JSONWriter(reserving: 64 + heads.count * 192)
        json.object { json in
            json.member("later", heads) { json, head in head.write(to: &json) }
            json.name("next")
            json.optional(next) { $0.string("\($1)") }
        }
        call.respond(json)
    }

    /// `GET /topics/{topic}/later/{ticket}`: describes events that are held, with their payloads.
    func show(_ call: borrowing Call) throws(Refusal) {
        let (topic, ticket) = try ticket(of: call)
        let head = try head(topic, ticket, call)
        let (bus, reply, prefix) = (bus, call.exchange.reply, service.prefix)
        bus.readHeld(head, Limits.heldShown, for: StoreClient(user: call.caller.uid)) { outcome in
            switch outcome {
            case .success(let events):
                // Their time may have come meanwhile.
                if events.isEmpty, case .ended(let end) = bus.held(ticket, for: topic) {
                    return reply.send(Self.refusal(end, topic, ticket, prefix).response)
                }
                var json = JSONWriter()
                head.write(to: &json, events)
                reply.send(.json(json))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// `DELETE /topics/{topic}/later/{ticket}`: cancels held events.
    func cancel(_ call: borrowing Call) throws(Refusal) {
        let (topic, ticket) = try ticket(of: call)
        _ = try head(topic, ticket, call)
        let (reply, prefix) = (call.exchange.reply, service.prefix)
        bus.cancel(ticket, of: topic) { result in
            switch result {
            case .success(.cancelled): reply.send(Response(status: 204))
            case .success(let end): reply.send(Self.refusal(end, topic, ticket, prefix).response)
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    private func ticket(
        of call: borrowing Call
    ) throws(Refusal) -> (topic: TopicName, ticket: EventID) {
        let topic = try TopicName(request: call.resource.name)
        let text = call.resource.id
        guard let ticket = EventID(decimal: text) ?? bus.ticket(of: text, for: topic) else {
            throw Refusal(
                .laterUnknown,
                "'\(text)' is no ticket, and no schedule of '\(topic)' has this name.")
        }
        return (topic, ticket)
    }

    /// Events that are held, and that the caller may see and cancel.
    private func head(
        _ topic: TopicName, _ ticket: EventID, _ call: borrowing Call
    ) throws(Refusal) -> HeldHead {
        let sees = try seesAll(of: topic, call)
        switch bus.held(ticket, for: topic) {
        case .held(let head) where sees || Self.isOwn(head, call.caller): return head
        case .held: throw Self.refusal(.unknown, topic, ticket, service.prefix)
        case .ended(let end): throw Self.refusal(end, topic, ticket, service.prefix)
        }
    }

    /// Whether a caller sees all events that are held for a topic: those who may administer it do. Others see
    /// their own.
    private func seesAll(of topic: TopicName, _ call: borrowing Call) throws(Refusal) -> Bool {
        let owner = bus.description(of: topic).flatMap(\.owner)
        if gate.access.administer(topic, madeBy: owner, call.caller).isAllowed { return true }
        try gate.require(gate.access.publish(topic, call.caller))
        return false
    }

    private static func isOwn(_ head: HeldHead, _ caller: Caller) -> Bool {
        head.sender.uid != nil && head.sender.uid == caller.uid
    }

    private static func refusal(
        _ end: HeldEnd, _ topic: TopicName, _ ticket: EventID, _ prefix: PathPrefix
    ) -> Refusal {
        switch end {
        case .published(let id):
            Refusal(
                .eventPublished,
                "The events that were held by \(ticket) are in the log, from event \(id) on.",
                headers: [("Location", "\(prefix.text)/topics/\(topic)/events/\(id)")])
        case .cancelled:
            Refusal(.laterUnknown, "The events that were held by \(ticket) were cancelled.")
        case .unknown:
            Refusal(
                .laterUnknown,
                "Nothing is held by \(ticket) for '\(topic)'; GET \(prefix.text)/topics/\(topic)/later "
                    + "lists those that you may see.")
        }
    }
}

extension HeldHead {
    /// Writes the events as the list shows them: without their payloads, unless these are given.
    func write(to json: inout JSONWriter, _ events: [Event] = []) {
        json.beginObject()
        json.member("later", ticket)
        json.member("topic", topic.text)
        json.member("due", due.rfc3339)
        for field in MetadataField.all {
            if let text = metadata[field] { json.member(WireField.row(field).member, text) }
        }
        if !metadata.attributes.isEmpty {
            json.name("attributes")
            json.attributes(metadata.attributes)
        }
        json.member("count", count)
        json.member("bytes", bytes)
        if let ttl { json.member("ttl", Quantity.text(microseconds: ttl)) }
        if let schedule {
            json.member("every", Quantity.text(microseconds: schedule.every))
            if let name = schedule.name { json.member("name", name) }
        }
        if let uid = sender.uid {
            json.name("sender")
            json.object { $0.member("uid", Int(uid)) }
        }
        if count == 1, let event = events.first {
            EventEnvelope.writeData(of: event, to: &json)
        } else if !events.isEmpty {
            json.member("events", events) { json, event in
                json.object { EventEnvelope.writeData(of: event, to: &$0) }
            }
        }
        json.endObject()
    }
}
