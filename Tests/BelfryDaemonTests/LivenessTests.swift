import HTTPFront
import Telemetry
import TestSupport
import Testing

@testable import BelfryDaemon

/// What counts as hanging, looked at by hand.
@Suite(.blocking) struct LivenessTests {
    private let folder = TemporaryFolder()

    private func daemon(loops: Int = 1) throws -> Daemon {
        var configuration = Configuration()
        configuration.http.loops = loops
        return Daemon(
            configuration: configuration,
            locations: ResolvedLocations(
                listen: [try ListenAddress("127.0.0.1:0")], stateDirectory: "\(folder.path)/state"),
            administrator: 0, log: Log(level: .error) { _, _ in })
    }

    /// Looks until what hangs is as expected, and returns what was seen.
    ///
    /// Looks follow each other faster than a supervisor's, so that what moves may owe an echo.
    private func vitals(of daemon: Daemon, hanging expected: [String]) throws -> Vitals {
        let pause = Gate()
        for _ in 0..<1_000 {
            let vitals = daemon.vitals()
            if vitals.hanging == expected { return vitals }
            try? pause.wait(within: .milliseconds(10))
        }
        Issue.record("not within 10 s: \(expected) hang")
        return Vitals(summary: "", hanging: [])
    }

    @Test func whatMovesIsAliveAndAHungLoopIsNamedUntilItMoves() throws {
        let daemon = try daemon(loops: 2)
        _ = try daemon.start()
        defer { daemon.drain() }
        _ = try vitals(of: daemon, hanging: [])
        let (stuck, held) = (Gate(), Gate())
        daemon.occupyLoop(1) {
            stuck.open()
            try? held.wait(within: .seconds(60))
        }
        try stuck.wait()
        #expect(try vitals(of: daemon, hanging: ["loop 1"]).status.hasSuffix("; hangs: loop 1"))
        #expect(try vitals(of: daemon, hanging: ["loop 1"]).status.hasSuffix("; hangs: loop 1"))
        held.open()
        #expect(
            try vitals(of: daemon, hanging: []).status == "0 topics, 0 events, 0 subscribers")
    }

    @Test func aStoreThatHangsIsNamedAndSystemdHearsNoSignOfLifeUntilItMoves() throws {
        let daemon = try daemon()
        _ = try daemon.start()
        defer { daemon.drain() }
        let (stuck, held) = (Gate(), Gate())
        try daemon.occupyStore {
            stuck.open()
            try? held.wait(within: .seconds(60))
        }
        try stuck.wait()
        let hung = try vitals(of: daemon, hanging: ["the store"])
        #expect(
            SystemdNotifier.message(hung, at: "an address")
                == "STATUS=Serving at an address: 1 topics, 1 events, 0 subscribers; "
                + "hangs: the store")
        held.open()
        let moving = try vitals(of: daemon, hanging: [])
        #expect(
            SystemdNotifier.message(moving, at: "an address")
                == "WATCHDOG=1\nSTATUS=Serving at an address: 1 topics, 1 events, 0 subscribers")
    }

    @Test func nothingHangsBeforeTheStartAndAfterTheEnd() throws {
        let daemon = try daemon()
        #expect(daemon.vitals().hanging == [])
        _ = try daemon.start()
        _ = daemon.vitals()
        daemon.drain()
        #expect(daemon.vitals().hanging == [])
    }
}
