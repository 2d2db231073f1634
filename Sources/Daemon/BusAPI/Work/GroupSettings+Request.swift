internal import Topics
internal import Work

extension GroupSettings {
    /// The parameters of `PUT /groups/{group}`.
    static let parameters = [
        "of", "type", "since", "lease", "attempts", "dead", "order", "in_flight", "persist",
        "replies",
    ]

    /// What a request asks a group to be.
    init(request parameters: Parameters) throws(Refusal) {
        self.init()
        if let text = parameters.text("of") { selector = try Selector(request: text) }
        if let text = parameters.text("type") {
            var texts = AttributeTexts()
            texts[.type] = text
            type = try EventAttributes(request: texts)[.type]
        }
        if let since = parameters.text("since") { start = try ReceiveRequest.start(since: since) }
        lease = try parameters.duration("lease", in: Limits.leaseMicroseconds)
            .map { .microseconds($0) }
        attempts = try parameters.count("attempts", in: Limits.jobAttempts).map(Int.init)
        if let text = parameters.text("dead") {
            dead = text == "none" ? .nowhere : .topic(try TopicName(request: text))
        }
        isOrderedByKey = try parameters.choice("order", ["none": false, "key": true])
        inFlightMax = try parameters.count("in_flight", in: Limits.jobsInFlight).map(Int.init)
        persists = try parameters.choice("persist", ["yes": true, "no": false])
        replies = try parameters.choice("replies", ["yes": true, "no": false])
    }
}
