internal import Access
internal import HTTPFront
internal import Topics

/// What the head of a long poll asks for, whoever asks, for polls with another cursor or topic.
final class KnownPoll: KnownRequest {
    /// The request as it was asked for: not limited to what its caller might know of.
    private let asked: ReceiveRequest
    // The loop's handler outlives what it made of requests.
    private unowned let handler: BusHandler

    init(_ asked: ReceiveRequest, on handler: BusHandler) {
        self.asked = asked
        self.handler = handler
    }

    func handle(_ differences: RequestDifferences, _ exchange: Exchange) {
        do throws(Refusal) {
            let start = String(decoding: differences.value, as: UTF8.self)
            // What its connection's caller was allowed under this configuration holds.
            if let last = exchange.memo as? LongPoll, last.isRepeated(by: self, differences.name) {
                return try last.begin(at: start, exchange)
            }
            let request = try request(differences.name, from: start, by: exchange.peer)
            let poll = LongPoll(request, of: self, on: handler)
            exchange.memo = poll
            try handler.admit(request, exchange)
            try poll.begin(exchange)
        } catch {
            exchange.respond(error.response)
        }
    }

    /// The request for a topic of this name, or for the one that it was about, as far as this peer
    /// may know of it.
    private func request(
        _ name: UnsafeRawBufferPointer, from start: String, by peer: Peer
    ) throws(Refusal) -> ReceiveRequest {
        var request = asked
        request.caller = try handler.caller(peer, asked.caller.token)
        if !name.isEmpty { try request.rename(to: String(decoding: name, as: UTF8.self)) }
        try request.begin(at: start)
        request.selector = try handler.readable(request.selector, by: request.caller)
        return request
    }
}
