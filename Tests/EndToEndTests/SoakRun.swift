import Protection
import TestSupport
import Testing

/// One daemon under everything at once, round after round: publishers and subscribers of all forms,
/// whose deliveries are checked, clients that disappear in the middle of everything, and clients
/// that only look. Between rounds, when all of them have left, what the daemon still holds is
/// measured.
struct SoakRun: Sendable {
    /// Where its events live.
    let store: String
    /// How long it goes on; it ends with the round that is under way.
    let seconds: Double
    /// How often each of the publishers of a round publishes.
    let publishes: Int
    /// The least number of rounds.
    static let roundsMin = 3

    /// Runs it to its end.
    func run(_ seeds: SeededRandom) throws -> SoakReport {
        let daemon = try RunningDaemon(
            configuration: "[store]\nstore = \(store)\n[http]\nloops = 2\n")
        let observer = try daemon.connect()
        for topic in ["crowd", "large", "other.a"] { try observer.register(topic) }
        try observer.publish(String(repeating: "x", count: 400_000), to: "large")
        var report = SoakReport(store: store)
        let begin = monotonicSeconds()
        report.samples.append(SoakSample(daemon, at: 0))
        var seeds = seeds
        while report.rounds < Self.roundsMin || monotonicSeconds() - begin < seconds {
            let round = SoakRound(
                addresses: [daemon.tcp, daemon.unix], start: try RunStart(daemon),
                publishes: publishes, deletes: report.rounds % 2 == 1,
                seeds: SeededRandom(seed: seeds.next()))
            report.add(try round.run())
            try settle(
                daemon, observer,
                descriptorsMax: report.samples[0].descriptors + Self.grownDescriptorsMax)
            report.samples.append(SoakSample(daemon, at: monotonicSeconds() - begin))
        }
        try #require(try daemon.terminate() == .exited(0))
        return report
    }

    /// How many descriptors more than before its first use a daemon has open between rounds, however
    /// many there were: a socket of each loop to the kernel's table, and readers of the store.
    private static let grownDescriptorsMax = 6

    /// Waits until the daemon knows that everybody has left, and has no more descriptors open than
    /// that. Who half-closes and then leaves sends no word of it over TCP, and is missed when it is
    /// answered.
    private func settle(
        _ daemon: RunningDaemon, _ observer: RawClient, descriptorsMax: Int
    ) throws {
        try observer.publish("x", to: "crowd")
        try eventually("nobody is counted any more", within: 60) {
            try observer.get("/topics").text.matches(of: #/"subscribers":(\d+)/#)
                .allSatisfy { $0.1 == "0" }
        }
        try eventually("at most \(descriptorsMax) descriptors are open", within: 60) {
            daemon.openDescriptors <= descriptorsMax
        }
    }
}

/// What a daemon holds while nobody uses it.
struct SoakSample: Sendable {
    let seconds: Double
    let residentBytes: Int
    let descriptors: Int

    init(_ daemon: RunningDaemon, at seconds: Double) {
        self.seconds = seconds
        residentBytes = daemon.residentBytes
        descriptors = daemon.openDescriptors
    }
}

/// Everything at once, once.
private struct SoakRound: Sendable {
    let addresses: [RawClient.Address]
    let start: RunStart
    let publishes: Int
    let deletes: Bool
    let seeds: SeededRandom

    /// What it came to, once every delivery is checked.
    struct Outcome: Sendable {
        var published = 0
        var delivered = 0
        var gaps = 0
        var vanished = 0
        var looks = 0
        var problems: [String] = []
    }

    func run() throws -> Outcome {
        let outcome = Protected(Outcome())
        let isOver = Protected(false)
        var seeds = seeds
        let randoms = (0..<3).map { _ in SeededRandom(seed: seeds.next()) }
        try inParallel(3, within: .seconds(RandomRun.secondsMax)) { [self] index in
            switch index {
            case 0:
                defer { isOver.value = true }
                try deliver(randoms[0], outcome)
            case 1: try vanish(randoms[1], until: { isOver.value }, outcome)
            default:
                var onlooker = Onlooker(addresses, random: randoms[2])
                while !isOver.value { try onlooker.look() }
                outcome.write { [looks = onlooker.looks] in $0.looks = looks }
            }
        }
        return outcome.value
    }

    private func deliver(_ random: SeededRandom, _ outcome: Protected<Outcome>) throws {
        var run = RandomRun(publishes: publishes)
        run.surroundings.deletes = deletes
        let done = try run.run(random, at: addresses, from: start)
        let checker = DeliveryChecker(done.publications)
        let problems =
            checker.problems
            + done.histories.flatMap { history in
                checker.problems(of: history, gapsAreExact: !deletes, lossesGoOn: true).map {
                    "\(history.selector) of type \(history.type ?? "any"): \($0)"
                }
            }
        outcome.write { outcome in
            outcome.problems = problems
            outcome.published = done.publications.reduce(0) { $0 + $1.payloads.count }
            outcome.delivered = done.histories.reduce(0) { $0 + $1.deliveries.count }
            outcome.gaps = done.histories.reduce(0) { $0 + $1.gaps.count }
        }
    }

    /// Nobody of the crowd publishes: subscribers of everything would not expect it.
    private func vanish(
        _ random: SeededRandom, until isOver: () -> Bool, _ outcome: Protected<Outcome>
    ) throws {
        var random = random
        let phases = VanishingCrowd.Phase.allCases.filter { $0 != .published }
        let count = 200
        repeat {
            try VanishingCrowd(addresses: addresses, seed: random.next(), phases: phases)
                .pass(count)
            outcome.write { $0.vanished += count }
        } while !isOver()
    }
}

/// What a whole run came to.
struct SoakReport: Sendable {
    let store: String
    var samples: [SoakSample] = []
    private(set) var rounds = 0
    private(set) var problems: [String] = []
    private var sum = SoakRound.Outcome()

    init(store: String) { self.store = store }

    fileprivate mutating func add(_ outcome: SoakRound.Outcome) {
        rounds += 1
        problems += outcome.problems.map { "round \(rounds): \($0)" }
        sum.published += outcome.published
        sum.delivered += outcome.delivered
        sum.gaps += outcome.gaps
        sum.vanished += outcome.vanished
        sum.looks += outcome.looks
    }

    /// The samples behind the first fifth, in which caches fill.
    private var warmSamples: ArraySlice<SoakSample> {
        samples[max(1, samples.count / 5)...]
    }

    /// By how much memory has grown since the warm-up.
    var grownBytes: Int { warmSamples.last!.residentBytes - warmSamples.first!.residentBytes }

    /// By how much memory grows in a minute: the line nearest to the samples.
    var grownBytesPerMinute: Double {
        let points = warmSamples.map { (x: $0.seconds / 60, y: Double($0.residentBytes)) }
        let count = Double(points.count)
        let (meanX, meanY) = (
            points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count
        )
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
        return spread > 0 ? slope / spread : 0
    }

    /// A row of the table that `make soak` prints: store, minutes, rounds, events published,
    /// delivered, gaps, clients that vanished, looks, resident KiB once warm and at the end, KiB that
    /// it grew by in a minute, descriptors once warm and at the end.
    var row: String {
        let minutes = Double(Int(samples.last!.seconds / 6)) / 10
        let (warm, end) = (warmSamples.first!, warmSamples.last!)
        let columns: [Any] = [
            store, minutes, rounds, sum.published, sum.delivered, sum.gaps, sum.vanished, sum.looks,
            warm.residentBytes >> 10, end.residentBytes >> 10, Int(grownBytesPerMinute) >> 10,
            warm.descriptors, end.descriptors,
        ]
        return "| " + columns.map { "\($0)" }.joined(separator: " | ") + " |"
    }
}
