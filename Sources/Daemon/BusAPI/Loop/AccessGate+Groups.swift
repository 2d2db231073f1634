internal import Access
internal import HTTPFront
internal import Topics
internal import Work

// Decisions about the groups that a caller may know of, work for or change.
extension AccessGate {
    /// The parts of a group that decisions need: its topics, the event type to which it is limited,
    /// if any, the user that made it, and the number that tells it from others of its name.
    typealias GroupScope = (
        selector: Selector, filter: EventFilter, owner: UInt32?, number: GroupNumber
    )

    /// Whether a caller may know of a group: it may receive from all its topics, or administer it.
    func mayKnow(of scope: GroupScope, _ caller: Caller) -> Bool {
        let access = access(toAll: scope.selector)
        return access.subscribe(toAll: scope.selector, caller).isAllowed
            || access.administer(groupOf: scope.selector, madeBy: scope.owner, caller).isAllowed
    }

    /// The scope of a group, if a decision about it allows its caller's request.
    ///
    /// - Throws: 403, or 401 if a token may help; 404 `GROUP_UNKNOWN`, which is the very same if
    ///   there is no such group and if the caller may not know of it.
    func scope(
        of name: GroupName, for caller: Caller,
        _ decision: (AccessPolicy, GroupScope) -> AccessDecision
    ) throws(Refusal) -> GroupScope {
        guard let scope = groups.scope(of: name) else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        let decision = decision(access(toAll: scope.selector), scope)
        guard decision.isAllowed else {
            throw mayKnow(of: scope, caller)
                ? Refusal(decision) : Refusal(WorkError.groupUnknown(name))
        }
        return scope
    }

    /// The group that a request is about, if its caller may work for it.
    func workable(
        _ call: borrowing Call
    ) throws(Refusal) -> (name: GroupName, selector: Selector) {
        let name = try GroupName(request: call.resource.name)
        return (name, try workable(name, by: call.caller).selector)
    }

    /// The scope of a group, if this caller may work for it.
    @discardableResult
    func workable(_ name: GroupName, by caller: Caller) throws(Refusal) -> GroupScope {
        try scope(of: name, for: caller) { $0.work($1.selector, caller) }
    }

    /// The group that a request is about, if its caller may change and end it.
    func administrable(
        _ call: borrowing Call
    ) throws(Refusal) -> (name: GroupName, selector: Selector) {
        let (name, caller) = (try GroupName(request: call.resource.name), call.caller)
        let scope = try scope(of: name, for: caller) {
            $0.administer(groupOf: $1.selector, madeBy: $1.owner, caller)
        }
        return (name, scope.selector)
    }
}

extension Caller {
    /// The same caller, as groups tell callers apart.
    var asWorker: WorkCaller { WorkCaller(uid: uid, token: token?.name) }
}

extension GroupName {
    /// The group of a request's path, or the refusal that names the mistake in it.
    init(request text: String) throws(Refusal) {
        do throws(WorkNameError) {
            try self.init(text)
        } catch {
            throw Refusal(.groupNameInvalid, error.description.asSentence)
        }
    }
}

extension WorkerName {
    /// The worker that a request names, or the refusal that names the mistake in it.
    init(request text: String) throws(Refusal) {
        do throws(WorkNameError) {
            try self.init(text)
        } catch {
            throw Refusal(.parameterInvalid, error.description.asSentence)
        }
    }
}

extension String {
    /// The same with a capital letter at its beginning and a full stop at its end.
    var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
