import Glibc
import Protection
import TestSupport
import Testing

/// The daemon is killed at random moments while publishers repeat each event, with its `Idempotency-Key`, until
/// they have an answer: each event is there exactly once. The short form kills it twice; `BELFRY_LONG` makes it
/// three hundred, `BELFRY_SEED` repeats the moments.
@Suite(.blocking) struct LongOnceTests {
    private static let kills = getenv("BELFRY_LONG") == nil ? 2 : 300
    private static let publishers = 8
    /// How many events at least are answered in every second life; the others may end before any is.
    private static let answersMin = 20

    /// What publishers and the one that kills share.
    private struct State {
        var answered = 0
        var repeated = 0
        /// The number of the last event of each publisher.
        var last: [Int: Int] = [:]
        var isOver = false
    }

    @Test(arguments: ["normal", "full"])
    func everyEventIsThereExactlyOnce(sync: String) throws {
        var random = SeededRandom(for: "kills of repeaters, \(sync)")
        let moments = (0..<Self.kills).map { _ in Int.random(in: 5...300, using: &random) }
        let daemon = Protected(
            try RunningDaemon(
                configuration: """
                    [store]
                    store = sqlite
                    sync = \(sync)
                    [retention]
                    keep = none
                    bytes = none
                    """))
        let address = daemon.value.unix
        let state = Protected(State())
        try inParallel(Self.publishers + 1, within: .seconds(3_600)) { part in
            guard part == Self.publishers else {
                return try Self.publish(from: part, at: address, state)
            }
            defer { state.write { $0.isOver = true } }
            for (life, milliseconds) in moments.enumerated() {
                let answers = state.value.answered + (life % 2 == 0 ? Self.answersMin : 0)
                try eventually("\(answers) events are answered", within: 60) {
                    state.value.answered >= answers
                }
                // Nobody opens it: the moment is to be any.
                try? Gate().wait(within: .milliseconds(milliseconds))
                try daemon.value.kill()
                daemon.value = try daemon.value.restarted()
            }
        }
        try Self.compare(daemon.value, state.value)
        print(
            "\(Self.kills) kills: \(state.value.answered) events, \(state.value.repeated) repeated")
        #expect(try daemon.value.terminate() == .exited(0))
    }

    /// Publishes events one after the other, each again and again until it is answered.
    private static func publish(
        from publisher: Int, at address: RawClient.Address, _ state: Protected<State>
    ) throws {
        var client: RawClient?
        var number = 0
        while !state.value.isOver {
            number += 1
            let attempts = try attempts(at: &client, address, publisher, number)
            state.write { state in
                state.answered += 1
                state.repeated += attempts > 1 ? 1 : 0
                state.last[publisher] = number
            }
        }
    }

    /// Publishes one event until it is answered, and returns how often that was.
    private static func attempts(
        at client: inout RawClient?, _ address: RawClient.Address, _ publisher: Int, _ number: Int
    ) throws -> Int {
        // Half of them give each event a key of its own, and half have a series.
        let key = publisher % 2 == 0 ? "\(publisher)-\(number)" : "series \(publisher);\(number)"
        for attempt in 1... {
            guard let answer = answer(at: &client, address, publisher, number, key) else {
                // Until the next life listens.
                try? Gate().wait(within: .milliseconds(2))
                continue
            }
            if answer.status == 201 { return attempt }
            // A bus that begins or stops has done nothing.
            try #require(answer.status == 503, "\(publisher).\(number): \(answer.text)")
        }
        preconditionFailure("it is asked for ever")
    }

    /// The answer to one attempt; nil where there was none.
    private static func answer(
        at client: inout RawClient?, _ address: RawClient.Address, _ publisher: Int, _ number: Int,
        _ key: String
    ) -> RawClient.Answer? {
        do throws(RawClient.Failure) {
            let open = if let client { client } else { try RawClient(address) }
            client = open
            return try open.exchange(
                "POST", "/topics/once.t\(publisher)", headers: [("Idempotency-Key", key)],
                body: Array("\(number)".utf8), within: 60)
        } catch {
            client?.close()
            client = nil
            return nil
        }
    }

    /// Compares each publisher's events with what its topic has.
    private static func compare(_ daemon: RunningDaemon, _ state: State) throws {
        let client = try daemon.connect()
        for (publisher, last) in state.last {
            var (told, since) = ([Int](), "earliest")
            while told.count < last {
                let answer = try client.exchange(
                    "GET", "/topics/once.t\(publisher)?as=json&wait=0&max=10000&since=\(since)")
                let events = answer.text.matches(of: /"data":"(\d+)"/).map { Int($0.1)! }
                try #require(!events.isEmpty, "\(publisher): \(told.count) of \(last) events")
                told += events
                since = try #require(answer.member("cursor"))
            }
            #expect(told == Array(1...last), "of publisher \(publisher)")
        }
        #expect(state.last.count == publishers)
    }
}
