internal import HTTPFront
internal import Topics

extension BusHandler {
    /// `GET /topics/{selector}`: receives events, in the form that was asked for.
    func receive(_ call: borrowing Call) throws(Refusal) {
        var request = try ReceiveRequest(
            call, of: selector(named: call.resource.name), configuration)
        request.selector = try readable(request.selector, by: request.caller)
        try admit(request, call.exchange)
        guard let form = request.form.stream(request.eventStream) else {
            return try LongPoll(request, on: self).begin(call.exchange)
        }
        let (peer, page) = (call.exchange.peer, call.head.crossOrigin)
        try StreamingResponse(request, in: form, on: self).begin(call.exchange) {
            stream, exchange throws(Refusal) in
            guard case .webSocket(let isRaw) = request.form else {
                return exchange.detachStream(stream)
            }
            let publisher = MessagePublisher(
                request.selector, isRaw: isRaw, from: peer, as: request.caller, page: page)
            return try WebSocketStream(exchange, for: stream, publisher, on: self)
        }
    }

    /// Lets a request in whose caller may read what it asks for, if that is there.
    func admit(_ request: ReceiveRequest, _ exchange: Exchange) throws(Refusal) {
        exchange.note(form: request.form.delivery.rawValue)
        do throws(BusError) {
            try bus.checkSubscribable(request.selector)
        } catch {
            throw Refusal(error)
        }
    }

    /// Counts a subscription for its caller and tells it of what comes, until ``leave(_:)``.
    func join(_ subscription: any HTTPSubscription, for account: CallerAccount) {
        service.waiting.add(1)
        account.subscribers.add(1)
        subscription.account = account
        subscription.accessNumber = accessNumber
        meters.subscribers(in: subscription.form).add(1)
        enroll(subscription)
    }

    /// Forgets a subscription that had joined; called once.
    func leave(_ subscription: any HTTPSubscription) {
        subscription.reader.cancel()
        withdraw(subscription)
        service.waiting.add(-1)
        subscription.account?.subscribers.add(-1)
        subscription.account = nil
        meters.subscribers(in: subscription.form).add(-1)
    }
}
