internal import Access
internal import HTTPFront
internal import Topics

extension BusHandler {
    /// `POST /topics/{topic}`: publishes the body as one event, or each of its lines.
    func publish(_ call: borrowing Call) throws(Refusal) {
        let request = try publishRequest(call)
        if let wait = try replyWait(call, request) {
            return try ask(request, within: wait, call)
        }
        let (caller, name) = (call.caller, call.head.target.lastSegmentRange)
        call.exchange.offer(valueAt: .length, withName: name) {
            KnownPublish(request, by: caller, on: self)
        }
        try publish(request, call.request.body, by: caller, call.exchange)
    }

    /// Publishes the body of a request as it asks for.
    func publish(
        _ request: PublishRequest, _ body: RequestBody, by caller: Caller, _ exchange: Exchange
    ) throws(Refusal) {
        let payloads =
            request.isSplit ? try lines(of: body) : [Payload(copying: body.bytes)]
        guard !payloads.isEmpty else { return exchange.respond(PublishResponse.nothing()) }
        var attributes = request.attributes
        if let ttl = request.ttl {
            attributes = attributes.with(
                attributes.labels, expires: bus.now.advanced(microseconds: ttl))
        }
        let batch = PublishBatch(
            topic: request.topic, attributes: attributes, sender: request.sender,
            payloads: payloads)
        let hint = PublishHint.body(
            request.bodyKind, body.bytes, isOneLine: request.isSplit && payloads.count == 1,
            isSplit: request.isSplit)
        let (account, reply, access) = (exchange.account, exchange.reply, configuration.access)
        let (topic, isSplit) = (request.topic, request.isSplit)
        let prefix = service.prefix
        let (showsSubscribers, hasIgnoredKey) = (request.showsSubscribers, request.hasIgnoredKey)
        let bytes = batch.queuedBytes
        try queue(bytes, for: account)
        bus.publish(batch) { result in
            account.queuedBytes.add(-bytes)
            switch result {
            case .success(let receipt):
                let namesake = receipt.namesake.flatMap {
                    access.subscribe($0, caller).isAllowed ? $0 : nil
                }
                let hint = hint ?? namesake.map { PublishHint.topic(topic, beside: $0) }
                var response =
                    isSplit
                    ? PublishResponse.batch(receipt, in: topic, hint: hint)
                    : PublishResponse.event(
                        receipt, in: topic, below: prefix, showsSubscribers: showsSubscribers,
                        hint: hint)
                if hasIgnoredKey { response.headers.add(contentsOf: PublishHeaders.keyIsIgnored) }
                reply.send(response)
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
        deliverFirst(to: topic, exchange)
    }

    private func publishRequest(
        _ call: borrowing Call
    ) throws(Refusal) -> PublishRequest {
        let (head, parameters) = (call.head, call.parameters)
        let topic = try publishable(call.resource.name, by: call.caller)
        let isSplit = try parameters.choice("split", ["lines": true]) ?? false
        let ttl = try parameters.duration("ttl", in: Limits.ttlMicroseconds)
        try Self.refuseUnsupported(head)
        let attributes = try Self.attributes(head, parameters, isSplit: isSplit)
        return PublishRequest(
            topic: topic, attributes: attributes,
            sender: Sender(uid: head.peer.uid, pid: head.peer.pid), ttl: ttl, isSplit: isSplit,
            bodyKind: try PublishHint.BodyKind(head.headers),
            hasIgnoredKey: PublishHeaders.haveIgnoredKey(head.headers),
            showsSubscribers: showsSubscribers(of: topic, to: call.caller))
    }

    /// How long the publisher waits for a reply, in microseconds; nil where it does not.
    private func replyWait(
        _ call: borrowing Call, _ request: PublishRequest
    ) throws(Refusal) -> Int64? {
        let range =
            Limits.replyMicroseconds
            .lowerBound...min(
                Limits.replyMicroseconds.upperBound, configuration.waitMax)
        let wait = try call.parameters.duration("reply", in: range, setBy: "poll.wait_max")
        guard wait == nil || !request.isSplit && request.ttl == nil else {
            throw Refusal(
                .parameterInvalid,
                "'reply' is for one event, and says how long it is of use: leave out 'split' and "
                    + "'ttl'.")
        }
        return wait
    }

    /// Publishes the body as a request, and answers what a worker replies.
    private func ask(
        _ request: PublishRequest, within microseconds: Int64, _ call: borrowing Call
    ) throws(Refusal) {
        let batch = PublishBatch(
            topic: request.topic, attributes: request.attributes, sender: request.sender,
            payloads: [Payload(copying: call.request.body.bytes)])
        try WaitingRequest(
            to: request.topic, of: batch.queuedBytes, by: call.caller,
            hasIgnoredKey: request.hasIgnoredKey, on: self
        ).begin(batch, within: microseconds, call.exchange)
        deliverFirst(to: request.topic, call.exchange)
    }

    /// The topic of this name, if the caller may publish to it.
    func publishable(_ name: String, by caller: Caller) throws(Refusal) -> TopicName {
        let topic = try TopicName(request: name)
        try require(configuration.access.publish(topic, caller))
        return topic
    }

    /// Whether a caller that publishes to a topic is told how many wait for that.
    func showsSubscribers(of topic: TopicName, to caller: Caller) -> Bool {
        configuration.access.subscribe(topic, caller).isAllowed
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

    static func refuseUnsupported(_ head: RequestHead) throws(Refusal) {
        try PublishHeaders.check(head.headers)
        for coding in head.headers.all("content-encoding")
        where !ASCII.isEqualIgnoringCase(coding, "identity") {
            throw Refusal(
                .encodingUnsupported, "Content-Encoding is '\(coding)'; send the body as it is.")
        }
        for type in head.headers.all("content-type")
        where ASCII.isEqualIgnoringCase(type.mediaType, "application/cloudevents-batch+json") {
            throw Refusal(
                .notSupported,
                "A batch of CloudEvents would become one event. Publish each of them, with "
                    + "Content-Type: application/cloudevents+json.")
        }
    }

    static func attributes(
        _ head: RequestHead, _ parameters: Parameters, isSplit: Bool
    ) throws(Refusal) -> EventAttributes {
        var texts = AttributeTexts()
        for attribute in EventAttribute.all {
            let wire = WireAttribute.row(attribute)
            texts[attribute] = try head.headers.only(wire.lowercaseHeader)
            guard let name = wire.parameter, let parameter = parameters.text(name) else { continue }
            if let header = texts[attribute], header != parameter {
                throw Refusal(
                    .parameterRepeated,
                    "'\(name)' is '\(parameter)' in the query and '\(header)' in the header; give "
                        + "it once.")
            }
            texts[attribute] = parameter
        }
        texts[.contentType] = texts[.contentType].flatMap { keptContentType($0, isSplit: isSplit) }
        return try EventAttributes(request: texts)
    }

    /// The Content-Type to keep of the one sent: what curl says of every body by itself counts as
    /// none, and the lines of NDJSON are JSON each.
    private static func keptContentType(_ sent: String, isSplit: Bool) -> String? {
        if PublishHint.BodyKind.isForm(sent) { return nil }
        if isSplit, ASCII.isEqualIgnoringCase(sent.mediaType, "application/x-ndjson") {
            return "application/json"
        }
        return sent
    }
}
