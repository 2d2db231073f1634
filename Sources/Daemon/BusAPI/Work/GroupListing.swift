internal import Access
internal import HTTPFront
internal import Protection
internal import Topics
internal import Work

/// One list of the groups that a caller may know of: rules judge their selectors beside the loop,
/// some at a time.
final class GroupListing: Sendable {
    private let work: WorkGroups
    private let groups: [GroupDescription]
    private let caller: Caller
    private let access: AccessPolicy
    private let answer: @Sendable (Response) -> Void
    private let progress = Protected(Progress())

    /// How far it is.
    private struct Progress {
        var next = 0
        var json = JSONWriter()
    }

    init(
        of work: WorkGroups, for caller: Caller, _ access: AccessPolicy,
        answer: @escaping @Sendable (Response) -> Void
    ) {
        self.work = work
        groups = work.descriptions()
        self.caller = caller
        self.access = access
        self.answer = answer
    }

    /// Answers soon, on the thread of the long reads.
    func begin(
        in line: LongReads, for account: CallerAccount?, unless cancellation: Cancellation
    ) {
        progress.write { progress in
            progress.json.beginObject()
            progress.json.name("groups")
            progress.json.beginArray()
        }
        line.add(for: account, unless: cancellation) { [self] in goOn() }
    }

    /// Writes the next groups; false once it has answered.
    private func goOn() -> Bool {
        let first = progress.read { $0.next }
        let last = min(first + Limits.groupsListedPerTurn, groups.count)
        // How far each is behind is counted anew here; a group may be gone by now.
        let shown = groups[first..<last]
            .filter { access.subscribe(toAll: $0.selector, caller).isAllowed }
            .compactMap { work.description(of: $0.name) }
        let whole = progress.write { progress -> JSONWriter? in
            for group in shown { group.write(to: &progress.json) }
            progress.next = last
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
