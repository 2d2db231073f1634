/// Why an operation of the bus failed. The events of a failed publish are not in the log, and never
/// will be, but for ``unanswered``.
public enum BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The topic is the bus's own.
    case topicReserved(TopicName)
    /// The event type is the bus's own.
    case typeReserved(String)
    /// There is no such topic, and none is made by asking.
    case topicUnknown(TopicName)
    /// The event at `index` (from 0) of the batch is larger than `bytesMax`.
    case eventTooLarge(bytesMax: Int, index: Int)
    /// The batch has more events or payload bytes than one batch may have.
    case batchTooLarge(eventsMax: Int, bytesMax: Int)
    /// The bus is at one of its limits; the sentence names it and a way out.
    case limit(Limit, String)
    /// The caller made `count` of the existing topics, and may not make more; `uid` is nil for all
    /// unknown callers together. The first of these topics to vanish by itself does so at
    /// `vanishes`; nil if none does, or that is not known.
    case callerTopics(uid: UInt32?, count: Int, vanishes: Timestamp?)
    /// The topic's bounds would have to remove events that a work group has not settled.
    case topicFull(String)
    /// The key was given to other events before.
    case keyDiffers
    /// The condition of the publish does not hold. The id is the newest that the topic has had; zero for none. Nil
    /// where there is no such topic, and nothing is known of one that vanished.
    case conditionFailed(newest: EventID?)
    /// No more keys are remembered: of this user, or of all.
    case keysFull(isOfUser: Bool)
    /// No more events are held until they are due: of this user, or of all.
    case laterFull(isOfUser: Bool)
    /// The schedules of this user make as many events as they may.
    case schedulesFull
    /// Another user has a schedule of this name.
    case scheduleOfAnother(String)
    /// The store has no room.
    case storeFull(String)
    /// The store failed.
    case storeFailed(String)
    /// The order that a bus of several hosts shares cannot be reached, or is not to be followed.
    case storeUnreachable(String)
    /// Nobody knows whether it is in the log, or comes into it later. It is the one error without a
    /// promise.
    case unanswered
    /// The bus is stopping and takes nothing new.
    case draining

    /// A limit on a resource that all users share, or on the part of one user.
    public enum Limit: Hashable, Sendable {
        /// The number of topics.
        case topics
        /// The memory for events.
        case memory
        /// The bytes that wait to be committed.
        case commitQueue
        /// The reads of one user that wait for the store.
        case reads
    }

    /// One sentence: the fault and, where there is one, a way out.
    public var description: String {
        switch self {
        case .topicReserved(let name):
            "\(name) is one of the bus's own topics: publish to a name that does not begin with $"
        case .typeReserved(let type):
            "the type \(type) is one of the bus's own: use one that does not begin with $"
        case .topicUnknown(let name):
            "there is no topic \(name), and this bus makes none by itself: register it first"
        case .eventTooLarge(let bytesMax, let index):
            "event \(index + 1) of the batch is larger than \(bytesMax) bytes: publish less, or "
                + "raise the limit"
        case .batchTooLarge(let eventsMax, let bytesMax):
            "a batch has at most \(eventsMax) events and \(bytesMax) bytes: publish it in parts"
        case .limit(_, let detail), .topicFull(let detail), .storeFull(let detail),
            .storeFailed(let detail), .storeUnreachable(let detail):
            detail
        case .keyDiffers:
            "a publish with this key and other contents is in the log: give each publish a key of its "
                + "own"
        case .conditionFailed(let newest):
            switch newest {
            case nil: "there is no such topic: nothing was published"
            case .zero?: "the topic is there, and has had no event: nothing was published"
            case let newest?:
                "the newest event that the topic has had is \(newest): nothing was published"
            }
        case .keysFull(isOfUser: true):
            "one user has three quarters of all keys that are remembered: publish more slowly, or give "
                + "a series of publishes one key with numbers"
        case .keysFull(isOfUser: false):
            "no more keys are remembered: publish more slowly, or give a series of publishes one key "
                + "with numbers"
        case .laterFull(isOfUser: true):
            "one user has three quarters of all events that can be held until they are due: cancel some, or "
                + "publish them when they are due"
        case .laterFull(isOfUser: false):
            "no more events can be held until they are due: cancel some, or publish them when they are due"
        case .schedulesFull:
            "the schedules of one user make ten events a second together: cancel some, or give them longer "
                + "intervals"
        case .scheduleOfAnother(let name):
            "another user has a schedule called \(name) in this topic: give it another name"
        case .unanswered:
            "nobody knows whether this was done: look before you repeat it"
        case .callerTopics(let uid, let count, let vanishes):
            (uid.map { "user \($0)" } ?? "unknown callers together")
                + " made \(count) of the existing topics, and may not make more"
                + (vanishes.map { ": the first of them vanishes at \($0)" }
                    ?? ": none of them vanishes by itself soon")
                + ", so remove some, or raise the limit"
        case .draining:
            "the bus is stopping: try again in a moment"
        }
    }

    /// Whether a store refused an entry for want of room, or failed to write it.
    var isOfTheStore: Bool {
        switch self {
        case .storeFull, .storeFailed, .limit(.commitQueue, _): true
        default: false
        }
    }

    /// A store's error for an entry that does not fit into its commit queue.
    package static let commitQueueFull = limit(
        .commitQueue,
        "too many bytes wait to be committed: publish more slowly, or raise the limit of the "
            + "commit queue")

    /// A store's error for a read of a user that has as many waiting reads as are allowed.
    package static let readsFull = limit(
        .reads, "too many reads of one user wait for the store: wait for answers first")

    /// A store's error for a read whose client has left.
    package static let clientLeft = storeFailed("nobody waits for this read any more")
}

/// Whether the bus accepts new events.
public enum Readiness: Hashable, Sendable {
    /// It does.
    case ready
    /// It does not; the sentence says why.
    case refusing(String)
}
