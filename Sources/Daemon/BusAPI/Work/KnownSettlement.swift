internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// What the head of a settlement without a body says, whoever sends it, for settlements of another
/// lease.
final class KnownSettlement: KnownRequest {
    private let verb: Settlement.Verb
    private let group: GroupName
    /// Who sent the last of them.
    private var caller: Caller
    // The loop's handler outlives what it made of requests.
    private unowned let handler: BusHandler

    init(
        _ verb: Settlement.Verb, for group: GroupName, by caller: Caller, on handler: BusHandler
    ) {
        self.verb = verb
        self.group = group
        self.caller = caller
        self.handler = handler
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            let peer = exchange.peer
            if !caller.isSame(as: peer) { caller = try handler.caller(peer, caller.token) }
            try handler.workable(group, by: caller)
            let lease = String(decoding: differences.value, as: UTF8.self)
            try handler.settle(
                Settlement(verb, lease: lease), for: group, of: 0, by: caller, exchange)
        } catch {
            exchange.respond(error.response)
        }
    }
}
