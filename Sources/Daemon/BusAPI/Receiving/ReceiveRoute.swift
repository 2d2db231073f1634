internal import HTTPFront
internal import Topics

extension BusHandler {
    /// `GET /topics/{selector}`: receives events, in the form that was asked for.
    func receive(_ call: borrowing Call) throws(Refusal) {
        let asked = try ReceiveRequest(call, configuration)
        var request = asked
        request.selector = try readable(asked.selector, by: asked.caller)
        try admit(request, call.exchange)
        guard let form = request.form.stream(request.eventStream) else {
            if let place = asked.startPlace {
                call.exchange.offer(valueAt: place, withName: asked.namePlace) {
                    KnownPoll(asked, on: self)
                }
            }
            return try LongPoll(request, on: self).begin(call.exchange)
        }
        let (peer, page) = (call.head.peer, call.head.crossOrigin)
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
    ///
    /// - Returns: Where it stands in the table; to come back there, name it as `group`.
    @discardableResult
    func join(
        _ subscription: any HTTPSubscription, for account: CallerAccount,
        near group: SubscriptionGroup? = nil
    ) -> SubscriptionGroup {
        service.waiting.add(1)
        account.subscribers.add(1)
        subscription.account = account
        subscription.accessNumber = accessNumber
        meters.subscribers(in: subscription.form).add(1)
        return enroll(subscription, near: group)
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
