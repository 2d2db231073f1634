import Glibc
import Protection
import TestSupport
import Testing

/// The daemon is killed at random moments while others publish and subscribe, and started again on
/// the same store. The short form kills it twice, since `Simulation` kills a bus between any two steps and
/// here a process and its file system do the same; `BELFRY_LONG` makes it three hundred, `BELFRY_SEED`
/// repeats the moments.
@Suite(.blocking) struct LongCrashTests {
    private static let kills = getenv("BELFRY_LONG") == nil ? 2 : 300
    private static let publishers = 4
    /// How many events at least are answered in every second life; the others may end before any is.
    private static let answersMin = 20
    private static let selectors = ["crash.t0", "crash.*"]

    @Test(arguments: ["normal", "full"])
    func whatWasAnsweredOrSeenIsThereAfterEveryKill(sync: String) throws {
        var random = SeededRandom(for: "kills, \(sync)")
        let witness = CrashWitness(readers: Self.selectors.count)
        var daemon = try RunningDaemon(
            configuration: """
                [store]
                store = sqlite
                sync = \(sync)
                [bus]
                memory_bytes = 4M
                [retention]
                keep = none
                bytes = none
                """)
        for life in 0..<Self.kills {
            try live(life, daemon, witness, within: Int.random(in: 5...300, using: &random))
            daemon = try daemon.restarted()
            try witness.compare(with: daemon, everything: life % 50 == 49)
        }
        try witness.compare(with: daemon, everything: true)
        for (reader, selector) in Self.selectors.enumerated() {
            try witness.finish(reader, selector, daemon)
        }
        #expect(witness.answered >= Self.answersMin * Self.kills / 2)
        #expect(try daemon.terminate() == .exited(0))
    }

    /// Publishes and subscribes until the daemon is killed.
    private func live(
        _ life: Int, _ daemon: RunningDaemon, _ witness: CrashWitness, within milliseconds: Int
    ) throws {
        let address = daemon.unix
        let pid = daemon.pid
        let answers = witness.answered + (life % 2 == 0 ? Self.answersMin : 0)
        try inParallel(Self.publishers + Self.selectors.count + 1) { part in
            switch part {
            case 0..<Self.publishers:
                try witness.publish(from: part, life, at: address)
            case Self.publishers:
                defer { kill(pid, SIGKILL) }
                try eventually("\(answers) events are answered", within: 60) {
                    witness.answered >= answers
                }
                // Nobody opens it: the moment is to be any.
                try? Gate().wait(within: .milliseconds(milliseconds))
            default:
                let reader = part - Self.publishers - 1
                try witness.follow(reader, Self.selectors[reader], at: address)
            }
        }
        _ = try daemon.wait()
    }
}
