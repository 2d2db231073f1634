internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The route of one retained event.
struct EventRoute: Routes {
    let loop: BusLoop

    /// `GET /topics/{topic}/events/{id}`: one retained event, raw.
    func event(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        try gate.require(gate.access.subscribe(topic, call.caller))
        guard let id = EventID(decimal: call.resource.id) else {
            throw Refusal(
                .eventUnknown, "'\(call.resource.id)' is no event id; ids are decimal numbers.")
        }
        let reply = call.exchange.reply
        switch bus.event(id, in: topic) {
        case .found(let event): reply.send(RawEvent.response(event))
        case .removed: throw RawEvent.removed(id, topic)
        case .unknown: throw RawEvent.unknown(id, topic)
        case .older(let position):
            read(id, topic, at: position, call)
        }
    }

    /// Answers with an event that only the store has. It is read beside the loop, once it has room.
    private func read(
        _ id: EventID, _ topic: TopicName, at position: LogPosition, _ call: borrowing Call
    ) {
        let (bus, late, account) = (bus, LateAnswer(on: loop), call.exchange.account)
        let (answer, cancellation) = (late.begin(call.exchange), late.cancellation)
        let room = service.answers.room(for: bus.limits.eventBytesMax)
        service.backgroundReads.addAsking(for: account, unless: cancellation, in: room) {
            answered in
            bus.readStore(
                position, matching: Selector(topic), filter: .all,
                limit: ReadLimit(events: 1, bytes: .max),
                for: StoreClient(user: account.uid) { cancellation.isCancelled }
            ) { result in
                answered()
                answer(RawEvent.response(result, id, topic, in: room))
            }
        }
    }
}
