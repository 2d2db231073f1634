internal import HTTPFront
internal import Topics

/// The route that receives events.
struct ReceiveRoute: Routes {
    let loop: BusLoop

    /// `GET /topics/{selector}`: receives events, in the form that was asked for.
    func receive(_ call: borrowing Call) throws(Refusal) {
        var request = try ReceiveRequest(
            call, of: loop.selector(named: call.resource.name), configuration)
        request.selector = try gate.readable(request.selector, by: request.caller)
        try admit(request, call.exchange)
        guard let form = request.form.stream(request.eventStream) else {
            return try LongPoll(request, on: loop).begin(call.exchange)
        }
        let (peer, page) = (call.exchange.peer, call.head.crossOrigin)
        try StreamingResponse(request, in: form, on: loop).begin(call.exchange) {
            stream, exchange throws(Refusal) in
            guard case .webSocket(let isRaw) = request.form else {
                return exchange.detachStream(stream)
            }
            let publisher = MessagePublisher(
                request.selector, isRaw: isRaw, from: peer, as: request.caller, page: page)
            return try WebSocketStream(exchange, for: stream, publisher, on: loop)
        }
    }

    /// Lets a request in whose caller may read its topics, if these topics can be subscribed to.
    func admit(_ request: ReceiveRequest, _ exchange: Exchange) throws(Refusal) {
        exchange.note(form: request.form.delivery.rawValue)
        do throws(BusError) {
            try bus.checkSubscribable(request.selector)
        } catch {
            throw Refusal(error)
        }
    }
}
