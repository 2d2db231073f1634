internal import BelfryClient
internal import JSON
internal import Topics

/// One dead letter of a work group, without its payload.
struct DeadLetter {
    /// Its id in the dead topic.
    let id: EventID
    /// The time at which its job became one.
    let time: Timestamp
    let key: String?
    /// The id of the job that it was.
    let job: EventID?
    /// The attributes that the bus gave it, with its topic, attempts and reason.
    private let attributes: EventAttributes
    /// Whether it was published again.
    var isRevived = false

    private init(_ event: Event) {
        id = event.id
        time = event.time
        key = event.metadata.key
        attributes = event.metadata.attributes
        job = attributes[DeathAttribute.id.rawValue].flatMap { EventID(decimal: $0) }
    }

    /// The topic that its job came from.
    var topic: String { attributes[DeathAttribute.topic.rawValue] ?? "" }
    /// How often its job was handed out.
    var attempts: String { attributes[DeathAttribute.attempts.rawValue] ?? "" }
    /// Why its job became one.
    var reason: String { attributes[DeathAttribute.reason.rawValue] ?? "" }

    /// The letter as one object.
    var json: String {
        JSONWriter.object { json in
            json.member("id", id.description)
            json.member("job", job?.description)
            json.member("time", time.description)
            json.member("topic", topic)
            json.member("key", key)
            json.member("attempts", Int(attempts) ?? 0)
            json.member("reason", reason)
            json.member("revived", isRevived)
        }
    }

    /// All letters of a group that its dead topic has, oldest first.
    ///
    /// - Complexity: O(events of that topic), which the bus sends one after the other.
    static func all(
        of group: ClientGroup, in dead: TopicName, _ session: Session
    ) async throws(CommandFailure) -> [DeadLetter] {
        let client = session.client
        let subscription: ClientSubscription
        do throws(CommandFailure) {
            subscription = try await session.ask { () throws(ClientError) in
                try await client.subscribe(Selector(dead), since: .earliest, until: .now)
            }
        } catch {
            // The topic appears with its first letter.
            if error.refusal?.code == "TOPIC_UNKNOWN" { return [] }
            throw error
        }
        var letters: [EventID: DeadLetter] = [:]
        do throws(ClientError) {
            for try await case .event(let event) in subscription {
                let attributes = event.metadata.attributes
                if attributes[DeathAttribute.group.rawValue] == group.name {
                    letters[event.id] = DeadLetter(event)
                } else if attributes.isEmpty, event.metadata.type == mark,
                    let id = event.metadata.key.flatMap({ EventID(decimal: $0) })
                {
                    letters[id]?.isRevived = true
                }
            }
        } catch {
            throw CommandFailure(error)
        }
        return letters.values.sorted { $0.id < $1.id }
    }

    /// The type of the event behind a letter that says that it was published again.
    private static let mark = "revived"
}
