internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// Who may do what with groups: what stands before every route about one.
extension BusHandler {
    /// The groups of the bus.
    var work: WorkGroups { service.groups }

    /// The group that a request is about.
    ///
    /// - Throws: 400 `GROUP_NAME_INVALID`, or 404 `GROUP_UNKNOWN`.
    func group(_ call: borrowing Call) throws(Refusal) -> GroupDescription {
        let name = try GroupName(request: call.resource.name)
        guard let group = work.description(of: name) else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        return group
    }

    /// The group that a request is about, if its caller may work for it.
    func workable(
        _ call: borrowing Call
    ) throws(Refusal) -> (name: GroupName, selector: Selector) {
        let name = try GroupName(request: call.resource.name)
        return (name, try workable(name, by: call.caller))
    }

    /// The topics of a group, if this caller may work for it.
    func workable(_ name: GroupName, by caller: Caller) throws(Refusal) -> Selector {
        let (selector, _, _) = try scope(of: name)
        try require(configuration.access.work(selector, caller))
        return selector
    }

    /// The group that a request is about, if its caller may change and end it.
    func administrable(
        _ call: borrowing Call
    ) throws(Refusal) -> (name: GroupName, selector: Selector) {
        let name = try GroupName(request: call.resource.name)
        let (selector, owner, _) = try scope(of: name)
        try require(
            configuration.access.administer(groupOf: selector, madeBy: owner, call.caller))
        return (name, selector)
    }

    private func scope(
        of name: GroupName
    ) throws(Refusal) -> (selector: Selector, owner: UInt32?, number: GroupNumber) {
        guard let scope = work.scope(of: name) else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        return scope
    }

    /// What takes further the requests to groups of this turn; nil where there is this one alone.
    func round(of exchange: Exchange) -> WorkRound? {
        if exchange.isAlone { return nil }
        if !goesRound {
            goesRound = true
            loop.post { handler in (handler as! BusHandler).goRound() }
        }
        return workRound
    }

    /// Refuses a body where none belongs.
    func refuseBody(_ call: borrowing Call) throws(Refusal) {
        guard call.request.body.count == 0 else {
            throw Refusal(.bodyNotExpected, "This request takes no body; send it without.")
        }
    }
}

extension Caller {
    /// The same caller, as groups tell callers apart.
    var asWorker: WorkCaller { WorkCaller(uid: uid, token: token?.name) }
}

extension GroupName {
    /// The group of a request's path, or the refusal that says what is wrong with it.
    init(request text: String) throws(Refusal) {
        do throws(WorkNameError) {
            try self.init(text)
        } catch {
            throw Refusal(.groupNameInvalid, error.description.asSentence)
        }
    }
}

extension WorkerName {
    /// The worker that a request names, or the refusal that says what is wrong with it.
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
