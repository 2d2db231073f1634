internal import Access
internal import HTTPFront
internal import JSON
internal import Topics

/// One removal of all topics of a pattern that its caller may remove. It takes turns between those
/// of other users: each removes some topics, behind the commit of the turn before, by the rules of
/// that moment.
///
/// Removals of one user go one after the other, so each topic is removed once, however many
/// removals match it. A removal ends when its client leaves; topics that were removed by then stay
/// removed.
final class TopicsRemoval: Sendable {
    private let selector: Selector
    private let caller: Caller
    private let service: BusService
    private let cancellation: Cancellation
    private let answer: @Sendable (Response) -> Void

    /// The progress of the removal.
    private struct Progress {
        var removed = 0
        /// Topics that the caller may know of, and not remove.
        var denied = 0
    }

    init(
        of pattern: TopicPattern, by caller: Caller, on service: BusService,
        unless cancellation: Cancellation, answer: @escaping @Sendable (Response) -> Void
    ) {
        selector = Selector(pattern)
        self.caller = caller
        self.service = service
        self.cancellation = cancellation
        self.answer = answer
    }

    /// Removes and answers soon, on the thread of the long reads and the store's.
    func begin(for account: CallerAccount?) {
        service.backgroundReads.addOneByOne(for: account, unless: cancellation) { [self] over in
            turn(from: .first, Progress(), for: account) { [answer] response in
                over()
                if let response { answer(response) }
            }
        }
    }

    /// Takes one turn. At the end of the last one `end` gets the answer, or nil if nobody waits for
    /// it.
    private func turn(
        from place: TopicPlace, _ progress: Progress, for account: CallerAccount?,
        _ end: @escaping @Sendable (Response?) -> Void
    ) {
        if cancellation.isCancelled { return end(nil) }
        let access: AccessPolicy
        do throws(Refusal) { access = try service.access(for: caller) } catch {
            return end(error.response)
        }
        let visibility = access.rules.visibility(for: caller)
        let (topics, next) = service.bus.someTopics(matching: selector, from: place)
        let mine = topics.filter { mayRemove($0, by: access) }.map(\.name)
        let denied = topics.count {
            !mayRemove($0, by: access) && visibility?.shows($0.name) != false
        }
        service.bus.remove(mine) { [self] removed in
            var progress = progress
            progress.removed += removed.count
            progress.denied += denied
            if let failure = removed.failure {
                return end(refusal(failure, behind: progress).response)
            }
            guard let next else { return end(response(progress)) }
            // `end` has to be called, so this turn comes even if its client has left.
            service.backgroundReads.add(for: account, unless: Cancellation()) { [progress] in
                self.turn(from: next, progress, for: account, end)
                return false
            }
        }
    }

    private func mayRemove(_ topic: TopicOfOwner, by access: AccessPolicy) -> Bool {
        access.administer(topic.name, madeBy: topic.owner, caller).isAllowed
    }

    private func refusal(_ error: BusError, behind progress: Progress) -> Refusal {
        Refusal(error, behind: "\(progress.removed) topics were removed, then ")
    }

    private func response(_ progress: Progress) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("removed", progress.removed)
        json.member("denied", progress.denied)
        json.endObject()
        return .json(json)
    }
}
