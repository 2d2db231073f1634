public import Topics

/// Operations for tasks of this process.
extension WorkGroups {
    /// The existing group of a name.
    ///
    /// - Throws: ``WorkError/groupUnknown(_:)``, or ``WorkError/valueInvalid(_:)`` if `name` is no
    ///   name.
    /// - Complexity: O(1).
    public func group(_ name: String) throws(WorkError) -> Group {
        let name = try Self.checked(name)
        _ = try group(name)
        return Group(name: name, groups: self)
    }

    /// The group of a name, which is made with the defaults if there is none.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    ///   - selector: Its topics: names and patterns, with commas between them.
    /// - Throws: ``WorkError``: ``WorkError/groupDiffers(_:setting:)`` where the group has other topics.
    public func group(_ name: String, of selector: String) async throws(WorkError) -> Group {
        let topics: Selector
        do throws(NameError) {
            topics = try Selector(selector)
        } catch {
            throw .valueInvalid(error.description)
        }
        return try await set(name, GroupSettings(of: topics))
    }

    /// Makes a group, or changes one that is there; settings that are not named stay.
    ///
    /// If several callers make one at once, one of them does, and the others find it.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    ///   - settings: The settings to have; a new group needs a selector.
    /// - Throws: ``WorkError``; nothing was changed then.
    /// - Complexity: Of a new group, that of finding its start position in the log.
    @discardableResult
    public func set(_ name: String, _ settings: GroupSettings) async throws(WorkError) -> Group {
        let name = try Self.checked(name)
        try settings.check()
        _ = try await Self.answer { set(name, settings, by: .process, then: $0) }
        return Group(name: name, groups: self)
    }

    /// Publishes one event and waits for the reply of a worker.
    ///
    /// Only groups that reply (`GroupSettings.replies`) count. Several groups each do the request,
    /// and the first reply counts. The reply is delivered once its job's settlement is committed, and
    /// is in no log.
    ///
    /// - Parameters:
    ///   - batch: One event.
    ///   - limit: How long to wait, 1 ms to 1 h. The request expires with it, and sooner where the
    ///     task is cancelled: it is handed to no worker any more.
    /// - Throws: ``WorkError``: ``WorkError/noResponder(_:)`` at once where no worker is there (one that
    ///   waits, has a job, or asked in the last 5 s), and nothing is published;
    ///   ``WorkError/replyTimeout(_:)`` where the time is over or the task is cancelled;
    ///   ``WorkError/replyRefused(_:)`` where it became a dead letter.
    public func ask(_ batch: PublishBatch, within limit: Duration) async throws(WorkError) -> Reply
    {
        try await TaskWait.answer(within: limit) { then in
            let asking = ask(batch, within: limit.wholeMicroseconds, then: then)
            return { asking.cancel() }
        }.get()
    }

    /// Publishes one text and waits for the reply of a worker, as ``ask(_:within:)`` does.
    public func ask(
        _ text: String, to topic: String, within limit: Duration
    ) async throws(WorkError) -> Reply {
        let name: TopicName
        do throws(NameError) { name = try TopicName(topic) } catch {
            throw .valueInvalid(error.description)
        }
        return try await ask(
            PublishBatch(topic: name, payloads: [Payload(Array(text.utf8))]), within: limit)
    }

    private static func checked(_ name: String) throws(WorkError) -> GroupName {
        do throws(WorkNameError) {
            return try GroupName(name)
        } catch {
            throw .valueInvalid(error.description)
        }
    }

    /// Calls an operation that takes no longer than a commit, and waits for its answer.
    static func answer<Value: Sendable>(
        _ verb: (@escaping @Sendable (Result<Value, WorkError>) -> Void) -> Void
    ) async throws(WorkError) -> Value {
        let answer = await withCheckedContinuation { continuation in
            verb { continuation.resume(returning: $0) }
        }
        return try answer.get()
    }
}

extension WorkCaller {
    /// The caller for all tasks in the process of the bus.
    static let process = WorkCaller(uid: nil)
}
