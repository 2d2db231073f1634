internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Work

/// The routes about work groups themselves.
struct GroupRoutes: Routes {
    let loop: BusLoop

    /// `PUT /groups/{group}`: makes a group, or changes those of its settings that can change.
    func setGroup(_ call: borrowing Call) throws(Refusal) {
        let name = try GroupName(request: call.resource.name)
        let wish = try GroupSettings(request: call.parameters)
        let caller = call.caller
        let scope = work.scope(of: name)
        // A group that the caller may not know of does not exist for that caller.
        let group = scope.flatMap { gate.mayKnow(of: $0, caller) ? $0 : nil }
        guard let selector = group?.selector ?? wish.selector else {
            throw Refusal(.parameterInvalid, "'of' is missing: it says the topics of a new group.")
        }
        try gate.require(
            group.map {
                gate.access(toAll: selector).administer(groupOf: selector, madeBy: $0.owner, caller)
            } ?? gate.access(toAll: selector).subscribe(toAll: selector, caller))
        if case .topic(let dead)? = wish.dead {
            try gate.require(
                gate.access(toAll: selector).bury(selector, in: dead, chosenBy: caller))
        }
        if wish.replies == true {
            try gate.require(gate.access(toAll: selector).publish(toAll: selector, caller))
        }
        if scope != nil, group == nil {
            throw Refusal(WorkError.groupDiffers(name, setting: "of"))
        }
        let showsJobs = gate.access(toAll: selector).subscribe(toAll: selector, caller).isAllowed
        let late = LateAnswer(on: loop)
        let (answer, cancellation) = (late.begin(call.exchange), late.cancellation)
        work.set(name, wish, by: caller.asWorker, unless: { cancellation.isCancelled }) { result in
            switch result {
            case .success((let group, let isNew)):
                var json = JSONWriter()
                group.write(to: &json, showsJobs: showsJobs)
                answer(.json(status: isNew ? 201 : 200, json))
            case .failure(let error): answer(Refusal(error).response)
            }
        }
    }

    /// `GET /groups/{group}`: its settings, and the state of its jobs.
    func showGroup(_ call: borrowing Call) throws(Refusal) {
        let (name, caller) = (try GroupName(request: call.resource.name), call.caller)
        _ = try gate.scope(of: name, for: caller) { $0.subscribe(toAll: $1.selector, caller) }
        var steps = 0
        defer { budget.add(steps / Limits.readStepsPerStep) }
        guard let group = work.description(of: name, &steps) else {
            throw Refusal(WorkError.groupUnknown(name))
        }
        var json = JSONWriter()
        group.write(to: &json)
        call.respond(json)
    }

    /// `GET /groups`: the groups whose topics the caller may all read.
    func listGroups(_ call: borrowing Call) throws(Refusal) {
        let late = LateAnswer(on: loop)
        GroupListing(
            of: service, for: call.caller, gate.access,
            answer: late.begin(call.exchange)
        ).begin(for: call.exchange.account, unless: late.cancellation)
    }

    /// `GET /groups/{group}/jobs`: its open jobs, in the order of their ids.
    func jobs(_ call: borrowing Call) throws(Refusal) {
        let group = try gate.workable(call)
        let after = try call.parameters.text("after").map { (text) throws(Refusal) in
            guard let id = EventID(decimal: text) else {
                throw Refusal(.cursorInvalid, "'after' is '\(text)'; it takes an id, in digits.")
            }
            return id
        }
        let max = try call.parameters.count("max", in: 1...Int64(Limits.jobsListedMax))
        let jobs: [JobDescription]
        do throws(WorkError) {
            jobs = try work.jobs(
                of: group.name, after: after ?? .zero,
                countMax: max.map(Int.init) ?? Limits.jobsListedDefault)
        } catch {
            throw Refusal(error)
        }
        var json = JSONWriter(reserving: 64 + jobs.count * 192)
        let now = bus.now
        json.object { json in
            json.member("jobs", jobs) { json, job in job.write(to: &json, now: now) }
        }
        call.respond(json)
    }

    /// `DELETE /groups/{group}`: ends it; its events stay where they are.
    func removeGroup(_ call: borrowing Call) throws(Refusal) {
        let isForced = try call.parameters.choice("force", ["1": true, "0": false]) ?? false
        let group = try gate.administrable(call)
        let reply = call.exchange.reply
        // The group is no longer found by its terms.
        budget.add(group.selector.termCount)
        work.remove(group.name, isForced: isForced, by: call.caller.asWorker) { result in
            switch result {
            case .success: reply.send(Response(status: 204))
            case .failure(let error): reply.send(Refusal(error).response)
            }
        }
    }

    /// `POST /groups/{group}/seek`: forgets open jobs, and begins anew elsewhere.
    func seek(_ call: borrowing Call) throws(Refusal) {
        guard let since = call.parameters.text("since") else {
            throw Refusal(.parameterInvalid, "'since' is missing: it says where to begin anew.")
        }
        let start = try ReceiveRequest.start(since: since)
        try call.refuseBody()
        let group = try gate.administrable(call)
        let showsJobs = gate.access(toAll: group.selector).subscribe(
            toAll: group.selector, call.caller
        ).isAllowed
        let late = LateAnswer(on: loop)
        let (answer, cancellation) = (late.begin(call.exchange), late.cancellation)
        work.seek(
            group.name, to: start, by: call.caller.asWorker, unless: { cancellation.isCancelled }
        ) { result in
            switch result {
            case .success(let group):
                var json = JSONWriter()
                group.write(to: &json, showsJobs: showsJobs)
                answer(.json(json))
            case .failure(let error): answer(Refusal(error).response)
            }
        }
    }

    /// `POST /groups/{group}/revive`: publishes a dead letter again where it came from.
    func revive(_ call: borrowing Call) throws(Refusal) {
        guard let text = call.parameters.text("id") else {
            throw Refusal(.parameterInvalid, "'id' is missing: it says which dead letter.")
        }
        guard let id = EventID(decimal: text) else {
            throw Refusal(
                .eventUnknown, "'\(text)' is no event id; ids are decimal numbers.")
        }
        try call.refuseBody()
        let group = try gate.workable(call)
        try gate.require(
            gate.access(toAll: group.selector).publish(toAll: group.selector, call.caller))
        let late = LateAnswer(on: loop)
        let (answer, cancellation) = (late.begin(call.exchange), late.cancellation)
        work.revive(
            group.name, id: id, by: call.caller.asWorker, unless: { cancellation.isCancelled }
        ) { result in
            switch result {
            case .success(let receipt): answer(Self.revived(receipt))
            case .failure(let error): answer(Refusal(error).response)
            }
        }
    }

    private static func revived(_ receipt: PublishReceipt) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", receipt.last)
        json.member("time", receipt.time.description)
        json.endObject()
        return .json(status: 201, json, [("Event-ID", "\(receipt.last)")])
    }
}
