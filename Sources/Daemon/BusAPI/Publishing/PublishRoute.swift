internal import Access
internal import Glibc
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The route that publishes.
struct PublishRoute: Routes {
    let loop: BusLoop

    /// `POST /topics/{topic}`: publishes the body as one event, or each of its lines.
    func publish(_ call: borrowing Call) throws(Refusal) {
        try publish(try publishRequest(call), call)
    }

    /// `PUT /topics/{topic}/later/{name}`: makes a schedule of the body, or replaces the one of its name.
    func schedule(_ call: borrowing Call) throws(Refusal) {
        try publish(try publishRequest(call, name: call.resource.id), call)
    }

    private func publish(
        _ request: PublishRequest, _ call: borrowing Call
    ) throws(Refusal) {
        if let wait = try replyWait(call, request) {
            return try ask(request, within: wait, call)
        }
        let (body, exchange) = (call.request.body, call.exchange)
        let payloads =
            request.isSplit ? try lines(of: body) : [Payload(copying: body.bytes)]
        guard !payloads.isEmpty else { return exchange.respond(PublishResponse.nothing()) }
        var metadata = request.metadata
        if let ttl = request.ttl, request.hold == nil {
            metadata = metadata.with(
                metadata.attributes, expires: bus.now.advanced(microseconds: ttl))
        }
        let batch = PublishBatch(
            topic: request.topic, metadata: metadata, sender: request.sender,
            payloads: payloads,
            idempotencyKey: request.key.map {
                $0.key(
                    of: request, by: call.caller, body.bytes,
                    windowMicroseconds: bus.limits.idempotencyMicroseconds)
            }, condition: request.condition)
        let publishing = PendingPublish(
            request, try loop.queue(batch.queuedBytes, for: exchange.account), to: exchange.reply,
            hint: hint(request, call, isOneLine: request.isSplit && payloads.count == 1),
            access: gate.access.rules.isEmpty ? nil : (gate.access, call.caller),
            prefix: service.prefix)
        if let hold = request.hold {
            return bus.hold(
                held(batch, request, hold, call, body.bytes), then: publishing.answer)
        }
        bus.publish(batch, then: publishing.answer)
        deliverFirst(to: request.topic, exchange)
    }

    /// A sentence about a likely mistake; nil for none.
    private func hint(
        _ request: PublishRequest, _ call: borrowing Call, isOneLine: Bool
    ) -> String? {
        if request.hold == nil, !call.parameters.isEmpty, call.parameters.text("at") != nil {
            return PublishHint.timeIsOver
        }
        if request.key == nil, let name = PublishHeaders.foreignKey(in: call.head.headers) {
            return PublishHint.key(in: name)
        }
        return PublishHint.body(
            request.content, call.request.body.bytes, isOneLine: isOneLine,
            isSplit: request.isSplit)
    }

    private func held(
        _ batch: PublishBatch, _ request: PublishRequest, _ hold: HoldParameters,
        _ call: borrowing Call, _ body: UnsafeRawBufferPointer
    ) -> HeldBatch {
        guard hold.every != nil else {
            return HeldBatch(batch, ttl: request.ttl, at: hold.moment)
        }
        let owner = bus.description(of: request.topic).flatMap(\.owner)
        let administers = gate.access.administer(request.topic, madeBy: owner, call.caller)
        return HeldBatch(
            batch, ttl: request.ttl, at: hold.moment,
            schedule: hold.schedule(KeyHeader.print(of: request, body)),
            replacesOthers: administers.isAllowed)
    }

    private func deliverFirst(to topic: TopicName, _ exchange: Exchange) {
        if exchange.isAlone, !exchange.isDraining { loop.waits.deliverFirst(to: topic) }
    }

    private func publishRequest(
        _ call: borrowing Call, name: String? = nil
    ) throws(Refusal) -> PublishRequest {
        let (head, parameters) = (call.head, call.parameters)
        let topic = try publishable(call.resource.name, by: call.caller)
        // Most publishes have no parameters.
        let isPlain = parameters.isEmpty
        let isSplit = isPlain ? false : try parameters.choice("split", ["lines": true]) ?? false
        let ttl = isPlain ? nil : try parameters.duration("ttl", in: Limits.ttlMicroseconds)
        let content = try PublishContent(head, call.request.bodyLength)
        let key = try KeyHeader(head.headers)
        let hold =
            isPlain && name == nil ? nil : try hold(parameters, name, hasKey: key != nil)
        let metadata = try Self.metadata(head, parameters, content, isSplit: isSplit)
        let condition =
            PublishHeaders.mayBe(in: head.headers)
            ? try ConditionHeader.condition(head.headers) : nil
        if condition != nil {
            try check(topic, isHeld: hold != nil, hasKey: metadata[.key] != nil, call.caller)
        }
        guard hold?.every == nil || !isSplit else {
            throw Refusal(.parameterInvalid, "A schedule is of one event: leave out 'split'.")
        }
        return PublishRequest(
            topic: topic, metadata: metadata,
            sender: call.sender, ttl: ttl, isSplit: isSplit, content: content,
            hold: hold, key: key, condition: condition,
            showsSubscribers: gate.access.rules.isEmpty
                || gate.access.subscribe(topic, call.caller).isAllowed)
    }

    /// Refuses conditions that cannot be decided, and those of callers that the topic is not shown to: a condition
    /// tells whether somebody else has published.
    private func check(
        _ topic: TopicName, isHeld: Bool, hasKey: Bool, _ caller: Caller
    ) throws(Refusal) {
        guard !isHeld else {
            throw Refusal(
                .conditionInvalid,
                "A condition is for an event of now: leave out If-Match and If-None-Match, or 'delay', "
                    + "'at' and 'every'.")
        }
        guard !hasKey else {
            throw Refusal(
                .conditionInvalid,
                "If-Match and If-None-Match are about the whole topic, not about one key of it: leave "
                    + "out the key, or the condition.")
        }
        try gate.require(gate.access.subscribe(topic, caller))
    }

    private func hold(
        _ parameters: Parameters, _ name: String?, hasKey: Bool
    ) throws(Refusal) -> HoldParameters? {
        let now = bus.now
        return try HoldParameters(parameters, now: now, name: name).flatMap {
            $0.isOver(at: now, hasKey: hasKey) ? nil : $0
        }
    }

    /// How long the publisher waits for a reply, in microseconds; nil where it does not.
    private func replyWait(
        _ call: borrowing Call, _ request: PublishRequest
    ) throws(Refusal) -> Int64? {
        guard !call.parameters.isEmpty else { return nil }
        let range =
            Limits.replyMicroseconds
            .lowerBound...min(
                Limits.replyMicroseconds.upperBound, configuration.waitMax)
        let wait = try call.parameters.duration("reply", in: range, setBy: "poll.wait_max")
        guard wait == nil || request.key == nil else {
            throw Refusal(
                .conditionInvalid,
                "An Idempotency-Key is for events: no reply is kept that a repeat could have. Leave it or "
                    + "'reply' out.")
        }
        guard wait == nil || request.condition == nil else {
            throw Refusal(
                .conditionInvalid,
                "A request for a reply has no condition: leave out If-Match and If-None-Match, "
                    + "or 'reply'.")
        }
        guard wait == nil || !request.isSplit && request.ttl == nil && request.hold == nil else {
            throw Refusal(
                .parameterInvalid,
                "'reply' is for one event of now, and says how long it is of use: leave out 'split', "
                    + "'ttl', 'delay', 'at' and 'every'.")
        }
        return wait
    }

    /// Publishes the body as a request, and answers with a worker's reply.
    private func ask(
        _ request: PublishRequest, within microseconds: Int64, _ call: borrowing Call
    ) throws(Refusal) {
        let batch = PublishBatch(
            topic: request.topic, metadata: request.metadata, sender: request.sender,
            payloads: [Payload(copying: call.request.body.bytes)])
        try ReplyWait(to: request.topic, by: call.caller, on: loop).begin(
            batch, within: microseconds, call.exchange)
        deliverFirst(to: request.topic, call.exchange)
    }

    /// The topic of this name, if the caller may publish to it.
    func publishable(_ name: String, by caller: Caller) throws(Refusal) -> TopicName {
        let topic = try loop.topic(named: name)
        if !gate.access.rules.isEmpty { try gate.require(gate.access.publish(topic, caller)) }
        return topic
    }

    private func lines(of body: RequestBody) throws(Refusal) -> [Payload] {
        let bytesMax = configuration.eventBytesMax
        let eventsMax = bus.limits.batchEventsMax
        var payloads: [Payload] = []
        for line in LineSplitter(body.bytes) {
            guard line.count <= bytesMax else {
                throw Refusal(
                    .eventTooLarge,
                    "Event \(payloads.count + 1) of the batch has \(line.count) bytes; an event has "
                        + "at most \(bytesMax) (bus.event_bytes in belfryd.conf). Nothing was "
                        + "published.")
            }
            guard payloads.count < eventsMax else {
                throw Refusal(
                    .batchTooLarge,
                    "A batch has at most \(eventsMax) lines; publish it in parts. "
                        + "Nothing was published.")
            }
            payloads.append(Payload(copying: line))
        }
        return payloads
    }

    private static func refuseEncoded(_ head: RequestHead) throws(Refusal) {
        for coding in head.headers.all("content-encoding")
        where !ASCII.isEqualIgnoringCase(coding, "identity") {
            throw Refusal(
                .encodingUnsupported, "Content-Encoding is '\(coding)'; send the body as it is.")
        }
    }

    /// The parameters that give an event its fields and attributes.
    static let metadataParameters = WireField.parameters + [WireAttribute.parameter]

    /// The parameters of a publish.
    static let parameters = metadataParameters + ["split", "ttl", "reply"] + HoldParameters.all

    /// The parameters of a schedule, whose name is in its path.
    static let scheduleParameters = metadataParameters + ["ttl", "delay", "at", "every"]

    /// The fields and attributes that the head of a request gives to its events.
    static func metadata(
        _ head: RequestHead, _ parameters: Parameters, _ content: PublishContent, isSplit: Bool
    ) throws(Refusal) -> EventMetadata {
        try PublishHeaders.refuseLater(head.headers)
        let own = try PublishHeaders.found(in: head.headers)
        try refuseEncoded(head)
        let type = content.field(isSplit: isSplit)
        let hasOwn = own != nil || !parameters.isEmpty
        // Most events have neither fields nor attributes.
        guard hasOwn || type != nil else { return .none }
        var texts = MetadataTexts()
        texts[.contentType] = type
        guard hasOwn else { return try EventMetadata(request: texts) }
        var isEmpty = type == nil
        for field in WireField.own {
            let wire = WireField.row(field)
            var text = try head.headers.only(wire.lowercaseHeader)
            if let name = wire.parameter, let parameter = parameters.text(name) {
                if let text, text != parameter {
                    throw Refusal(
                        .parameterRepeated,
                        "'\(name)' is '\(parameter)' in the query and '\(text)' in the header; give "
                            + "it once.")
                }
                text = parameter
            }
            guard let text else { continue }
            texts[field] = text
            isEmpty = false
        }
        let metadata: EventMetadata = isEmpty ? .none : try EventMetadata(request: texts)
        let asked = parameters.attributes
        if own == nil, asked.isEmpty { return metadata }
        let attributes = try (own ?? PublishHeaders()).attributes(and: asked)
        return attributes.isEmpty ? metadata : metadata.with(attributes, expires: nil)
    }
}

/// The lines of a batch body: ended by LF or CRLF, the last with or without an end.
///
/// Empty lines are skipped. A CR that stands anywhere but before an LF belongs to its line.
///
/// - Complexity: O(bytes), one pass; nothing is copied.
struct LineSplitter: Sequence, IteratorProtocol {
    private var rest: UnsafeRawBufferPointer

    init(_ body: UnsafeRawBufferPointer) { rest = body }

    /// The next line that is not empty, without its end.
    mutating func next() -> UnsafeRawBufferPointer? {
        while let start = rest.baseAddress, !rest.isEmpty {
            let feed = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
            let end = feed.map { UnsafeRawPointer($0) - start } ?? rest.count
            var line = rest[..<end]
            rest = UnsafeRawBufferPointer(rebasing: rest[(feed == nil ? end : end + 1)...])
            if feed != nil, line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if !line.isEmpty { return UnsafeRawBufferPointer(rebasing: line) }
        }
        return nil
    }
}
