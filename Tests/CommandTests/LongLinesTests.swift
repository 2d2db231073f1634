import Glibc
import TestSupport
import Testing

/// A pipe of lines through `belfry pub` and `belfry sub`, while the daemon is killed and restarted. The
/// short form has 20,000 lines; `BELFRY_LONG` makes it 100,000.
@Suite(.blocking) struct LongLinesTests {
    private static let count = getenv("BELFRY_LONG") == nil ? 20_000 : 100_000
    /// What happens behind each part of the lines but the last: a kill, or a stop.
    private static let kills = [true, false, false, false]

    @Test func linesOutliveKillsAndRestarts() throws {
        let rig = try CommandRig(configuration: "[retention]\nkeep = none\nbytes = none\n")
        let child = try rig.start("pub", "log", "--lines", "--patience", "10m")
        let lines = (0..<Self.count).map { "line \($0)" }
        let size = Self.count / (Self.kills.count + 1)
        for part in 0...Self.kills.count {
            let text = lines[part * size..<(part + 1) * size].map { $0 + "\n" }.joined()
            try child.write(Array(text.utf8))
            guard part < Self.kills.count else { break }
            if Self.kills[part] { try rig.daemon.kill() }
            try rig.restart()
        }
        let outcome = try CommandRig.outcome(of: child)
        #expect(outcome.code == 0, "\(outcome.errors)")
        // Each batch has a key, so what was sent again is there once.
        #expect(try rig.events(of: "log") == lines)
    }
}
