import Glibc
import TestSupport
import Testing

@testable import BelfryDaemon

/// The built program, run as a child.
@Suite(.blocking) struct ProgramTests {
    private let folder = TemporaryFolder()

    private func belfryd(
        _ arguments: [String], variables: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.product("belfryd"), arguments, environment: environment(variables))
    }

    /// The program as systemd starts it, with a socket of ours.
    private func activated(with descriptor: Int32) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            [
                "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"",
                ChildProcess.product("belfryd"), "--config", "/dev/null",
            ],
            environment: environment([:]), handing: [descriptor])
    }

    private func environment(_ variables: [String: String]) -> [String: String] {
        ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
    }

    private func ready(_ child: ChildProcess) throws -> String {
        try child.line { $0.hasPrefix("ready ") }
    }

    private func port(_ readyLine: String) throws -> UInt16 {
        let word = readyLine.split(separator: " ").first { $0.hasPrefix("tcp=127.0.0.1:") }
        return try #require(word.flatMap { UInt16($0.split(separator: ":").last!) })
    }

    @Test func versionHelpAndConfigurationGoToStandardOutput() throws {
        for (arguments, begin) in [
            (["--version"], "belfryd \(Version.number)\n"), (["--help"], "belfryd, an event bus"),
            (["--config", "/dev/null", "--print-config"], "[listen]\n"),
            (["--config", "/dev/null", "--check-config"], "OK\n"),
        ] {
            let child = try belfryd(arguments)
            #expect(try child.wait() == .exited(0))
            #expect(child.text(of: .output).hasPrefix(begin))
            #expect(child.text(of: .errors) == "")
        }
    }

    @Test func aWrongCommandLineOrConfigurationEndsWithStatusTwoAndSaysWhere() throws {
        let path = folder.write("[poll]\nwait_max = soon\n", to: "belfryd.conf")
        for (arguments, message) in [
            (["--listn"], "--listn: this is no option"),
            (["--config", path], "\(path):2: poll.wait_max: `soon` is not a duration"),
            (["--config", path, "--check-config"], "\(path):2: "),
            (["--config", "/nonexistent"], "/nonexistent: it cannot be read"),
            (["--listen", "127.0.0.1"], "--listen: "),
            (["--store", "sqlite:x"], "`x` is not an absolute path"),
        ] {
            let child = try belfryd(arguments)
            #expect(try child.wait() == .exited(2), "\(arguments)")
            #expect(child.text(of: .errors).contains(message), "\(child.text(of: .errors))")
            #expect(child.text(of: .output) == "")
        }
    }

    @Test func aSecondDaemonEndsWithStatusOneAndSaysWhatIsTaken() throws {
        let first = try belfryd(["--config", "/dev/null", "--listen", "127.0.0.1:0"])
        let address = "127.0.0.1:\(try port(try ready(first)))"
        let sameState = try belfryd(["--config", "/dev/null", "--listen", "127.0.0.1:0"])
        #expect(try sameState.wait() == .exited(1))
        #expect(
            sameState.text(of: .errors).contains("\(folder.path)/.local/state/belfry is in use"))
        let samePort = try belfryd(
            ["--config", "/dev/null", "--listen", address],
            variables: ["BELFRY_STORE_STATE_DIRECTORY": "\(folder.path)/other"])
        #expect(try samePort.wait() == .exited(1))
        #expect(samePort.text(of: .errors).contains("listening on \(address)"))
        first.send(SIGTERM)
        #expect(try first.wait() == .exited(0))
    }

    @Test func byHandItServesOnLoopbackAndAUnixSocket() throws {
        let child = try belfryd(
            ["--config", "/dev/null"],
            variables: [
                "BELFRY_LISTEN_TCP": "127.0.0.1:0, [::1]:0",
                "BELFRY_LISTEN_UNIX": "\(folder.path)/b.sock",
            ])
        let line = try ready(child)
        #expect(
            line.hasSuffix(
                " unix=\(folder.path)/b.sock store=sqlite:\(folder.path)/.local/state/belfry/belfry.db"
            ),
            "\(line)")
        let url = "http://localhost:\(try port(line))/topics/a"
        let publish = try ChildProcess(ChildProcess.curl, ["-sS", "-d", "v1.2 is live", url])
        #expect(try publish.wait() == .exited(0))
        let read = try ChildProcess(
            ChildProcess.curl,
            ["-sS", "--unix-socket", "\(folder.path)/b.sock", "http://bus/topics/a?since=earliest"])
        #expect(try read.wait() == .exited(0))
        #expect(read.text(of: .output) == "v1.2 is live")
        child.send(SIGINT)
        #expect(try child.wait() == .exited(0))
    }

    @Test func aBrokenFileAtAReloadLeavesTheOldConfigurationAndIsTold() throws {
        let path = folder.write("[poll]\nwait_max = 10s\nwait_default = 0\n", to: "belfryd.conf")
        let child = try belfryd(["--config", path, "--listen", "127.0.0.1:0"])
        let port = try port(try ready(child))
        let client = try RawClient(.tcp(port))
        #expect(try client.exchange("GET", "/topics/a?wait=11").status == 400)

        folder.write("[poll]\nwait_mx = 20s\n", to: "belfryd.conf")
        child.send(SIGHUP)
        _ = try child.line { $0.hasPrefix("\(path):2: `wait_mx`") }
        #expect(try client.exchange("GET", "/topics/a?wait=11").status == 400)
        #expect(try client.exchange("GET", "/topics/a").status == 204)

        folder.write(
            "[poll]\nwait_max = 20s\nwait_default = 0\n[http]\nloops = 2\n", to: "belfryd.conf")
        child.send(SIGHUP)
        _ = try child.line { $0 == "http.loops changes with a restart only" }
        try client.send("GET", "/topics/a?wait=11")
        let poll = try RawClient(.tcp(port)).exchange("POST", "/topics/a", body: [0x78])
        #expect(poll.status == 201)
        #expect(try client.readAnswer().text == "x")
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func aSecondStopEndsItAtOnce() throws {
        let child = try belfryd(
            ["--config", "/dev/null", "--listen", "127.0.0.1:0"],
            variables: ["BELFRY_DAEMON_DRAIN_SECONDS": "1h"])
        let client = try RawClient(.tcp(try port(try ready(child))))
        // A body that never ends holds the drain.
        try client.send(
            "POST /topics/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n")
        #expect(try client.readInterim().status == 100)
        child.send(SIGTERM)
        _ = try child.line { $0.hasPrefix("stopping") }
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(3))
    }

    @Test func aStopThatIsSentTwiceAtOnceIsOneStop() throws {
        let child = try belfryd(["--config", "/dev/null", "--listen", "127.0.0.1:0"])
        _ = try ready(child)
        child.send(SIGTERM)
        child.send(SIGINT)
        _ = try child.line { $0 == "stopped" }
        #expect(try child.wait() == .exited(0))
    }

    @Test func systemdIsToldOfEveryStep() throws {
        let path = "\(folder.path)/notify"
        let manager = try NotificationSocket(path)
        let child = try belfryd(
            ["--config", "/dev/null", "--listen", "127.0.0.1:0"],
            variables: ["NOTIFY_SOCKET": path])
        let ready = try manager.receive()
        #expect(ready.hasPrefix("READY=1\nSTATUS=Serving at tcp=127.0.0.1:"))
        child.send(SIGHUP)
        let reloading = try manager.receive().split(separator: "\n")
        #expect(reloading.count == 2 && reloading[0] == "RELOADING=1")
        #expect(reloading[1].wholeMatch(of: /MONOTONIC_USEC=[0-9]+/) != nil)
        #expect(try manager.receive() == ready)
        child.send(SIGTERM)
        #expect(try manager.receive().hasPrefix("STOPPING=1\n"))
        #expect(try child.wait() == .exited(0))
    }

    @Test func systemdIsToldThatItLivesAsOftenAsItWantsToKnow() throws {
        let path = "\(folder.path)/notify"
        let manager = try NotificationSocket(path)
        let child = try belfryd(
            ["--config", "/dev/null", "--listen", "127.0.0.1:0"],
            variables: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"])
        let ready = try manager.receiveAny()
        #expect(ready.hasPrefix("READY=1\n"))
        let status = ready.dropFirst("READY=1\n".count)
        for _ in 0..<4 {
            let sign = try manager.receiveAny()
            // A machine that is busy enough makes a loop owe its echo for once.
            if sign.hasPrefix("STATUS=") { continue }
            #expect(sign == "WATCHDOG=1\n\(status): 0 topics, 0 events, 0 subscribers")
        }
        child.send(SIGTERM)
        #expect(try manager.receive().contains("STOPPING=1\n"))
        #expect(try child.wait() == .exited(0))
    }

    @Test func socketsOfSystemdReplaceTheConfiguredOnesAndOutliveIt() throws {
        let listener = try LoopbackSocket()
        for body in ["first", "second"] {
            let child = try activated(with: listener.descriptor)
            let line = try ready(child)
            #expect(line.hasPrefix("ready tcp=127.0.0.1:\(listener.port) store=sqlite:"))
            let answer = try RawClient(.tcp(listener.port)).exchange(
                "POST", "/topics/a", body: Array(body.utf8))
            #expect(answer.status == 201)
            child.send(SIGTERM)
            #expect(try child.wait() == .exited(0))
        }
        let queued = try RawClient(.tcp(listener.port))
        try queued.send("GET", "/healthz")
        let successor = try activated(with: listener.descriptor)
        #expect(try queued.readAnswer(within: 60).status == 200)
        successor.send(SIGTERM)
        #expect(try successor.wait() == .exited(0))
    }

    @Test func aDescriptorThatIsNoListenerIsRefused() throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let child = try activated(with: null)
        #expect(try child.wait() == .exited(1))
        #expect(child.text(of: .errors).contains("descriptor 3 was handed over"))
    }

    @Test func aClosedStandardErrorIsNotTakenForASocket() throws {
        let path = "\(folder.path)/notify"
        let manager = try NotificationSocket(path)
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" <&- 2>&-", ChildProcess.product("belfryd"),
                "--config", "/dev/null", "--listen", "127.0.0.1:0",
            ], environment: environment(["NOTIFY_SOCKET": path]))
        #expect(try manager.receive().hasPrefix("READY=1"))
        for descriptor in [0, 2] {
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/\(child.pid)/fd/\(descriptor)", &target, target.count)
            #expect(count == 9 && strncmp(target, "/dev/null", 9) == 0)
        }
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func moreConnectionsThanFilesAreWarnedOf() throws {
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "ulimit -n 1000; exec \"$0\" \"$@\"", ChildProcess.product("belfryd"),
                "--config", "/dev/null", "--listen", "127.0.0.1:0",
            ], environment: environment([:]))
        #expect(try child.line().contains("only 1000 files may be open"))
        _ = try ready(child)
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func linesInTheJournalCarryTheirPriority() throws {
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2) exec \"$0\" \"$@\"",
                ChildProcess.product("belfryd"), "--config", "/dev/null", "--listen",
                "127.0.0.1:0",
            ], environment: environment([:]))
        let line = try child.line()
        #expect(line.hasPrefix("<5>ready "), "\(line)")
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }
}
