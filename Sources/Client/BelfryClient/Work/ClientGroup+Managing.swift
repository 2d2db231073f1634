internal import JSON
public import Topics
internal import Wire

extension ClientGroup {
    /// The group as it is; nil if there is none.
    ///
    /// - Throws: `ClientError`.
    public func description() async throws(ClientError) -> ClientGroupDescription? {
        let answer = try await client.answer(.get, TargetPath("groups", name))
        if answer.head.status == 404, answer.refusal.code == "GROUP_UNKNOWN" { return nil }
        guard answer.head.status == 200 else { throw .refused(answer.refusal) }
        return try answer.group()
    }

    /// Makes the group, or changes its changeable settings. A setting that is not named stays.
    ///
    /// - Throws: `ClientError`. Behind `outcomeUnknown` it may be done; to repeat it does no harm.
    @discardableResult
    public func set(
        _ settings: GroupSettings
    ) async throws(ClientError) -> (group: ClientGroupDescription, isNew: Bool) {
        try await set(parameters: settings.parameters)
    }

    /// The same with parameters as the bus reads them, which it also checks.
    @discardableResult
    package func set(
        parameters: [(name: String, text: String)]
    ) async throws(ClientError) -> (group: ClientGroupDescription, isNew: Bool) {
        var target = TargetPath("groups", name)
        for (name, text) in parameters { target = target.with(name, text) }
        let answer = try await client.answer(.put, target, expecting: [200, 201])
        return (try answer.group(), answer.head.status == 201)
    }

    /// Ends the group, and nothing of its topics.
    ///
    /// - Parameter isForced: Also where topics hold their events for it.
    /// - Throws: `ClientError`.
    public func remove(isForced: Bool = false) async throws(ClientError) {
        _ = try await client.answer(
            .delete, TargetPath("groups", name).with("force", isForced ? "1" : nil),
            expecting: [204])
    }

    /// Forgets open jobs, and begins anew at `start`; every lease ends.
    ///
    /// - Throws: `ClientError`.
    @discardableResult
    public func seek(
        to start: StartPosition
    ) async throws(ClientError) -> ClientGroupDescription {
        try await client.answer(
            .post, TargetPath("groups", name, "seek").with("since", Since.text(start)),
            expecting: [200]
        ).group()
    }

    /// Open jobs by id, behind `after`, at most `max` of them, which is 1 to 1,000.
    ///
    /// - Throws: `ClientError`.
    public func jobs(
        after: EventID = .zero, max: Int = 1_000
    ) async throws(ClientError) -> [ClientJobDescription] {
        let answer = try await client.answer(
            .get,
            TargetPath("groups", name, "jobs").with("after", "\(after)").with("max", "\(max)"),
            expecting: [200])
        return try answer.list("jobs") { ClientJobDescription($0) }
    }

    /// Publishes a dead letter again to the topic it came from, and returns its new id.
    ///
    /// - Parameter letter: The id that it has in the dead topic, or that of its job, where it is one of
    ///   the 256 newest letters.
    /// - Throws: `ClientError`, a refusal with `JOB_SETTLED` where that was done before.
    @discardableResult
    public func revive(_ letter: EventID) async throws(ClientError) -> EventID {
        let answer = try await client.answer(
            .post, TargetPath("groups", name, "revive").with("id", "\(letter)"), expecting: [201])
        guard let id = answer.head["event-id"].flatMap({ EventID(decimal: $0) }) else {
            throw .malformedAnswer("a revived event without its id")
        }
        return id
    }
}

extension BusClient {
    /// The groups whose topics one may all read.
    ///
    /// - Throws: `ClientError`.
    public func groups() async throws(ClientError) -> [ClientGroupDescription] {
        try await answer(.get, TargetPath("groups"), expecting: [200])
            .list("groups") { ClientGroupDescription($0) }
    }
}

extension WholeAnswer {
    /// The one group that the answer describes.
    fileprivate func group() throws(ClientError) -> ClientGroupDescription {
        let group = body.withUnsafeBytes { bytes -> ClientGroupDescription? in
            var reader = JSONReader(bytes)
            return reader.value().flatMap { ClientGroupDescription($0) }
        }
        guard let group else { throw .malformedAnswer("the answer describes no group") }
        return group
    }

    /// The objects of the list that is the member `name`.
    func list<Element>(
        _ name: StaticString, _ read: (UnsafeRawBufferPointer) -> Element?
    ) throws(ClientError) -> [Element] {
        var elements: [Element] = []
        try members { member, reader in
            guard member.spells(name) else { return reader.value() != nil }
            return reader.array { reader in
                guard let element = reader.value().flatMap(read) else { return false }
                elements.append(element)
                return true
            }
        }
        return elements
    }
}
