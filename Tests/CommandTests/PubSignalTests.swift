import Glibc
import TestSupport
import Testing

@testable import belfry

/// `belfry pub --lines` behind SIGINT and SIGTERM, at a pipe that stays open.
@Suite(.blocking) struct PubSignalTests {
    /// A run whose standard input is a pipe of which the test holds both ends.
    private final class PipedRun {
        let child: ChildProcess
        private let ends: [Int32]

        init(_ rig: CommandRig, _ options: String...) throws {
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0, "no pipe could be made: errno \(errno)")
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.ends = ends
            child = try ChildProcess(
                "/bin/sh",
                ["-c", "exec \"$0\" \"$@\" <&3 3<&-", ChildProcess.product("belfry")]
                    + ["pub", "log", "--lines"] + options,
                environment: [
                    "PATH": "/usr/bin:/bin", "BELFRY_URL": rig.daemon.socketPath,
                    "SWIFT_BACKTRACE": "enable=no",
                ], handing: [ends[0]])
        }

        deinit { for end in ends { close(end) } }

        func write(_ text: String) {
            let bytes = Array(text.utf8)
            precondition(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
        }

        /// Waits until the program has read everything.
        func isRead() -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end { if left == 0 { return true } }
            return false
        }

        /// The bytes that the program has not read.
        private var left: Int32 {
            var count: Int32 = 0
            precondition(ioctl(ends[0], UInt(FIONREAD), &count) == 0, "errno \(errno)")
            return count
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func whatWasReadIsPublishedBehindASignal(signal: Int32) throws {
        let rig = try CommandRig()
        let lines = (0..<200).map { "line \($0)" }
        // Without the signal the last line would leave in three minutes.
        let run = try PipedRun(rig, "--rate", "1", "--id")
        run.write(lines.map { $0 + "\n" }.joined())
        #expect(try rig.run("wait", "log", "--since", "earliest", "--data").output == "line 0\n")
        #expect(run.isRead())
        run.child.send(signal)
        #expect(try run.child.wait() == .signalled(signal))
        #expect(try rig.events(of: "log") == lines)
        let last = try rig.run("sub", "log", "--since", "-1", "--until-now", "--format", "{id}")
        #expect(run.child.text(of: .output) == last.output)
    }

    @Test func aLineThatWasReadInPartIsPublishedToo() throws {
        let rig = try CommandRig()
        let run = try PipedRun(rig)
        run.write("one\ntw")
        #expect(try rig.run("wait", "log", "--since", "earliest", "--data").output == "one\n")
        #expect(run.isRead())
        run.child.send(SIGTERM)
        #expect(try run.child.wait() == .signalled(SIGTERM))
        #expect(try rig.events(of: "log") == ["one", "tw"])
    }

    @Test func linesThatABusDoesNotTakeBehindASignalAreCounted() throws {
        let rig = try CommandRig()
        let run = try PipedRun(rig, "--url", "/nonexistent", "--patience", "2s")
        run.write("one\ntwo\nthree\n")
        #expect(run.isRead())
        run.child.send(SIGINT)
        #expect(try run.child.wait() == .exited(4))
        let errors = run.child.text(of: .errors)
        #expect(errors.hasPrefix("belfry: the bus was not reached"))
        #expect(errors.hasSuffix("; 3 lines that were read were not published\n"))
    }

    @Test func aSecondSignalEndsItAtOnce() throws {
        let rig = try CommandRig()
        let run = try PipedRun(rig, "--url", "/nonexistent", "--patience", "10m")
        run.write("one\n")
        #expect(run.isRead())
        run.child.send(SIGINT)
        run.child.send(SIGTERM)
        let ending = try run.child.wait()
        #expect([.signalled(SIGINT), .signalled(SIGTERM)].contains(ending))
        #expect(!run.child.text(of: .errors).contains("not published"))
    }

    @Test func aRequestIsCancelledWhenTheTimeBehindASignalIsOver() async throws {
        let stop = try LineStop(patience: .milliseconds(1))
        stop.stop(by: SIGINT)
        #expect(!stop.waitForInput())
        let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self)
        stop.bounds { cancelled.yield() }
        for await _ in cancellations { break }
        #expect(stop.signal == SIGINT)
    }
}
