internal import Access
internal import HTTPFront
internal import Topics
internal import Work

extension BusHandler {
    /// `POST /groups/{group}/next`: settles what it is told to, then takes a job or waits for one.
    func next(_ call: borrowing Call) throws(Refusal) {
        let name = try GroupName(request: call.resource.name)
        let query = try NextQuery(call, configuration)
        let group = work.scope(of: name)
        guard let selector = group?.selector ?? query.selector else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        if let group, let asked = query.selector, Set(asked.terms) != Set(group.selector.terms) {
            throw Refusal(WorkError.groupDiffers(name, setting: "of"))
        }
        try require(configuration.access.work(selector, call.caller))
        let request = NextRequest(
            worker: query.worker, settlement: try settlement(query, call, of: selector),
            lease: query.lease, countMax: query.countMax)
        WaitingTake(of: name, query, by: call.caller, on: self)
            .begin(request, making: group == nil ? selector : nil, call)
    }

    private func settlement(
        _ query: NextQuery, _ call: borrowing Call, of selector: Selector
    ) throws(Refusal) -> Settlement? {
        guard let (verb, lease) = query.settling else { return nil }
        switch verb {
        case .done: return Settlement(.done(try output(call, of: selector)), lease: lease)
        case .retry: return Settlement(.retry(delay: query.delay), lease: lease)
        case .dead:
            let refusal = try reply(call, of: selector, contentType(call))
            return Settlement(.dead(refusal: refusal), lease: lease)
        }
    }
}
