import TestSupport
import Testing

/// A publisher of random events to random topics, alone and in batches.
struct RandomPublisher {
    static let topics = ["t.a", "t.b", "t.c", "u"]
    static let selectors = ["t.a", "u", "t.b,u", "t.*", "t.>", "t.c,t.*", ">"]

    private let link: any PublisherLink
    private let name: String
    private let payloadBytesMax: Int
    private var random: SeededRandom
    private var count = 0
    private var request: PublisherRequest?

    /// What it published so far.
    private(set) var publications: [Publication] = []

    /// A publisher whose name sets its payloads apart from those of others.
    init(
        _ link: any PublisherLink, name: String, payloadBytesMax: Int, random: SeededRandom
    ) {
        self.link = link
        self.name = name
        self.payloadBytesMax = payloadBytesMax
        self.random = random
    }

    /// Publishes once.
    mutating func publish() throws {
        try send()
        try finish()
    }

    /// Sends a request, or takes the answer of the one before if it is there.
    mutating func step() throws {
        if request == nil { try send() } else { try take(within: 0) }
    }

    /// Takes the answer to the request that waits for it, if one does.
    mutating func finish() throws {
        try take(within: 60)
        try #require(request == nil, "a publisher is not answered")
    }

    private mutating func take(within seconds: Double) throws {
        guard let request, let done = try link.answer(to: request, within: seconds) else { return }
        publications += done
        self.request = nil
    }

    private mutating func send() throws {
        let size = [1, 1, 1, 2, 5, 40].randomElement(using: &random)!
        let payloads = (0..<size).map { _ in payload(ofLine: size > 1) }
        let topic = Self.topics.randomElement(using: &random)!
        let type = [nil, "red", "blue"].randomElement(using: &random)!
        let request = PublisherRequest(topic: topic, type: type, payloads: payloads)
        try link.send(request)
        self.request = request
    }

    private mutating func payload(ofLine isLine: Bool) -> String {
        count += 1
        let padding = Int.random(in: 0...payloadBytesMax, using: &random)
        let end = isLine ? "" : ["", "", "\n", "\n\nx", "\"ü\\"].randomElement(using: &random)!
        return "\(name)\(count)" + String(repeating: ".", count: padding) + end
    }
}

/// Somebody who changes how much topics keep, and may delete them, while they are in use.
struct RandomKeeper {
    private let client: RawClient
    private let payloadBytesMax: Int
    private let deletes: Bool
    private var random: SeededRandom

    /// One of topics whose payloads are up to this long, and a little.
    init(
        _ address: RawClient.Address, payloadBytesMax: Int, deletes: Bool, random: SeededRandom
    ) throws {
        client = try RawClient(address)
        self.payloadBytesMax = payloadBytesMax
        self.deletes = deletes
        self.random = random
    }

    /// Gives a topic other bounds, or deletes it.
    mutating func change(_ topic: String) throws {
        if deletes, Int.random(in: 0..<3, using: &random) == 0 {
            let status = try client.exchange("DELETE", "/topics/\(topic)", within: 60).status
            try #require(status == 204 || status == 404)
            return
        }
        let bound = [
            "keep=0", "keep=1", "keep=7", "keep=50", "for=1ms", "for=50ms",
            "bytes=\(5 * payloadBytesMax)", "bytes=\(70 * payloadBytesMax)",
        ].randomElement(using: &random)!
        let answer = try client.exchange("PUT", "/topics/\(topic)?\(bound)", within: 60)
        try #require(answer.status == 200 || answer.status == 201, "\(answer.text)")
    }

    /// Lets all topics keep what they are given, and gives each of them a last event.
    mutating func end() throws -> LastEvents {
        var last = LastEvents()
        for topic in RandomPublisher.topics {
            try client.register(topic)
            let payload = LastEvents.payload(of: topic)
            let id = try client.publish(payload, to: topic, headers: [("Event-Type", "red")])
            last.publications.append(
                Publication(ids: id...id, topic: topic, type: "red", payloads: [payload]))
        }
        return last
    }
}

/// The events behind which nothing more comes, one of each topic.
struct LastEvents: Sendable {
    fileprivate(set) var publications: [Publication] = []

    fileprivate static func payload(of topic: String) -> String { "the end of \(topic)" }

    /// Whether an event with this payload is one of them.
    static func isLast(_ payload: String) -> Bool {
        RandomPublisher.topics.contains { Self.payload(of: $0) == payload }
    }

    /// Whether it is the last of them all.
    static func isVeryLast(_ payload: String) -> Bool {
        payload == Self.payload(of: RandomPublisher.topics.last!)
    }

    /// Whether the last of those that concern a subscriber was told to it.
    func areTold(to history: History) throws -> Bool {
        let last = publications.last { history.selector.matches($0.topic) }
        return history.newest?.payload == (try #require(last)).payloads[0]
    }
}
