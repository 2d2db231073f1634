import Glibc
import TestSupport
import Testing

/// Publishers, subscribers of all forms, changing retention and now and then a restart, in turns
/// of one thread: a run of some hundred steps takes milliseconds, so that thousands of them are
/// feasible, each with decisions of its own.
struct InterleavedRun {
    /// What the runs of one daemon have in common.
    struct Setting: Sendable {
        let name: String
        let configuration: String
        var surroundings = RandomSubscriber.Surroundings()
        var payloadBytesMax = 60
        var steps = 120
        /// Of so many runs one has a restart in it.
        var runsPerRestart = 25
    }

    private static let secondsMax = 300.0

    private let setting: Setting
    private(set) var daemon: RunningDaemon
    private var random: SeededRandom
    private var publishers: [RandomPublisher] = []
    private var subscribers: [RandomSubscriber] = []
    private var keeper: RandomKeeper
    private var publications: [Publication] = []
    private var isRestarted = false

    init(_ setting: Setting, on daemon: RunningDaemon, random: SeededRandom) throws {
        self.setting = setting
        self.daemon = daemon
        self.random = random
        keeper = try RandomKeeper(
            daemon.unix, payloadBytesMax: setting.payloadBytesMax,
            deletes: setting.surroundings.deletes,
            random: SeededRandom(seed: self.random.next()))
        try makePublishers()
        let start = try RunStart(daemon).cursor
        for _ in 0..<Int.random(in: 3...7, using: &self.random) {
            subscribers.append(
                RandomSubscriber.any(
                    of: SubscriberForm.inUse, at: [daemon.tcp, daemon.unix], start: start,
                    surroundings: setting.surroundings,
                    random: SeededRandom(seed: self.random.next())))
        }
    }

    /// Runs to the end, and returns what is wrong.
    mutating func run() throws -> [String] {
        let restart =
            Int.random(in: 0..<setting.runsPerRestart, using: &random) == 0
            ? Int.random(in: 0..<setting.steps, using: &random) : nil
        for step in 0..<setting.steps {
            if step == restart { try restartDaemon() }
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6:
                let index = publishers.indices.randomElement(using: &random)!
                try publishers[index].step()
            case 6:
                try keeper.change(RandomPublisher.topics.randomElement(using: &random)!)
            default:
                let index = subscribers.indices.randomElement(using: &random)!
                let patience = [0, 0, 0, 0.001, 0.003].randomElement(using: &random)!
                try subscribers[index].step(within: patience)
            }
        }
        try endPublishers()
        let last = try keeper.end()
        publications += last.publications
        try follow(to: last)
        let checker = DeliveryChecker(publications)
        return checker.problems
            + subscribers.flatMap { subscriber in
                checker.problems(
                    of: subscriber.history,
                    gapsAreExact: !setting.surroundings.deletes && !isRestarted, lossesGoOn: true
                ).map { "\($0), told to \(subscriber.description)" }
            }
    }

    /// What the subscribers were told.
    var histories: [History] { subscribers.map(\.history) }

    private mutating func makePublishers() throws {
        let links: [any PublisherLink] = [
            try HTTPPublisherLink(daemon.tcp), try HTTPPublisherLink(daemon.unix),
            try SocketPublisherLink(daemon.tcp),
        ]
        publishers = links.enumerated().map { index, link in
            RandomPublisher(
                link, name: "\(publications.count).\(index).",
                payloadBytesMax: setting.payloadBytesMax,
                random: SeededRandom(seed: random.next()))
        }
    }

    private mutating func endPublishers() throws {
        for index in publishers.indices {
            try publishers[index].finish()
            publications += publishers[index].publications
        }
        publishers = []
    }

    /// All subscribers follow, without further ado, until they were told their last event.
    private mutating func follow(to last: LastEvents) throws {
        let deadline = monotonicSeconds() + Self.secondsMax
        var open = Array(subscribers.indices)
        while true {
            open = try open.filter { try !last.areTold(to: subscribers[$0].history) }
            if open.isEmpty { return }
            let late = open.map { subscribers[$0].description }
            try #require(monotonicSeconds() < deadline, "no end: \(late)")
            if !open.contains(where: { subscribers[$0].isReady }) {
                var entries = open.compactMap { subscribers[$0].descriptor }.map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                poll(&entries, nfds_t(entries.count), 100)
            }
            for index in open { try subscribers[index].step(within: 0, isCalm: true) }
        }
    }

    /// Stops the daemon while everybody is connected; all streams have to end as they should.
    private mutating func restartDaemon() throws {
        try endPublishers()
        // Connections are accepted in their order, and one that was not accepted is not answered.
        for address in [daemon.tcp, daemon.unix] {
            try #require(try RawClient(address).exchange("GET", "/healthz").status == 200)
        }
        daemon.send(SIGTERM)
        for index in subscribers.indices { try subscribers[index].readToEnd() }
        try #require(try daemon.wait() == .exited(0))
        daemon = try daemon.restarted()
        isRestarted = true
        keeper = try RandomKeeper(
            daemon.unix, payloadBytesMax: setting.payloadBytesMax,
            deletes: setting.surroundings.deletes,
            random: SeededRandom(seed: random.next()))
        try makePublishers()
        for index in subscribers.indices {
            subscribers[index].addresses = [daemon.tcp, daemon.unix]
        }
    }
}
