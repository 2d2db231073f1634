internal import Protection

/// The outcome of a removal of several topics.
package struct RemovedTopics: Sendable {
    /// How many topics were removed. Those that were gone already, or that others removed
    /// meanwhile, do not count.
    package var count = 0
    /// Why a topic was not removed; nil if no removal failed.
    package var failure: BusError?
}

/// A place among all topics that there are, and those that will be by events for later.
package enum TopicPlace: Sendable {
    /// One in the order of those that there are.
    case visible(Int)
    /// One of those that have nothing but events for later.
    case held(Int)

    /// The place of the first topic.
    package static let first = visible(0)
}

/// The name of a topic, and the user that made it, if the kernel told.
package struct TopicOfOwner: Sendable {
    /// The name.
    package let name: TopicName
    /// The user; nil also where the topic has nothing but events for later.
    package let owner: UInt32?
}

extension EventBus {
    /// Removes a topic with all of its visible events; a later publish makes a new one.
    ///
    /// `then` gets the place of the removal in the order, before this returns or on a thread of the
    /// store. By then observers were told.
    public func remove(
        _ topic: TopicName, then: @escaping @Sendable (Result<EventID, BusError>) -> Void
    ) {
        commitRemoval(of: topic) { outcome in then(outcome.map(\.id)) }
    }

    /// The same; says whether the topic was there still when its turn came.
    private func commitRemoval(
        of topic: TopicName,
        then: @escaping @Sendable (Result<(id: EventID, wasThere: Bool), BusError>) -> Void
    ) {
        do throws(BusError) {
            try withLog { log throws(BusError) in try log.prepareRemoval(topic) }
        } catch {
            return then(.failure(error))
        }
        store.commit(.removal(topic)) { [self] outcome in
            then(
                outcome.map { receipt in
                    guard case .removal(let id) = receipt else {
                        preconditionFailure(
                            "the store took a removal of \(topic) as something else")
                    }
                    return (id, applyRemoval(of: topic, at: id))
                })
        }
    }

    /// Removes a topic at the place that its removal took, and tells observers. Returns whether the
    /// topic was there still, or events were held for it.
    @discardableResult
    func applyRemoval(of topic: TopicName, at id: EventID) -> Bool {
        let hasHeld = holdsAny(for: topic)
        while withLater({ $0.dropHeld(for: topic) }) {}
        let wasThere = withLog { $0.remove(topic, at: id) }
        notify(topic, newest: id, .removal)
        return wasThere || hasHeld
    }

    /// Removes all topics that a selector matches, each as ``remove(_:then:)`` does, and returns how
    /// many there were. Topics count that have nothing but events for later. Topics that are made meanwhile may stay.
    ///
    /// - Throws: `BusError`; topics that were removed before stay removed.
    /// - Complexity: O(topics × terms), in bounded turns under the lock, with commits of some hundred
    ///   topics.
    @discardableResult
    public func remove(matching selector: Selector) async throws(BusError) -> Int {
        var (count, place): (Int, TopicPlace?) = (0, .first)
        while let from = place {
            let (topics, next) = someTopics(matching: selector, from: from)
            count += try await remove(topics.map(\.name))
            place = next
        }
        return count
    }

    private func remove(_ topics: [TopicName]) async throws(BusError) -> Int {
        let removed = await withCheckedContinuation { continuation in
            remove(topics) { continuation.resume(returning: $0) }
        }
        if let failure = removed.failure { throw failure }
        return removed.count
    }

    /// Some of the topics that a selector matches, from a place on, those that have nothing but events for later
    /// behind the others. Also returns the place to go on from; nil at the end.
    ///
    /// - Complexity: At most `Limits.removalStepsMax` steps, under the lock.
    package func someTopics(
        matching selector: Selector, from place: TopicPlace
    ) -> (topics: [TopicOfOwner], next: TopicPlace?) {
        let now = clock.now()
        var steps = Limits.removalStepsMax
        defer { tasks.removals.countTurn(of: Limits.removalStepsMax - steps) }
        return withLog { log in
            var found: [TopicOfOwner] = []
            var heldFrom = 0
            switch place {
            case .visible(let from):
                let next = log.visit(selector, from: from, now: now, &steps) {
                    found.append(TopicOfOwner(name: $0.name, owner: $0.owner))
                }
                if let next { return (found, .visible(next)) }
            case .held(let from): heldFrom = from
            }
            let next = log.visitHeld(selector, from: heldFrom, &steps) {
                found.append(TopicOfOwner(name: $0, owner: nil))
            }
            return (found, next.map { .held($0) })
        }
    }

    /// Removes topics, each as ``remove(_:then:)`` does.
    ///
    /// `then` gets the outcome for all topics, before this returns or on a thread of the store.
    package func remove(
        _ topics: [TopicName], then: @escaping @Sendable (RemovedTopics) -> Void
    ) {
        guard !topics.isEmpty else { return then(RemovedTopics()) }
        let outcomes = Protected((removed: RemovedTopics(), left: topics.count))
        for topic in topics {
            commitRemoval(of: topic) { outcome in
                let all = outcomes.write { outcomes -> RemovedTopics? in
                    outcomes.left -= 1
                    switch outcome {
                    case .success((_, true)): outcomes.removed.count += 1
                    case .success((_, false)), .failure(.topicUnknown): break
                    case .failure(let error): outcomes.removed.failure = error
                    }
                    return outcomes.left == 0 ? outcomes.removed : nil
                }
                if let all { then(all) }
            }
        }
    }
}
