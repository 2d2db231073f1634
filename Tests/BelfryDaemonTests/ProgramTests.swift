import About
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
    private func activated(
        with descriptor: Int32, configuration: String = "/dev/null"
    ) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            [
                "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"",
                ChildProcess.product("belfryd"), "--config", configuration,
            ],
            environment: environment([:]), handing: [descriptor])
    }

    private func environment(_ variables: [String: String]) -> [String: String] {
        ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
    }

    private func ready(_ child: ChildProcess) throws -> String {
        try line(of: child) { $0.hasPrefix("ready ") }
    }

    /// The next such line of its log, without its time.
    private func line(
        of child: ChildProcess, where condition: (String) -> Bool = { _ in true }
    ) throws -> String {
        try child.line { condition($0.withoutTime) }.withoutTime
    }

    private func port(_ readyLine: String) throws -> UInt16 {
        let word = readyLine.split(separator: " ").first { $0.hasPrefix("tcp=127.0.0.1:") }
        return try #require(word.flatMap { UInt16($0.split(separator: ":").last!) })
    }

    @Test func versionHelpAndConfigurationGoToStandardOutput() throws {
        for (arguments, begin) in [
            (["--version"], "belfryd \(Version.number)\n"), (["--help"], "belfryd, an event bus"),
            (["-h"], "belfryd, an event bus"),
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
        #expect(
            sameState.text(of: .errors).contains(
                "BELFRY_STORE_STATE_DIRECTORY=FOLDER belfryd --listen 127.0.0.1:PORT"))
        let samePort = try belfryd(
            ["--config", "/dev/null", "--listen", address],
            variables: ["BELFRY_STORE_STATE_DIRECTORY": "\(folder.path)/other"])
        #expect(try samePort.wait() == .exited(1))
        #expect(
            samePort.text(of: .errors).contains(
                "listening on \(address): another program listens there (errno 98): end it, or give "
                    + "another address by --listen"))
        first.send(SIGTERM)
        #expect(try first.wait() == .exited(0))
    }

    /// The program in a terminal, which goes away with this process, and in the folder of the test, where
    /// `nohup` leaves a file. Its first line is its process id.
    private func inTerminal(_ command: String) throws -> ChildProcess {
        let words =
            "cd '\(folder.path)'; echo $$ >&3; exec \(command) --config /dev/null --listen 127.0.0.1:0 2>&3"
        return try ChildProcess(
            "/bin/sh", ["-c", "exec script -qec \"$0\" /dev/null 3>&2", words],
            environment: environment([
                "BELFRY": ChildProcess.product("belfryd"), "SHELL": "/bin/sh",
            ]))
    }

    @Test func itEndsWithItsTerminalUnlessItIsToOutliveThat() throws {
        for (command, line) in [
            ("$BELFRY", "stopped"), ("nohup $BELFRY", "configuration reloaded"),
        ] {
            let terminal = try inTerminal(command)
            let pid = try #require(pid_t(try terminal.line()))
            _ = try ready(terminal)
            terminal.send(SIGKILL)
            #expect(try self.line(of: terminal) { $0.hasPrefix(line) }.hasPrefix(line))
            // It writes into the pipe as long as it runs.
            if line != "stopped" { kill(pid, SIGTERM) }
            #expect(throws: ChildProcess.Failure.self) { try terminal.line { _ in false } }
        }
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
        let page = try self.line(of: child)
        #expect(page == "the page for browsers is at http://127.0.0.1:\(try port(line))/")
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

    @Test func theExampleOfTheHelpDoesWhatItShows() throws {
        let socket = "\(folder.path)/belfry.sock"
        let example = Help.text.split(separator: "\n").drop { $0 != "Example:" }.dropFirst()
            .prefix { $0.hasPrefix("  ") }.map {
                $0.dropFirst(2).replacing("/tmp/belfry.sock", with: socket)
            }
        let command = try #require(example.first).replacing("127.0.0.1:7000", with: "127.0.0.1:0")
        let words = command.split(separator: " ").map(String.init)
        #expect(words.first == "belfryd")
        let child = try belfryd(["--config", "/dev/null"] + words.dropFirst())
        let port = try port(try ready(child))
        let script = example.dropFirst().joined(separator: "\n")
            .replacing("localhost:7000", with: "localhost:\(port)")
        let shell = try ChildProcess("/bin/sh", ["-ec", script], environment: environment([:]))
        #expect(try shell.wait() == .exited(0), "\(shell.text(of: .errors))")
        let lines = shell.text(of: .output).split(separator: "\n")
        #expect(lines.last?.hasSuffix("v1.2 is live") == true, "\(lines)")
        #expect(lines.first?.hasPrefix("{\"id\":") == true, "\(lines)")
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func aBackupOfANamedStoreNeedsNoHome() throws {
        let store = "sqlite:\(folder.path)/s.db"
        let daemon = try belfryd(
            ["--config", "/dev/null", "--listen", "127.0.0.1:0", "--store", store])
        let port = try port(try ready(daemon))
        #expect(
            try RawClient(.tcp(port)).exchange("POST", "/topics/a", body: [0x78]).status == 201)
        let commands = """
            cd '\(folder.path)' && "$0" --store '\(store)' --backup copy.db &&
            "$0" --store 'sqlite:\(folder.path)/copy.db' --check-store
            """
        let shell = try ChildProcess(
            "/bin/sh", ["-c", commands, ChildProcess.product("belfryd")],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(try shell.wait() == .exited(0), "\(shell.text(of: .errors))")
        #expect(shell.text(of: .output) == "copy.db\nOK\n")
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exited(0))
    }

    @Test func aBrokenFileAtAReloadLeavesTheOldConfigurationAndIsTold() throws {
        let path = folder.write("[poll]\nwait_max = 10s\nwait_default = 0\n", to: "belfryd.conf")
        let child = try belfryd(["--config", path, "--listen", "127.0.0.1:0"])
        let port = try port(try ready(child))
        let client = try RawClient(.tcp(port))
        #expect(try client.exchange("GET", "/topics/a?wait=11").status == 400)

        folder.write("[poll]\nwait_mx = 20s\n", to: "belfryd.conf")
        child.send(SIGHUP)
        _ = try line(of: child) { $0.hasPrefix("\(path):2: `wait_mx`") }
        #expect(try client.exchange("GET", "/topics/a?wait=11").status == 400)
        #expect(try client.exchange("GET", "/topics/a").status == 204)

        folder.write(
            "[poll]\nwait_max = 20s\nwait_default = 0\n[http]\nloops = 2\n", to: "belfryd.conf")
        child.send(SIGHUP)
        _ = try line(of: child) { $0 == "http.loops changes with a restart only" }
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
        _ = try line(of: child) { $0.hasPrefix("stopping") }
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(3))
    }

    @Test func aStopThatIsSentTwiceAtOnceIsOneStop() throws {
        let child = try belfryd(["--config", "/dev/null", "--listen", "127.0.0.1:0"])
        _ = try ready(child)
        child.send(SIGTERM)
        child.send(SIGINT)
        _ = try line(of: child) { $0 == "stopped" }
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
        #expect(child.text(of: .errors).contains("descriptor 3 was passed, but is not"))
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
        #expect(try line(of: child).contains("only 1000 files may be open"))
        _ = try ready(child)
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func byHandEveryLineSaysItsTime() throws {
        let child = try belfryd(["--config", "/dev/null", "--listen", "127.0.0.1:0"])
        _ = try ready(child)
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
        let lines = child.text(of: .errors).split(separator: "\n").map(String.init)
        #expect(lines.count >= 3)
        for line in lines {
            let time = try #require(line.split(separator: " ").first)
            #expect(time.wholeMatch(of: /20..-..-..T..:..:..\.[0-9]{6}Z/) != nil, "\(line)")
            #expect(line.withoutTime != line)
        }
    }

    @Test func aLineOfTheAccessLogIsJSONByHandToo() throws {
        let child = try belfryd(
            ["--config", "/dev/null", "--listen", "127.0.0.1:0"],
            variables: ["BELFRY_DAEMON_ACCESS_LOG": "log"])
        let port = try port(try ready(child))
        #expect(try RawClient(.tcp(port)).exchange("GET", "/healthz").status == 200)
        let line = try child.line { $0.contains("/healthz") }
        #expect(line.hasPrefix("{\"time\":"))
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func configuredAddressesThatSystemdReplacesAreWarnedOf() throws {
        let listener = try LoopbackSocket()
        let unused =
            "listen.* is not used: systemd passed the sockets; "
            + "see `systemctl edit belfryd.socket`"
        let path = folder.write("[listen]\ntcp = 127.0.0.1:1\n", to: "belfryd.conf")
        let child = try activated(with: listener.descriptor, configuration: path)
        #expect(try line(of: child) == unused)
        _ = try line(of: child) { $0.hasPrefix("the page for browsers is at ") }
        folder.write(
            "[listen]\ntcp = 127.0.0.1:2\nunix = none\n[http]\nloops = 2\n", to: "belfryd.conf")
        child.send(SIGHUP)
        #expect(try line(of: child) == "configuration reloaded")
        #expect(try line(of: child) == unused)
        #expect(try line(of: child) == "http.loops changes with a restart only")
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
        #expect(!child.text(of: .errors).contains("listen.tcp"))
    }

    @Test func byHandAnotherAddressTakesARestart() throws {
        let path = folder.write("", to: "belfryd.conf")
        let child = try belfryd(
            ["--config", path],
            variables: ["BELFRY_LISTEN_TCP": "127.0.0.1:0"])
        _ = try ready(child)
        folder.write("[listen]\nunix = none\n", to: "belfryd.conf")
        child.send(SIGHUP)
        _ = try line(of: child) { $0 == "listen.unix changes with a restart only" }
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
