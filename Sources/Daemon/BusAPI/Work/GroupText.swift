internal import Topics
internal import Work

extension GroupDescription {
    /// Writes the group as the list, `PUT` and `seek` show it; without what it holds for whoever may
    /// change it and not read its topics.
    func write(to json: inout JSONWriter, showsJobs: Bool = true) {
        json.beginObject()
        json.name("name")
        json.string(name.text)
        json.name("of")
        json.string(selector.description)
        json.name("type")
        json.optional(type) { $0.string($1) }
        json.name("lease")
        json.string(Quantity.text(microseconds: lease.wholeMicroseconds))
        json.name("attempts")
        json.integer(attempts)
        json.name("dead")
        json.optional(dead) { $0.string($1.text) }
        json.name("order")
        json.string(isOrderedByKey ? "key" : "none")
        json.name("in_flight")
        json.integer(inFlightMax)
        json.name("persist")
        json.boolean(persists)
        json.name("replies")
        json.boolean(replies)
        if showsJobs { writeJobs(to: &json) }
        json.endObject()
    }

    private func writeJobs(to json: inout JSONWriter) {
        json.name("reach")
        json.quotedInteger(reach.rawValue)
        json.name("open")
        json.integer(open)
        json.name("leased")
        json.integer(leased)
        json.name("waiting")
        json.integer(waiting)
        json.name("parked")
        json.integer(parked)
        json.name("behind")
        json.optional(behind) { $0.integer($1) }
        // What it was called before, for one version.
        json.name("ahead")
        json.optional(behind) { $0.integer($1) }
        json.name("workers")
        json.integer(workers)
        json.name("oldest")
        json.optional(oldest) { $0.quotedInteger($1.rawValue) }
        json.name("done")
        json.integer(Int(done))
        json.name("failed")
        json.integer(Int(failed))
        json.name("gone")
        json.integer(Int(gone))
        json.name("expired")
        json.integer(Int(expired))
        json.name("gap")
        json.optional(gap) { $1.write(to: &$0) }
    }
}

extension JobDescription {
    /// Writes the job as the list of open ones shows it; `now` is the time of the list.
    func write(to json: inout JSONWriter, now: Timestamp) {
        json.beginObject()
        json.name("id")
        json.quotedInteger(id.rawValue)
        json.name("topic")
        json.string(topic.text)
        json.name("key")
        json.optional(key) { $0.string($1) }
        json.name("state")
        json.string(state.rawValue)
        json.name("attempt")
        json.integer(attempt)
        json.name("worker")
        json.optional(worker) { $0.string($1) }
        json.name("uid")
        json.optional(uid) { $0.integer(Int($1)) }
        json.name("due")
        json.string(now.advanced(microseconds: due.wholeMicroseconds).description)
        json.name("reason")
        json.optional(reason) { $0.string($1) }
        json.endObject()
    }
}
