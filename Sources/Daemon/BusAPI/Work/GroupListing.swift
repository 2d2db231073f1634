internal import Access
internal import HTTPFront
internal import JSON
internal import Protection
internal import Topics
internal import Work

/// One list of the groups that a caller may know of: rules judge their selectors beside the loop,
/// some at a time.
final class GroupListing: Sendable {
    private let service: BusService
    private let caller: Caller
    private let answer: @Sendable (Response) -> Void
    private let progress: Protected<Progress>

    /// The progress of the list.
    private struct Progress {
        var next = 0
        /// The groups when it began; nil before its first turn.
        var groups: [GroupDescription]?
        var json = JSONWriter()
        /// The rules under which it was written so far.
        let access: AccessPolicy

        init(_ access: AccessPolicy) {
            self.access = access
            json.beginObject()
            json.name("groups")
            json.beginArray()
        }
    }

    init(
        of service: BusService, for caller: Caller, _ access: AccessPolicy,
        answer: @escaping @Sendable (Response) -> Void
    ) {
        self.service = service
        self.caller = caller
        progress = Protected(Progress(access))
        self.answer = answer
    }

    /// Answers soon, on the thread of the long reads.
    func begin(for account: CallerAccount?, unless cancellation: Cancellation) {
        service.backgroundReads.add(for: account, unless: cancellation) { [self] in goOn() }
    }

    /// Writes the next groups; false once it has answered.
    private func goOn() -> Bool {
        let access: AccessPolicy
        do throws(Refusal) { access = try service.access(for: caller) } catch {
            answer(error.response)
            return false
        }
        let (first, begun) = progress.write { progress in
            // By other rules it begins anew.
            if progress.access != access { progress = Progress(access) }
            return (progress.next, progress.groups)
        }
        let groups = begun ?? service.groups.descriptions()
        let last = min(first + Limits.groupsListedPerTurn, groups.count)
        // How far each is behind is counted anew here; a group may be gone by now.
        let shown = groups[first..<last]
            .filter { access.subscribe(toAll: $0.selector, caller).isAllowed }
            .compactMap { service.groups.description(of: $0.name) }
        let whole = progress.write { progress -> JSONWriter? in
            for group in shown { group.write(to: &progress.json) }
            (progress.next, progress.groups) = (last, groups)
            guard last == groups.count else { return nil }
            progress.json.endArray()
            progress.json.endObject()
            return progress.json
        }
        guard let whole else { return true }
        answer(.json(whole))
        return false
    }
}
