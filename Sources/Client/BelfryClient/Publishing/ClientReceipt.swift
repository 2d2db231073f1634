internal import JSON
public import Topics
internal import Wire

/// The receipt for a batch that is in the log, as far as the bus gives one over HTTP.
public struct ClientReceipt: Hashable, Sendable {
    /// The id of the first event.
    public let first: EventID
    /// The id of the last event.
    public let last: EventID
    /// How many events there are.
    public let count: Int
    /// Whether the events were there already: a publish with the same key has made them. Of a series that a
    /// later publish has passed, the ids are those of that later one.
    public let standing: PublishReceipt.Standing
    /// The time of the event; nil for batches, of which the bus does not say it.
    public let time: Timestamp?
    /// The waiting requests that matched the topic; nil for batches, and if the publisher may not
    /// receive from it.
    public let subscribers: Int?
    /// A likely mistake, such as a new topic beside one whose name differs in a capital.
    public let hint: String?
}

extension ClientReceipt {
    /// The receipt in an answer; nil for a text without a line.
    init?(_ answer: WholeAnswer) throws(ClientError) {
        var (first, last, subscribers) = (EventID?.none, EventID?.none, Int?.none)
        var (count, time, hint) = (Int?.none, Timestamp?.none, String?.none)
        try answer.members { name, reader in
            if name.spells("id") || name.spells("first") {
                first = reader.string().flatMap { EventID(decimal: $0) }
                return first != nil
            }
            if name.spells("last") {
                last = reader.string().flatMap { EventID(decimal: $0) }
                return last != nil
            }
            if name.spells("count") {
                count = reader.number()
                return count != nil
            }
            if name.spells("time") {
                time = reader.string().flatMap { Timestamp(rfc3339: $0) }
                return time != nil
            }
            if name.spells("subscribers") {
                subscribers = reader.number()
                return subscribers != nil
            }
            if name.spells("hint") {
                hint = reader.string()
                return hint != nil
            }
            return reader.value() != nil
        }
        let isReplayed = answer.head["idempotency-replayed"] != nil
        if count == 0, !isReplayed { return nil }
        guard let first = first ?? last else {
            throw .malformedAnswer("the answer to a publish has no id")
        }
        self.init(
            first: first, last: last ?? first, count: count ?? 1,
            standing: !isReplayed ? .new : count == 0 ? .passed : .repeated, time: time,
            subscribers: subscribers, hint: hint)
    }
}
