internal import JSON
internal import Topics
internal import Wire
internal import Work

extension GroupDescription {
    /// Writes the group as the list, `PUT` and `seek` show it. Its jobs are left out for a caller
    /// that may change the group and not read its topics.
    func write(to json: inout JSONWriter, showsJobs: Bool = true) {
        json.beginObject()
        json.member("name", name.text)
        settings.writeMembers(to: &json)
        if showsJobs { writeJobs(to: &json) }
        json.endObject()
    }

    private func writeJobs(to json: inout JSONWriter) {
        json.member("reach", reach)
        json.member("open", open)
        json.member("leased", leased)
        json.member("waiting", waiting)
        json.member("parked", parked)
        json.member("behind", behind)
        // The former name of this figure, for one version.
        json.member("ahead", behind)
        json.member("workers", workers)
        json.member("oldest", oldest)
        json.member("done", Int(done))
        json.member("failed", Int(failed))
        json.member("gone", Int(gone))
        json.member("expired", Int(expired))
        json.name("gap")
        json.optional(gap) { $1.write(to: &$0) }
    }
}

extension JobDescription {
    /// Writes the job as the list of open ones shows it; `now` is the time of the list.
    func write(to json: inout JSONWriter, now: Timestamp) {
        json.beginObject()
        json.member("id", id)
        json.member("topic", topic.text)
        json.member("key", key)
        json.member("state", state.rawValue)
        json.member("attempt", attempt)
        json.member("worker", worker)
        json.name("uid")
        json.optional(uid) { $0.integer(Int($1)) }
        json.member("due", now.advanced(microseconds: due.wholeMicroseconds).description)
        json.member("reason", reason)
        json.endObject()
    }
}
