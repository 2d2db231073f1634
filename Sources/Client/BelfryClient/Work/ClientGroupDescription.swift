internal import JSON
public import Topics
internal import Wire

/// One group as it is.
public struct ClientGroupDescription: Sendable {
    /// Its name.
    public let name: String
    /// Its settings, but its start. One that this version cannot read is nil.
    public let settings: GroupSettings
    /// How its jobs do; nil for somebody who may not read its topics.
    public let progress: Progress?
    /// The whole answer of the bus, on one line.
    package let json: String

    /// How the jobs of a group do.
    public struct Progress: Sendable {
        /// Everything up to here was taken in.
        public let reach: EventID
        /// Jobs that were handed out or came next, and are not settled.
        public let open: Int
        /// Of these, those that somebody has.
        public let leased: Int
        /// Of these, those that nobody has.
        public let waiting: Int
        /// Jobs that wait for others of their key.
        public let parked: Int
        /// Events behind `reach`, up to 1,000; nil where the bus did not look.
        public let behind: Int?
        /// Workers that wait for a job.
        public let workers: Int
        /// Jobs that ended as done.
        public let done: Int
        /// Jobs that ended as dead letters.
        public let failed: Int
        /// Jobs whose event was removed first.
        public let gone: Int
        /// Jobs whose time to live was over first.
        public let expired: Int
    }

    /// Reads the object of a group.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(bytes), let name = members.texts["name"],
            members.texts["of"] != nil
        else { return nil }
        self.name = name
        settings = GroupSettings(members)
        progress = Progress(members)
        json = String(decoding: bytes, as: UTF8.self)
    }
}

extension ClientGroupDescription.Progress {
    fileprivate init?(_ members: JSONMembers) {
        guard let reach = members.texts["reach"].flatMap({ EventID(decimal: $0) }) else {
            return nil
        }
        self.reach = reach
        let number = { (name: String) in members.numbers[name] ?? 0 }
        open = number("open")
        leased = number("leased")
        waiting = number("waiting")
        parked = number("parked")
        // A bus of the version before says `ahead`.
        behind = members.numbers["behind"] ?? members.numbers["ahead"]
        workers = number("workers")
        done = number("done")
        failed = number("failed")
        gone = number("gone")
        expired = number("expired")
    }
}

/// One open job as it is.
public struct ClientJobDescription: Sendable {
    /// The state of an open job.
    public enum State: String, Sendable {
        /// Nobody has it.
        case waiting
        /// Somebody has it.
        case leased
    }

    /// The id of its event.
    public let id: EventID
    /// The topic of its event.
    public let topic: String
    /// Its key, where the group is ordered by key.
    public let key: String?
    /// Its state.
    public let state: State
    /// How often it was handed out.
    public let attempt: Int
    /// The worker that has it, if that worker gave a name.
    public let worker: String?
    /// The time at which it may be handed out, or its lease ends.
    public let due: Timestamp
    /// Why the dead topic does not take it.
    public let reason: String?
    /// The whole object of the bus, on one line.
    package let json: String

    /// Reads the object of a job.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(bytes),
            let id = members.texts["id"].flatMap({ EventID(decimal: $0) }),
            let topic = members.texts["topic"],
            let state = members.texts["state"].flatMap({ State(rawValue: $0) }),
            let attempt = members.numbers["attempt"],
            let due = members.texts["due"].flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.id = id
        self.topic = topic
        self.state = state
        self.attempt = attempt
        self.due = due
        key = members.texts["key"]
        worker = members.texts["worker"]
        reason = members.texts["reason"]
        json = String(decoding: bytes, as: UTF8.self)
    }
}
