import Glibc
import Protection
import TestSupport
import Testing

/// Publishers, pollers and changing retention at once on a daemon of its own.
struct RandomRun {
    /// Whether `BELFRY_LONG` asks for the long form.
    static let isLong = getenv("BELFRY_LONG") != nil

    /// The longest that one run may take.
    static let secondsMax = isLong ? 900.0 : 60.0

    /// What the daemon is set to.
    var configuration = ""
    /// How often each of the publishers publishes.
    var publishes = 200
    var publishers = 2
    var pollers = 8
    var payloadBytesMax = 60
    var changesRetention = true
    var deletes = false
    /// How many events a poller may ask for at a time in JSON; nil is all there are.
    var maxima: [Int?] = [nil, 1, 2, 7]

    /// What happened.
    struct Outcome: Sendable {
        var publications: [Publication] = []
        var histories: [PollHistory] = []
        fileprivate var publishersDone = 0
        /// The newest id, as soon as nothing more will be published.
        fileprivate var end: UInt64?
    }

    /// Runs it to its end: all pollers have come as far as the last event.
    func run(_ seeds: SeededRandom) throws -> Outcome {
        let daemon = try RunningDaemon(configuration: configuration)
        let addresses = [daemon.tcp, daemon.unix]
        let start = try RunStart(daemon)
        let outcome = Protected(Outcome())
        var seeds = seeds
        let randoms = (0..<(publishers + pollers + 1)).map { _ in
            SeededRandom(seed: seeds.next())
        }
        try inParallel(randoms.count, within: .seconds(Self.secondsMax)) { [self] index in
            if index < publishers {
                try publish(
                    RandomPublisher(
                        addresses[index % 2], name: "p\(index).", payloadBytesMax: payloadBytesMax,
                        random: randoms[index]), outcome)
            } else if index == publishers {
                try keep(
                    RandomKeeper(addresses[0], deletes: deletes, random: randoms[index]), outcome)
            } else {
                var poller = RandomPoller(
                    addresses, start: start.cursor, maxima: maxima,
                    random: randoms[index])
                try poller.run { outcome.read(\.end) }
                outcome.write { [history = poller.history] in $0.histories.append(history) }
            }
        }
        try #require(try daemon.terminate() == .exited(0))
        return outcome.value
    }

    private func publish(_ publisher: RandomPublisher, _ outcome: Protected<Outcome>) throws {
        var publisher = publisher
        var isDone = false
        // Others do not go on in vain when this one fails.
        defer { if !isDone { outcome.write { $0.end = 0 } } }
        for _ in 0..<publishes { try publisher.publish() }
        isDone = true
        outcome.write { [done = publisher.publications] in
            $0.publications += done
            $0.publishersDone += 1
            if $0.publishersDone == publishers {
                $0.end = $0.publications.map(\.ids.upperBound).max()
            }
        }
    }

    private func keep(_ keeper: RandomKeeper, _ outcome: Protected<Outcome>) throws {
        var keeper = keeper
        while changesRetention, outcome.read(\.end) == nil {
            for topic in RandomPublisher.topics { try keeper.change(topic) }
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
