public import Topics

/// The reason why a group did not do something. The request was not performed, and will not be;
/// only after ``replyTimeout(_:)`` it may have been.
public enum WorkError: Error, Sendable, CustomStringConvertible {
    /// There is no such group.
    case groupUnknown(GroupName)
    /// A new group needs a selector.
    case selectorMissing(GroupName)
    /// The group is there with another `setting` that never changes.
    case groupDiffers(GroupName, setting: String)
    /// Topics hold their events for it.
    case groupHeld(GroupName)
    /// The group went while the request waited.
    case groupDeleted(GroupName)
    /// A setting or a parameter is out of its range; the sentence says which, and the range.
    case valueInvalid(String)
    /// The dead topic is one of the group's own.
    case deadInside(TopicName)
    /// The group has no dead topic.
    case deadMissing(GroupName)
    /// Its dead letters may not go to the dead topic; the sentence says why. The job stays open.
    case lettersRefused(String)
    /// Nobody can say yet whether they may; the sentence says why. The job stays open.
    case lettersUnjudged(String)
    /// The event became a dead letter too often: dead topics of groups lead to each other. The job
    /// stays open.
    case lettersCircle(EventID)
    /// The group's workers do not reply.
    case repliesNot(GroupName)
    /// The job is somebody else's, or was given back; or there never was such a lease.
    case leaseLost
    /// All that the lease was for is settled.
    case jobSettled
    /// The job became a dead letter, which has this id in that topic.
    case jobDead(letter: EventID, topic: TopicName)
    /// Another request of the same worker took the place of this one.
    case workerReplaced(String)
    /// One of the limits is reached; the sentence says how to go on.
    case limit(Limit, String)
    /// No event of this id is a dead letter of the group that can be revived.
    case letterUnknown(EventID)
    /// The dead letter was revived before.
    case letterRevived(EventID)
    /// No worker that could reply is there.
    case noResponder(TopicName)
    /// Nobody replied in time; a worker may have done it.
    case replyTimeout(EventID?)
    /// The request became a dead letter, with the reply of its worker, if that gave one.
    case replyRefused(Reply?)
    /// The bus refused.
    case bus(BusError)

    /// A limit on groups, their jobs, and the requests of one user.
    public enum Limit: Hashable, Sendable {
        /// The number of groups.
        case groups
        /// The number of groups that one user made.
        case groupsOfCaller
        /// The jobs of one group that are leased at once.
        case inFlight
        /// The requests of one user that wait to look for a place or a letter.
        case requestsOfCaller
    }

    /// Too many requests of one user wait already.
    static let tooMuchAsked = limit(
        .requestsOfCaller,
        "one user has \(Limits.askedPerUserMax) requests at most that make groups, seek or revive and "
            + "wait for their turn: wait for their answers first")

    /// The topics of groups take as much memory as they may.
    static let groupsFillMemory = limit(
        .groupsOfCaller,
        "the topics of groups fill their part of the memory (a quarter of bus.memory_bytes, and three "
            + "quarters of that for one user): use a pattern that matches more, or remove some groups"
    )

    /// One sentence: the mistake, and how to go on.
    public var description: String {
        switch self {
        case .groupUnknown(let name): "there is no group \(name): make it first"
        case .selectorMissing(let name): "there is no group \(name): say its topics to make it"
        case .groupDiffers(let name, let setting):
            "the group \(name) has another \(setting), which never changes: use it as it is, or "
                + "another name"
        case .groupHeld(let name):
            "topics hold their events for the group \(name): lift the hold first, or force it"
        case .groupDeleted(let name): "the group \(name) is gone"
        case .valueInvalid(let sentence), .lettersRefused(let sentence),
            .lettersUnjudged(let sentence):
            sentence
        case .deadInside(let topic):
            "\(topic) is one of the topics of the group: its dead letters need another one"
        case .deadMissing(let name):
            "the group \(name) has no dead topic: set one, or give the job back"
        case .lettersCircle(let id):
            "the event \(id) was a dead letter \(Limits.hopsMax) times already: dead topics of groups "
                + "go in a circle; set another one"
        case .repliesNot(let name):
            "the workers of the group \(name) do not reply: say where the output goes, or make the "
                + "group one that replies"
        case .leaseLost:
            "the job is somebody else's by now, or was given back: yours may be done twice"
        case .jobSettled: "the job is settled already: there is nothing to do"
        case .jobDead(let letter, let topic):
            "the job is a dead letter by now, \(letter) of \(topic): if yours was done, do not revive "
                + "it"
        case .workerReplaced(let worker):
            "another loop of the worker \(worker) asks for jobs: let one loop have a name"
        case .limit(_, let sentence): sentence
        case .letterUnknown(let id):
            "\(id) is no dead letter of this group that is still there, nor the job of one of its newest"
        case .letterRevived(let id): "the dead letter \(id) was revived before"
        case .noResponder(let topic): "no worker is there who replies to events of \(topic)"
        case .replyTimeout: "nobody replied in time; the request may have been done all the same"
        case .replyRefused: "the worker refused the request"
        case .bus(let error): error.description
        }
    }
}
