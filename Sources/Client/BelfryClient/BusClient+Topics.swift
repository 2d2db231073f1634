internal import JSON
public import Topics
internal import Wire

extension BusClient {
    /// All topics, or those a pattern matches, sorted by name, and the newest visible id when the bus
    /// began to look.
    ///
    /// - Throws: `ClientError`.
    public func topics(
        matching pattern: TopicPattern? = nil
    ) async throws(ClientError) -> (topics: [TopicDescription], cursor: EventID) {
        let answer = try await answer(
            .get, TargetPath("topics").with("match", pattern?.text), expecting: [200])
        var topics: [TopicDescription] = []
        var cursor: EventID?
        try answer.members { name, reader in
            if name.spells("cursor") {
                cursor = reader.string().flatMap { EventID(decimal: $0) }
                return cursor != nil
            }
            guard name.spells("topics") else { return reader.value() != nil }
            return reader.array { reader in
                guard let topic = TopicDescription(&reader) else { return false }
                topics.append(topic)
                return true
            }
        }
        guard let cursor else { throw .malformedAnswer("a list of topics without a cursor") }
        return (topics, cursor)
    }

    /// One topic as it is; nil if there is none.
    ///
    /// - Throws: `ClientError`.
    public func description(of topic: TopicName) async throws(ClientError) -> TopicDescription? {
        let pattern: TopicPattern
        do throws(NameError) {
            pattern = try TopicPattern(topic.text)
        } catch {
            throw .unsendable("\(error)")
        }
        return try await topics(matching: pattern).topics.first { $0.name == topic }
    }

    /// The condition that a topic still has the version of this moment, for a publish.
    ///
    /// - Throws: `ClientError`.
    public func version(of topic: TopicName) async throws(ClientError) -> PublishCondition {
        let answer = try await answer(
            .head, TargetPath("topics", topic.text), expecting: [200, 404])
        let tag = answer.head["etag"]?.filter { $0 != "\"" } ?? ""
        guard let condition = TopicVersion.condition(ofTag: tag) else {
            throw .malformedAnswer("the answer does not say the version of the topic")
        }
        return condition
    }

    /// Registers a topic, or replaces all settings of one that exists; it then stays without events.
    ///
    /// Settings whose ``TopicSettings/expect`` is nil end an expectation that somebody else gave the topic. The group
    /// that it is held for stays.
    ///
    /// - Parameter settings: Nil for the defaults of the bus; an expectation stays then.
    /// - Returns: The topic, whether it is new, and a sentence about a probable mistake; nil for none.
    /// - Throws: `ClientError`. Behind `outcomeUnknown` it may be done; to repeat it does no harm.
    public func register(
        _ topic: TopicName, settings: TopicSettings? = nil
    ) async throws(ClientError) -> (topic: TopicDescription, isNew: Bool, hint: String?) {
        try await register(topic, parameters: settings?.parameters ?? [])
    }

    /// The same with settings as the bus reads them, which it also checks; those that are not named
    /// are the defaults. `hold` and `expect` stay, and `expect` alone leaves all others as they are.
    public func register(
        _ topic: TopicName, parameters: [(name: String, text: String)]
    ) async throws(ClientError) -> (topic: TopicDescription, isNew: Bool, hint: String?) {
        var target = TargetPath("topics", topic.text)
        for (name, text) in parameters { target = target.with(name, text) }
        let answer = try await answer(.put, target, expecting: [200, 201])
        let description = answer.body.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return TopicDescription(&reader)
        }
        guard let description else { throw .malformedAnswer("the answer describes no topic") }
        let hint = answer.body.withUnsafeBytes { JSONMembers($0)?.texts["hint"] }
        return (description, answer.head.status == 201, hint)
    }

    /// Removes a topic with its events.
    ///
    /// - Throws: `ClientError`, a refusal with 404 where there is none.
    public func remove(_ topic: TopicName) async throws(ClientError) {
        _ = try await answer(.delete, TargetPath("topics", topic.text), expecting: [204])
    }

    /// Looks up one id in one topic. A retained event comes with its exact bytes.
    ///
    /// - Throws: `ClientError`.
    public func event(
        _ id: EventID, in topic: TopicName
    ) async throws(ClientError) -> EventLookup {
        let answer = try await answer(.get, TargetPath("topics", topic.text, "events", "\(id)"))
        switch answer.head.status {
        case 200: break
        case 410: return .removed
        case 404 where answer.refusal.code == "EVENT_UNKNOWN": return .unknown
        default: throw .refused(answer.refusal)
        }
        return .found(try answer.event(id, in: topic))
    }
}
