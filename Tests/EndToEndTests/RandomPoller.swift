import Glibc
import TestSupport
import Testing

/// A poller of a random kind that vanishes and comes back with the last cursor that it had.
struct RandomPoller {
    private enum Form: String, CaseIterable { case raw, json }

    private let addresses: [RawClient.Address]
    private let form: Form
    /// How many of a hundred polls end before their answer, and before how many it dawdles.
    private let vanishing: Int
    private let dawdling: Int
    /// How many events it may ask for at a time in JSON; nil is all there are.
    private let maxima: [Int?]
    private var client: RawClient?
    private var random: SeededRandom
    private var tampering: Tampering?

    /// What it was answered.
    private(set) var history: PollHistory

    /// Whether its answers were tampered with.
    var isTampered: Bool { tampering?.isDone == true }

    /// A poller of a random kind that begins behind `start`.
    init(
        _ addresses: [RawClient.Address], start: UInt64, maxima: [Int?], random: SeededRandom
    ) {
        self.addresses = addresses
        self.maxima = maxima
        self.random = random
        form = Form.allCases.randomElement(using: &self.random)!
        vanishing = Int.random(in: 0...30, using: &self.random)
        dawdling = [0, 0, 5, 30].randomElement(using: &self.random)!
        history = PollHistory(
            selector: TestSelector(RandomPublisher.selectors.randomElement(using: &self.random)!),
            type: [nil, nil, "red"].randomElement(using: &self.random)!, start: start)
    }

    /// A poller of everything, by two events at a time, whose answers may be tampered with.
    init(
        _ addresses: [RawClient.Address], start: UInt64, tampering: Tampering?,
        random: SeededRandom
    ) {
        self.addresses = addresses
        self.tampering = tampering
        self.random = random
        maxima = [2]
        form = .json
        vanishing = 10
        dawdling = 0
        history = PollHistory(selector: TestSelector(">"), type: nil, start: start)
    }

    /// Polls until it has come to the end, which is known at some time.
    mutating func run(until end: () -> UInt64?) throws {
        let deadline = monotonicSeconds() + RandomRun.secondsMax
        while end().map({ history.cursor < $0 }) ?? true {
            try #require(
                monotonicSeconds() < deadline, "no end of \(history.selector) at \(history.cursor)")
            try poll()
        }
    }

    private mutating func poll() throws {
        let client = try connection()
        try client.send("GET", target())
        if Int.random(in: 1...100, using: &random) <= vanishing {
            vanish(client)
            return
        }
        if Int.random(in: 1...100, using: &random) <= dawdling {
            Glibc.poll(nil, 0, Int32.random(in: 1...20, using: &random))
        }
        let answer = try client.readAnswer(within: 20)
        if answer.header("connection")?.lowercased() == "close" { self.client = nil }
        var parsed = try PollAnswer(answer, isJSON: form == .json)
        tampering?.apply(to: &parsed, history)
        history.turns.append(PollHistory.Turn(asked: history.cursor, answer: parsed))
    }

    private mutating func connection() throws -> RawClient {
        if let client { return client }
        let client = try RawClient(addresses.randomElement(using: &random)!)
        self.client = client
        return client
    }

    private mutating func target() -> String {
        let wait = ["0", "1ms", "20ms", "300ms"].randomElement(using: &random)!
        var target = "/topics/\(history.selector)?since=\(history.cursor)&wait=\(wait)"
        if let type = history.type { target += "&type=\(type)" }
        if form == .json {
            target += "&as=json"
            let max = maxima.randomElement(using: &random)!
            if let max { target += "&max=\(max)" }
        }
        return target
    }

    /// Goes at once, or when its answer begins to arrive, by a close or by a reset.
    private mutating func vanish(_ client: RawClient) {
        if Bool.random(using: &random) {
            var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
            Glibc.poll(&entry, 1, 50)
        }
        if Bool.random(using: &random) { client.reset() } else { client.close() }
        self.client = nil
    }
}

extension PollAnswer {
    /// Reads an answer of either form, an end by DELETE included.
    init(_ answer: RawClient.Answer, isJSON: Bool) throws {
        cursor = try #require(
            answer.number("event-cursor"), "\(answer.statusLine): \(answer.text)")
        if let text = answer.header("event-gap") {
            let match = try #require(text.wholeMatch(of: /after=([0-9]+), through=([0-9]+)/))
            gap = ToldGap(after: UInt64(match.1)!, through: UInt64(match.2)!)
        }
        switch answer.status {
        case 200 where isJSON:
            let body = try PollBody(answer)
            let told = try body.gap.map(ToldGap.init)
            try #require(gap == told)
            deliveries = try body.events.map {
                Delivery(
                    id: try #require(UInt64($0.id)), topic: $0.topic, type: $0.type,
                    payload: String(decoding: try $0.payload, as: UTF8.self))
            }
        case 200:
            deliveries = [
                Delivery(
                    id: try #require(answer.number("event-id")),
                    topic: try #require(answer.header("event-topic")),
                    type: answer.header("event-type"), payload: answer.text)
            ]
        case 204 where !isJSON: break
        case 410: try #require(answer.member("code") == "TOPIC_DELETED")
        default: Issue.record("\(answer.statusLine): \(answer.text)")
        }
    }
}

extension ToldGap {
    fileprivate init(_ gap: PollBody.Gap) throws {
        self.init(
            after: try #require(UInt64(gap.after)), through: try #require(UInt64(gap.through)))
    }
}
