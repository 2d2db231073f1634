internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// The route by which workers take jobs.
struct NextRoute: Routes {
    let loop: BusLoop

    /// `POST /groups/{group}/next`: settles the lease that the request names, then takes a job or
    /// waits for one.
    func next(_ call: borrowing Call) throws(Refusal) {
        let name = try GroupName(request: call.resource.name)
        let query = try NextQuery(call, configuration)
        let (selector, number) = try takingScope(of: name, query, by: call.caller)
        let outcome = try outcome(query, call, of: selector)
        let request = NextRequest(
            worker: query.worker, settlement: query.settlement(with: outcome), lease: query.lease,
            countMax: query.countMax)
        JobWait(of: name, query, by: call.caller, on: loop).begin(
            request, making: number == nil ? selector : nil,
            bodyBytes: call.request.body.count, call.exchange)
    }

    /// The topics of a group that a caller may work for, and its number if the group exists.
    private func takingScope(
        of name: GroupName, _ query: NextQuery, by caller: Caller
    ) throws(Refusal) -> (selector: Selector, number: GroupNumber?) {
        guard let asked = query.selector else {
            let group = try gate.workable(name, by: caller)
            return (group.selector, group.number)
        }
        // A caller that may work for the topics it names may know of a group of these topics.
        try gate.require(gate.access(toAll: asked).work(asked, caller))
        guard let group = work.scope(of: name) else { return (asked, nil) }
        budget.add(asked.termCount + group.selector.termCount)
        guard asked.hasTerms(of: group.selector) else {
            throw Refusal(WorkError.groupDiffers(name, setting: "of"))
        }
        return (group.selector, group.number)
    }

    /// The output or refusal that the request brings for the job before; nil for none.
    private func outcome(
        _ query: NextQuery, _ call: borrowing Call, of selector: Selector
    ) throws(Refusal) -> WorkOutput? {
        let settling = SettleRoutes(loop: loop)
        return switch query.settling?.verb {
        case .done: try settling.output(call, of: selector)
        case .dead:
            try settling.reply(call, of: selector, settling.contentType(call)).map { .reply($0) }
        case .retry, nil: nil
        }
    }
}
