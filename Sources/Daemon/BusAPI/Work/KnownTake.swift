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
    /// Who sent the last of them, and the group that they were found to be allowed to work for.
    private var caller: Caller
    private var allowed: GroupNumber?
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
            let peer = exchange.peer
            if !caller.isSame(as: peer) {
                caller = try handler.caller(peer, caller.token)
                allowed = nil
            }
            if !differences.name.isEmpty,
                query.worker?.text.utf8.elementsEqual(differences.name) != true
            {
                query.worker = try WorkerName(
                    request: String(decoding: differences.name, as: UTF8.self))
            }
            query.settling?.lease = String(decoding: differences.value, as: UTF8.self)
            // The same caller is not asked twice in a row about one group: the answer depends on
            // nothing else while the configuration is the same.
            if allowed == nil || handler.work.scope(of: group)?.number != allowed {
                allowed = nil
                allowed = try handler.next(of: group, query, by: caller, exchange)
            } else {
                handler.take(of: group, query, nil, making: nil, by: caller, bodyBytes: 0, exchange)
            }
        } catch {
            exchange.respond(error.response)
        }
    }
}
