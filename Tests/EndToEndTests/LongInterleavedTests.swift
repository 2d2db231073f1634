import Glibc
import Protection
import TestSupport
import Testing

/// Thousands of short runs with decisions of their own: what every subscriber received and was told
/// to be missing has to be what was published, in order, once.
///
/// `BELFRY_LONG` makes it thousands. `BELFRY_SEED` repeats the decisions of all runs, and with
/// `BELFRY_RUN` those of one, whose number a failure says.
@Suite(.serialized, .blocking) struct LongInterleavedTests {
    private static let settings = [
        InterleavedRun.Setting(
            name: "grace", configuration: "[retention]\nkeep = 20\ngrace = 0\n"),
        InterleavedRun.Setting(
            name: "loops", configuration: "[retention]\nkeep = 40\ngrace = 5ms\n[http]\nloops = 3\n"
        ),
        InterleavedRun.Setting(
            name: "deletes", configuration: "[retention]\ngrace = 1ms\n",
            surroundings: .init(deletes: true)),
        InterleavedRun.Setting(
            name: "slow", configuration: "[retention]\nkeep = 20\ngrace = 0\n",
            payloadBytesMax: 20_000, steps: 250, runsPerRestart: 100),
        InterleavedRun.Setting(
            name: "memory", configuration: "[bus]\nmemory_bytes = 1M\nevent_bytes = 64K\n",
            surroundings: .init(cuts: true), payloadBytesMax: 4_000),
    ]

    private static let runs = RandomRun.isLong ? 2_000 : Sanitizer.isOn ? 8 : 20
    private static let threads = 2

    @Test func receivedPlusToldIsPublished() throws {
        let master = SeededRandom(for: "interleaved runs")
        let only = getenv("BELFRY_RUN").flatMap { Int(String(cString: $0)) }
        let gaps = Protected(0)
        let failures = Protected<[String]>([])
        try inParallel(Self.threads, within: .seconds(RandomRun.secondsMax)) { thread in
            for setting in Self.settings {
                var daemon: RunningDaemon?
                for index in stride(from: thread, to: Self.runs / Self.settings.count, by: 2) {
                    guard only == nil || only == index else { continue }
                    var random = master
                    let skipped = random.next() ^ UInt64(index)
                    var run = try InterleavedRun(
                        setting, on: daemon ?? RunningDaemon(configuration: setting.configuration),
                        random: SeededRandom(seed: skipped))
                    let name = "run \(index) of '\(setting.name)'"
                    let problems = try Result { try run.run() }.mapError {
                        Failure(run: name, error: $0)
                    }.get()
                    daemon = run.daemon
                    gaps.write { $0 += run.histories.count { !$0.gaps.isEmpty } }
                    guard !problems.isEmpty else { continue }
                    failures.write { $0.append("\(name): \(problems.prefix(5))") }
                }
                try #require(try daemon?.terminate() ?? .exited(0) == .exited(0))
            }
        }
        #expect(failures.value.isEmpty, "\(failures.value.count) runs: \(failures.value.prefix(5))")
        #expect(gaps.value > 0 || only != nil)
    }

    private struct Failure: Error {
        let run: String
        let error: any Error
    }
}
