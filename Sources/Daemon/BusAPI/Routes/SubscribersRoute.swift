internal import Access
internal import HTTPFront
internal import JSON
internal import Topics
internal import Wire

/// The route that lists subscribers.
struct SubscribersRoute: Routes {
    let loop: BusLoop

    /// `GET /subscribers`: lists the subscribers that wait for events, as far as the caller may
    /// know of them.
    func listSubscribers(_ call: borrowing Call) throws(Refusal) {
        let topic: TopicName?
        do throws(NameError) {
            topic = try call.parameters.text("topic").map { text throws(NameError) in
                try TopicName(text)
            }
        } catch {
            throw Refusal(.parameterInvalid, "'topic' is no topic: \(error.detail)")
        }
        let late = LateAnswer(on: loop)
        SubscriberListing(
            of: topic, for: call.caller, on: service, unless: late.cancellation,
            answer: late.begin(call.exchange)
        ).begin(for: call.exchange.account)
    }
}
