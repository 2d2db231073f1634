import TestSupport
import Testing

/// Somebody who only looks: lists topics, asks where they stand, for single events and for the
/// daemon's health, over a connection that is kept or over a new one, and now and then leaves before
/// the answer is there.
struct Onlooker {
    private let addresses: [RawClient.Address]
    private var random: SeededRandom
    private var client: RawClient?
    /// The last event that it heard of, by its path.
    private var event = "/topics/u/events/1"
    /// How often it has looked.
    private(set) var looks = 0

    init(_ addresses: [RawClient.Address], random: SeededRandom) {
        self.addresses = addresses
        self.random = random
    }

    /// Looks once.
    mutating func look() throws {
        let client = try self.client ?? RawClient(addresses.randomElement(using: &random)!)
        let (method, path) = request()
        try client.send(method, path)
        looks += 1
        self.client = nil
        if Int.random(in: 0..<8, using: &random) == 0 { return client.reset() }
        let answer = try client.readAnswer(toHead: method == "HEAD", within: 60)
        try #require([200, 204, 404, 410].contains(answer.status), "\(method) \(path): \(answer)")
        note(answer)
        if Int.random(in: 0..<6, using: &random) > 0 { self.client = client }
    }

    private mutating func request() -> (method: String, path: String) {
        [
            ("GET", "/topics"), ("GET", "/topics?match=t.*"), ("HEAD", "/topics/%3E"),
            ("HEAD", "/topics/t.a"), ("GET", event), ("HEAD", event), ("GET", "/metrics"),
            ("GET", "/healthz"), ("GET", "/readyz"), ("OPTIONS", "/topics/t.a"),
            ("GET", "/topics/t.*?since=latest&as=json&wait=0"), ("GET", "/nothing"),
        ].randomElement(using: &random)!
    }

    private mutating func note(_ answer: RawClient.Answer) {
        guard let id = answer.header("event-cursor") else { return }
        let topic = RandomPublisher.topics.randomElement(using: &random)!
        event = "/topics/\(topic)/events/\(id)"
    }
}
