import TestSupport
import Testing

/// A publisher of random events to random topics, alone and in batches.
struct RandomPublisher {
    static let topics = ["t.a", "t.b", "t.c", "u"]
    static let selectors = ["t.a", "u", "t.b,u", "t.*", "t.>", "t.c,t.*", ">"]

    private let client: RawClient
    private let name: String
    private let payloadBytesMax: Int
    private var random: SeededRandom
    private var count = 0

    /// What it published so far.
    private(set) var publications: [Publication] = []

    /// A publisher whose name sets its payloads apart from those of others.
    init(
        _ address: RawClient.Address, name: String, payloadBytesMax: Int, random: SeededRandom
    ) throws {
        client = try RawClient(address)
        self.name = name
        self.payloadBytesMax = payloadBytesMax
        self.random = random
    }

    /// Publishes once.
    mutating func publish() throws {
        let size = [1, 1, 1, 2, 5, 40].randomElement(using: &random)!
        let payloads = (0..<size).map { _ in payload() }
        let topic = Self.topics.randomElement(using: &random)!
        let type = [nil, "red", "blue"].randomElement(using: &random)!
        let body = Array(payloads.joined(separator: "\n").utf8)
        let answer = try client.exchange(
            "POST", "/topics/\(topic)\(size > 1 ? "?split=lines" : "")",
            headers: type.map { [("Event-Type", $0)] } ?? [], body: body, within: 20)
        try #require(answer.status == 201, "\(answer.text)")
        let first = try #require(answer.member(size > 1 ? "first" : "id").flatMap { UInt64($0) })
        let last = try #require(answer.member(size > 1 ? "last" : "id").flatMap { UInt64($0) })
        try #require(last >= first + UInt64(size - 1), "\(answer.text)")
        publications.append(
            Publication(ids: first...last, topic: topic, type: type, payloads: payloads))
    }

    private mutating func payload() -> String {
        count += 1
        let padding = Int.random(in: 0...payloadBytesMax, using: &random)
        return "\(name)\(count)" + String(repeating: ".", count: padding)
    }
}

/// Somebody who changes how much topics keep, and may delete them, while they are in use.
struct RandomKeeper {
    private let client: RawClient
    private let deletes: Bool
    private var random: SeededRandom

    init(_ address: RawClient.Address, deletes: Bool, random: SeededRandom) throws {
        client = try RawClient(address)
        self.deletes = deletes
        self.random = random
    }

    /// Gives a topic other bounds, or deletes it.
    mutating func change(_ topic: String) throws {
        if deletes, Int.random(in: 0..<3, using: &random) == 0 {
            let status = try client.exchange("DELETE", "/topics/\(topic)", within: 20).status
            try #require(status == 204 || status == 404)
            return
        }
        let bound = [
            "keep=0", "keep=1", "keep=7", "keep=50", "bytes=300", "bytes=4K", "for=1ms", "for=50ms",
        ].randomElement(using: &random)!
        let answer = try client.exchange("PUT", "/topics/\(topic)?\(bound)", within: 20)
        try #require(answer.status == 200 || answer.status == 201, "\(answer.text)")
    }
}
