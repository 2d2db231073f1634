internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// A subscriber that waited for events at one moment, as the list of subscribers shows it.
struct SubscriberDescription: Sendable {
    let caller: Caller
    let selector: Selector
    private let filter: EventFilter
    private let form: DeliveryForm
    private let pid: Int32?
    let since: Timestamp
    /// Its cursor; nil while its place in the log is still looked for.
    private let cursor: EventID?
    private let isCaughtUp: Bool

    /// Describes a subscription; nil for one that was answered.
    init?(_ subscription: any HTTPSubscription, now: Timestamp) {
        guard let origin = subscription.origin else { return nil }
        let reader = subscription.reader
        caller = subscription.caller
        selector = reader.selector
        filter = reader.filter
        form = subscription.form
        pid = origin.peer.pid
        since = now.advanced(microseconds: -1_000 * Int64(origin.milliseconds))
        cursor = reader.isPlaced ? reader.cursor : nil
        isCaughtUp = reader.isCaughtUp && !reader.isFetching
    }

    /// Writes it as the list shows it, with the text of its selector. Adds the steps that it took
    /// to count the events that it has not been told yet.
    func write(
        _ text: String, to json: inout JSONWriter, countedBy bus: EventBus, _ steps: inout Int
    ) {
        json.beginObject()
        json.member("selector", text)
        for field in FilterField.all {
            json.name(WireFilter.row(field).name)
            json.optional(filter[field]) { $0.string($1) }
        }
        json.name(WireAttribute.member)
        json.optional(filter.attributes.isEmpty ? nil : filter.attributes) { $0.attributes($1) }
        json.member("form", form.rawValue)
        json.name("user")
        json.optional(caller.uid) { $0.integer(Int($1)) }
        json.member("token", caller.token?.name)
        json.name("pid")
        json.optional(pid) { $0.integer(Int($1)) }
        json.member("since", since.rfc3339)
        json.member("cursor", cursor)
        json.member("behind", behind(bus, &steps))
        json.endObject()
    }

    private func behind(_ bus: EventBus, _ steps: inout Int) -> Int? {
        guard let cursor, !isCaughtUp else { return cursor.map { _ in 0 } }
        return bus.count(
            behind: LogPosition(after: cursor), matching: selector, filter: filter, &steps)
    }
}
