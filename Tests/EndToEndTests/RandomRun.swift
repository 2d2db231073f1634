import Glibc
import Protection
import TestSupport
import Testing

/// Publishers, subscribers and changing retention at once, each on a thread of its own.
struct RandomRun {
    /// Whether `BELFRY_LONG` asks for the long form.
    static let isLong = getenv("BELFRY_LONG") != nil

    /// The longest that one run may take.
    static let secondsMax = 900.0

    /// What the daemon is set to.
    var configuration = ""
    /// How often each of the publishers publishes.
    var publishes = 200
    var publishers = 2
    var subscribers = 12
    var payloadBytesMax = 60
    var changesRetention = true
    var surroundings = RandomSubscriber.Surroundings()
    /// How many events a subscriber may ask for at a time; nil is all there are.
    var maxima: [Int?] = [nil, nil, 1, 2, 7]

    /// What happened.
    struct Outcome: Sendable {
        var publications: [Publication] = []
        var histories: [History] = []
        fileprivate var publishersDone = 0
        /// The last events, as soon as they are published.
        fileprivate var last: LastEvents?
        fileprivate var isFailed = false
    }

    /// Runs it to its end on a daemon of its own.
    func run(_ seeds: SeededRandom) throws -> Outcome {
        let daemon = try RunningDaemon(configuration: configuration)
        let outcome = try run(seeds, at: [daemon.tcp, daemon.unix], from: RunStart(daemon))
        try #require(try daemon.terminate() == .exited(0))
        return outcome
    }

    /// Runs it to its end on a daemon that has these two addresses, and whose other events no
    /// selector of a subscriber matches: all subscribers have come as far as the last event.
    func run(
        _ seeds: SeededRandom, at addresses: [RawClient.Address], from start: RunStart
    ) throws -> Outcome {
        let outcome = Protected(Outcome())
        var seeds = seeds
        let randoms = (0..<(publishers + subscribers + 1)).map { _ in
            SeededRandom(seed: seeds.next())
        }
        try inParallel(randoms.count, within: .seconds(Self.secondsMax)) { [self] index in
            var isDone = false
            // Others do not go on in vain when this one fails.
            defer { if !isDone { outcome.write { $0.isFailed = true } } }
            if index < publishers {
                try publish(
                    RandomPublisher(
                        index == 0
                            ? HTTPPublisherLink(addresses[0]) : SocketPublisherLink(addresses[1]),
                        name: "p\(index).",
                        payloadBytesMax: payloadBytesMax,
                        random: randoms[index]), outcome)
            } else if index == publishers {
                try keep(outcome) {
                    try RandomKeeper(
                        addresses[0], payloadBytesMax: payloadBytesMax,
                        deletes: surroundings.deletes, random: randoms[index])
                }
            } else {
                // Every form comes up, whatever the seed.
                let forms = SubscriberForm.inUse
                var subscriber = RandomSubscriber.any(
                    of: [forms[index % forms.count]], at: addresses, start: start.cursor,
                    maxima: maxima, surroundings: surroundings, random: randoms[index])
                try subscriber.run(
                    until: { outcome.read(\.last) }, unless: { outcome.read(\.isFailed) })
                outcome.write { [history = subscriber.history] in $0.histories.append(history) }
            }
            isDone = true
        }
        return outcome.value
    }

    private func publish(_ publisher: RandomPublisher, _ outcome: Protected<Outcome>) throws {
        var publisher = publisher
        for _ in 0..<publishes where !outcome.read(\.isFailed) { try publisher.publish() }
        outcome.write { [done = publisher.publications] in
            $0.publications += done
            $0.publishersDone += 1
        }
    }

    /// Changes retention if it may, until the publishers are done, and then publishes the last events.
    private func keep(
        _ outcome: Protected<Outcome>, _ makeKeeper: () throws -> RandomKeeper
    ) throws {
        var keeper = changesRetention ? try makeKeeper() : nil
        while outcome.read({ $0.publishersDone < publishers && !$0.isFailed }) {
            if keeper == nil { poll(nil, 0, 5) }
            for topic in RandomPublisher.topics { try keeper?.change(topic) }
        }
        // Connected only now, for the daemon closes what lies idle all the time.
        var ending = try keeper ?? makeKeeper()
        let last = try ending.end()
        outcome.write {
            $0.publications += last.publications
            $0.last = last
        }
    }
}

/// The cursor in front of all that a run publishes.
struct RunStart {
    let cursor: UInt64

    init(_ daemon: RunningDaemon) throws {
        let answer = try daemon.connect().exchange("GET", "/topics/u?wait=0")
        cursor = try #require(answer.number("event-cursor"), "\(answer.text)")
    }
}
