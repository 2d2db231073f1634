internal import JSON
public import Topics
internal import Wire

/// The outcome of a publish for later.
public enum ClientHold: Hashable, Sendable {
    /// The events are held.
    case held(ClientTicket)
    /// Their time was over, and they are in the log.
    case published(ClientReceipt)
}

/// The ticket of events that are held until they are due.
public struct ClientTicket: Hashable, Sendable {
    /// Names the events.
    public let id: EventID
    /// The topic that they go to.
    public let topic: TopicName
    /// When they are due.
    public let due: Timestamp
    /// The kind of event; nil where it has none, and in the answer to a publish.
    public let type: String?
    /// Its subject; nil where it has none, and in the answer to a publish.
    public let key: String?
    /// How many events there are; nil in the answer to a publish.
    public let count: Int?
    /// The bytes of their payloads; nil in the answer to a publish.
    public let bytes: Int?
    /// The interval of a schedule, as the bus writes it; nil for events that come once.
    public let every: String?
    /// The name of a schedule; nil where it has none.
    public let name: String?
    /// The whole object of the bus, on one line.
    package let json: String

    /// Reads the object of a ticket.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let members = JSONMembers(bytes),
            let id = members.texts["later"].flatMap({ EventID(decimal: $0) }),
            let topic = members.texts["topic"].flatMap({ try? TopicName($0) }),
            let due = members.texts["due"].flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        self.id = id
        self.topic = topic
        self.due = due
        type = members.texts["type"]
        key = members.texts["key"]
        every = members.texts["every"]
        name = members.texts["name"]
        count = members.numbers["count"]
        self.bytes = members.numbers["bytes"]
        json = String(decoding: bytes, as: UTF8.self)
    }
}

extension BusClient {
    /// Has a batch held until it is due: then all of its events become visible, in order, within a second.
    ///
    /// A publish that gets no answer is sent again with its key, as every publish is.
    ///
    /// - Parameters:
    ///   - due: When the events are due: at most 365 days from now. Nil for a schedule whose first event is an
    ///     interval away.
    ///   - every: For a schedule of one event, its interval in microseconds, 1 s to 365 days; nil for events that
    ///     come once.
    ///   - name: The name of the schedule, which replaces one of this name that differs.
    ///   - ttl: For how many microseconds they are of use from then on, 1 s to 365 days; nil for ever.
    ///   - key: The key of the publish; nil for one that nobody else has.
    /// - Throws: `ClientError`. Behind `outcomeUnknown` they may be held; behind every other error they are
    ///   not, and never will be.
    /// - Complexity: O(bytes).
    public func publish(
        _ batch: PublishBatch, later due: DueTime?, every: Int64? = nil, name: String? = nil,
        ttl: Int64? = nil, key: PublishKey? = nil
    ) async throws(ClientError) -> ClientHold {
        guard due != nil || every != nil else {
            throw .unsendable("nothing says when the event is due: give a time or an interval")
        }
        guard batch.condition == nil else {
            throw .unsendable("a condition is for events of now: leave it out, or the time")
        }
        let sending = try PublishSending(batch, ttl).later(due, every: every, name: name)
        let answer = try await send(sending, to: batch.topic, key)
        guard answer.head.status == 202 else {
            guard let receipt = try ClientReceipt(answer) else {
                throw .malformedAnswer("the answer to a publish has no id")
            }
            return .published(receipt)
        }
        guard let ticket = answer.body.withUnsafeBytes({ ClientTicket($0) }) else {
            throw .malformedAnswer("the answer describes no ticket")
        }
        return .held(ticket)
    }

    /// The events that are held for a topic, as far as the caller may see them, by their tickets.
    ///
    /// - Parameters:
    ///   - after: The ticket behind which to begin.
    ///   - max: How many at most, 1 to 1,000.
    /// - Returns: The tickets, and the one behind which the list goes on; nil at its end.
    /// - Throws: `ClientError`.
    public func tickets(
        of topic: TopicName, after: EventID = .zero, max: Int = 1_000
    ) async throws(ClientError) -> (tickets: [ClientTicket], next: EventID?) {
        let target = TargetPath("topics", topic.text, "later")
            .with("after", "\(after)").with("max", "\(max)")
        let answer = try await answer(.get, target, expecting: [200])
        var next: EventID?
        try answer.members { member, reader in
            guard member.spells("next") else { return reader.value() != nil }
            if reader.isNull() { return true }
            next = reader.string().flatMap { EventID(decimal: $0) }
            return next != nil
        }
        return (try answer.list("later") { ClientTicket($0) }, next)
    }

    /// Cancels events that are held. To repeat it does no harm.
    ///
    /// - Throws: `ClientError`, a refusal with `EVENT_PUBLISHED` where they are in the log already, and with
    ///   `LATER_UNKNOWN` where nothing is held by this ticket.
    public func cancel(_ ticket: EventID, of topic: TopicName) async throws(ClientError) {
        try await cancel("\(ticket)", of: topic)
    }

    /// Cancels the schedule of a name, or the events of a ticket. To repeat it does no harm.
    ///
    /// - Throws: As for a ticket.
    public func cancel(_ name: String, of topic: TopicName) async throws(ClientError) {
        _ = try await answer(
            .delete, TargetPath("topics", topic.text, "later", name), expecting: [204])
    }
}
