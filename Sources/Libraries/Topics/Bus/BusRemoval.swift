internal import Protection

/// The outcome of a removal of several topics.
package struct RemovedTopics: Sendable {
    /// How many topics were removed. Those that were gone already, or that others removed
    /// meanwhile, do not count.
    package var count = 0
    /// Why a topic was not removed; nil if no removal failed.
    package var failure: BusError?
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
        var (count, place): (Int, Int?) = (0, 0)
        while let from = place {
            let (topics, next) = someTopics(matching: selector, from: from)
            count += try await remove(topics.map(\.name))
            place = next
        }
        var held = heldTopics(matching: selector)[...]
        while !held.isEmpty {
            let some = held.prefix(Limits.removedAtOnceMax)
            count += try await remove(Array(some))
            held = held.dropFirst(some.count)
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

    /// The topics that a selector matches for which events are held, and which have nothing else.
    ///
    /// - Complexity: O(topics with held events); their names are taken under the lock, some 10 ns each.
    package func heldTopics(matching selector: Selector) -> [TopicName] {
        let held = withLog { Array($0.later.table.topics) }
        return held.filter { selector.matches($0) && description(of: $0) == nil }
            .sorted { $0.text < $1.text }
    }

    /// Some of the topics that a selector matches, from a place in the order of all topics on. Also
    /// returns the place to go on from; nil at the end.
    ///
    /// - Complexity: At most `Limits.removalStepsMax` steps, under the lock.
    package func someTopics(
        matching selector: Selector, from place: Int
    ) -> (topics: [TopicDescription], next: Int?) {
        let now = clock.now()
        var steps = Limits.removalStepsMax
        defer { tasks.removals.countTurn(of: Limits.removalStepsMax - steps) }
        return withLog { log in
            var found: [TopicRecord] = []
            let next = log.visit(selector, from: place, now: now, &steps) { found.append($0) }
            return (found.map { log.describe($0) }, next)
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
