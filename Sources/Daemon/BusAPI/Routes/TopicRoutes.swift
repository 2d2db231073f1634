internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire
internal import Work

/// The routes about topics themselves.
struct TopicRoutes: Routes {
    let loop: BusLoop

    /// `HEAD /topics/{selector}`: its summary, without waiting.
    func summary(_ call: borrowing Call) throws(Refusal) {
        let selector = try gate.readable(loop.selector(named: call.resource.name), by: call.caller)
        let (service, caller, access) = (service, call.caller, gate.access)
        // Not later than the rest: an old tag is refused, and a new one would stand for events that the cursor lacks.
        let tag = selector.singleName.map { bus.version(of: $0).tag }
        look(at: bus.summing(selector), looksPerTopic: selector.looksPerTopic, call) { survey in
            guard (try? service.access(for: caller)) == access else {
                return Refusal(.limitBus, "The rules changed meanwhile; ask again.").response
            }
            let summary = survey.summary
            var headers: HeaderLines = [("Event-Cursor", "\(summary.cursor)")]
            if let oldest = summary.oldest { headers.add("Event-Oldest", "\(oldest)") }
            if summary.exists { headers.add("Event-Count", "\(summary.count)") }
            if let tag { headers.add("ETag", "\"\(tag)\"") }
            return Response(status: summary.exists ? 200 : 404, headers: headers)
        }
    }

    /// Answers with the result of a survey of topics. A survey of many looks is taken beside the
    /// loop.
    ///
    /// - Parameter looksPerTopic: The number of terms that each topic is compared with; 0 for a
    ///   single topic that is found by its name.
    func look<Gathered>(
        at survey: TopicSurvey<Gathered>, looksPerTopic: Int, _ call: borrowing Call,
        _ response: @escaping @Sendable (TopicSurvey<Gathered>) -> Response
    ) {
        let bus = bus
        guard bus.statistics.topics * looksPerTopic > Limits.topicLooksAtOnceMax else {
            while bus.turn(of: survey) {}
            return call.respond(response(survey))
        }
        let late = LateAnswer(on: loop)
        let answer = late.begin(call.exchange)
        service.backgroundReads.add(for: call.exchange.account, unless: late.cancellation) {
            if bus.turn(of: survey) { return true }
            answer(response(survey))
            return false
        }
    }

    /// `PUT /topics/{topic}`: registers the topic or replaces its settings.
    func register(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        let change = try change(of: topic, call.parameters, by: call.caller)
        let (peer, access) = (call.exchange.peer, gate.access)
        let showsEvents = access.subscribe(topic, call.caller).isAllowed
        let registering = access.register(topic, call.caller)
        if let owner = bus.description(of: topic).map(\.owner) {
            let decision = access.administer(topic, madeBy: owner, call.caller)
            // A caller that may neither know of a topic nor make it is not told that it is there.
            if !decision.isAllowed, !showsEvents { try gate.require(registering) }
            try gate.require(decision)
        } else {
            try gate.require(registering)
        }
        let reply = call.exchange.reply
        let (bus, caller) = (bus, call.caller)
        bus.register(topic, change, by: Sender(uid: peer.uid, pid: peer.pid)) {
            result in
            switch result {
            case .success((let description, let isNew)):
                let namesake = isNew ? bus.namesake(of: topic) : nil
                let known = namesake.flatMap { access.subscribe($0, caller).isAllowed ? $0 : nil }
                var hint = known.map { PublishHint.topic(topic, beside: $0) }
                if change.settings.expect != nil, !bus.outlivesRestarts {
                    hint = PublishHint.expectationInMemory
                }
                var json = JSONWriter()
                json.object { json in
                    description.writeMembers(to: &json, showsEvents: showsEvents)
                    if let hint { json.member("hint", hint) }
                }
                reply.send(.json(status: isNew ? 201 : 200, json))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// The settings that a registration asks for. Those that it does not name have their defaults, but for `expect`
    /// and `hold`, which stay as they are. A registration that names `expect` alone leaves the others as they are, too.
    private func change(
        of topic: TopicName, _ parameters: Parameters, by caller: Caller
    ) throws(Refusal) -> SettingsChange {
        var kept: SettingsChange.Kept = parameters.names == ["expect"] ? .retention : []
        if parameters.text("expect") == nil { kept.insert(.expect) }
        var settings = TopicSettings(retention: bus.defaults, persists: true)
        if let hold = try hold(topic, parameters, by: caller) {
            settings.hold = hold
        } else {
            kept.insert(.hold)
        }
        for setting in TopicSetting.all {
            let bound: (notation: Parameters.Notation, range: ClosedRange<Int64>)
            switch setting.form {
            case .count(_, let max): bound = (.count, 0...max)
            case .size(_, let max): bound = (.size, 0...max)
            case .duration(_, let range): bound = (.duration, range)
            case .truth(let path):
                if let truth = try parameters.truth(setting.name) {
                    settings[keyPath: path] = truth
                }
                continue
            case .holder: continue
            }
            let wanted = try parameters.bound(setting.name, bound.notation, in: bound.range)
            if let wanted { setting.set(wanted.value, in: &settings) }
        }
        return SettingsChange(settings, keeping: kept)
    }

    /// The group that a registration holds the topic for; `.some(nil)` for `hold=none`, nil without
    /// `hold`.
    ///
    /// - Throws: 404 `GROUP_UNKNOWN`, or 409 if the group does not take every event of the topic:
    ///   an event that it never settles would be held for ever.
    private func hold(
        _ topic: TopicName, _ parameters: Parameters, by caller: Caller
    ) throws(Refusal) -> TopicHolder?? {
        guard let text = parameters.text("hold") else { return nil }
        guard text != "none" else { return .some(nil) }
        let name = try GroupName(request: text)
        guard let group = work.scope(of: name), gate.mayKnow(of: group, caller) else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        guard group.filter == EventFilter.all.toActOn, group.selector.matches(topic) else {
            throw Refusal(
                .groupDiffers,
                "'hold' is '\(text)', which does not take every event of '\(topic)'; name a group "
                    + "whose 'of' has the topic, without 'type' and attributes.")
        }
        return .some(TopicHolder(group: group.number, name: text))
    }

    /// `DELETE /topics/{topic}`: removes the topic with its visible events.
    func remove(_ call: borrowing Call) throws(Refusal) {
        let topic = try TopicName(request: call.resource.name)
        let description = bus.description(of: topic)
        let decision = gate.access.administer(
            topic, madeBy: description?.owner, call.caller)
        // A caller that may not even know of a topic is not told whether it is there.
        if !decision.isAllowed {
            try gate.require(gate.access.subscribe(topic, call.caller))
        }
        guard description != nil || bus.holdsAny(for: topic) else {
            throw Refusal(.topicUnknown, "There is no topic '\(topic)', so nothing to delete.")
        }
        try gate.require(decision)
        let reply = call.exchange.reply
        bus.remove(topic) { result in
            switch result {
            case .success: reply.send(Response(status: 204))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// `DELETE /topics`: removes the topics of a pattern that the caller may remove, some at a time.
    func removeMatching(_ call: borrowing Call) throws(Refusal) {
        guard let pattern = try pattern(call.parameters) else {
            throw Refusal(
                .parameterInvalid,
                "'match' is missing: it says which topics to remove; %3E, which is >, is all of them."
            )
        }
        let late = LateAnswer(on: loop)
        TopicsRemoval(
            of: pattern, by: call.caller, on: service, unless: late.cancellation,
            answer: late.begin(call.exchange)
        ).begin(for: call.exchange.account)
    }

    /// The pattern that the request is about; nil if it names none.
    private func pattern(_ parameters: Parameters) throws(Refusal) -> TopicPattern? {
        guard let match = parameters.text("match") else { return nil }
        do throws(NameError) {
            return try TopicPattern(match)
        } catch {
            throw Refusal(.parameterInvalid, "'match' is no pattern: \(error.detail)")
        }
    }

    /// `GET /topics`: lists the topics of one moment, or those that changed since another one.
    func list(_ call: borrowing Call) throws(Refusal) {
        let pattern = try pattern(call.parameters)
        let selector = try Selector(request: pattern?.text ?? ">")
        let wait = try call.parameters.duration(
            "wait", in: 0...configuration.waitMax, setBy: "poll.wait_max")
        if let since = call.parameters.text("since") {
            return try TopicsPoll(
                of: gate.readable(selector, by: call.caller), since: ListCursor(request: since),
                within: wait ?? configuration.waitDefault, by: call.caller, on: loop
            ).begin(call.exchange)
        }
        guard wait == nil else {
            throw Refusal(
                .parameterInvalid,
                "'wait' is for a list of what changes: it needs 'since', which is 'next' of the list "
                    + "before, or 0.")
        }
        let (service, caller) = (service, call.caller)
        look(at: bus.listing(matching: pattern), looksPerTopic: 1, call) { survey in
            let access: AccessPolicy
            do throws(Refusal) { access = try service.access(for: caller) } catch {
                return error.response
            }
            let visibility = access.rules.visibility(for: caller)
            let mark = service.mark(of: selector.limited(to: visibility))
            let all = survey.topics
            let topics =
                visibility.map { visibility in all.filter { visibility.shows($0.name) } } ?? all
            return TopicsAnswer(
                topics: topics, next: ListCursor(survey.moment, mark)
            ).response
        }
    }
}

extension Selector {
    /// The number of terms that each topic is compared with; 0 for one name, which is found
    /// directly.
    var looksPerTopic: Int { singleName == nil ? termCount : 0 }
}
