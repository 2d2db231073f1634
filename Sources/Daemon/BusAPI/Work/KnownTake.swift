internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// What the head of a request for a job says, whoever sends it, for requests of another worker that
/// settle another lease.
final class KnownTake: KnownRequest {
    private let group: GroupName
    /// What the last of them asked for.
    private var query: NextQuery
    /// Who sent the last of them.
    private var caller: Caller
    // The loop's handler outlives what it made of requests.
    private unowned let handler: BusHandler

    init(of group: GroupName, _ query: NextQuery, by caller: Caller, on handler: BusHandler) {
        self.group = group
        self.query = query
        self.caller = caller
        self.handler = handler
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            caller = try handler.caller(exchange.peer, like: caller)
            if !differences.name.isEmpty,
                query.worker?.text.utf8.elementsEqual(differences.name) != true
            {
                query.worker = try WorkerName(
                    request: String(decoding: differences.name, as: UTF8.self))
            }
            query.settling?.lease = String(decoding: differences.value, as: UTF8.self)
            try handler.next(of: group, query, by: caller, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }
}
