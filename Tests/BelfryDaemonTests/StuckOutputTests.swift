import Glibc
import TestSupport
import Testing

/// Logs, access logs and a supervisor that take nothing more: the bus goes on, and ends when told.
@Suite(.blocking) struct StuckOutputTests {
    private let folder = TemporaryFolder()
    private var notifications: String { "\(folder.path)/notify" }

    /// The program, with an output as its standard error if one is given.
    private func belfryd(
        log: UnreadOutput? = nil, _ variables: [String: String] = [:]
    ) throws -> ChildProcess {
        let common = [
            "HOME": folder.path, "PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": notifications,
        ]
        return try ChildProcess(
            "/bin/sh",
            [
                "-c", log == nil ? "exec \"$0\" \"$@\"" : "exec \"$0\" \"$@\" 2>&3 3>&-",
                ChildProcess.product("belfryd"), "--config", "/dev/null", "--listen",
                "127.0.0.1:0", "--store", "memory",
            ],
            environment: common.merging(variables) { $1 }, handing: log.map { [$0.theirs] } ?? [])
    }

    private func client(_ words: String) throws -> RawClient {
        let word = words.split { " \n:".contains($0) }.last { UInt16($0) != nil }
        return try RawClient(.tcp(try #require(word.flatMap { UInt16($0) })))
    }

    @Test(arguments: UnreadOutput.Kind.allCases)
    func aLogThatNobodyReadsHoldsNoRequestNoReloadAndNoStop(kind: UnreadOutput.Kind) throws {
        let manager = try NotificationSocket(notifications)
        let log = UnreadOutput(kind)
        let child = try belfryd(log: log, ["BELFRY_DAEMON_ACCESS_LOG": "log"])
        let client = try client(try manager.receive())
        for _ in 0..<2_000 { #expect(try client.exchange("GET", "/healthz").status == 200) }
        child.send(SIGUSR1)
        child.send(SIGHUP)
        #expect(try manager.receive().hasPrefix("RELOADING=1\n"))
        #expect(try manager.receive().hasPrefix("READY=1\n"))
        #expect(try client.exchange("POST", "/topics/a", body: [0x78]).status == 201)
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
        #expect(log.blocks)
    }

    @Test(arguments: UnreadOutput.Kind.allCases)
    func whatWaitedForAReaderComesWholeAndInOrder(kind: UnreadOutput.Kind) throws {
        let manager = try NotificationSocket(notifications)
        let log = UnreadOutput(kind)
        let child = try belfryd(log: log, ["BELFRY_DAEMON_ACCESS_LOG": "log"])
        let client = try client(try manager.receive())
        for index in 0..<500 { _ = try client.exchange("GET", "/topics/t\(index)/events/1") }
        // Before the stop, which gives a reader only so long.
        let waiting = try log.read(until: "/topics/t499/")
        child.send(SIGTERM)
        #expect(try manager.receive().hasPrefix("STOPPING=1\n"))
        let text = try waiting + log.read(until: " stopped")
        #expect(try child.wait() == .exited(0))
        let lines = text.split(whereSeparator: \.isNewline).map { String($0).withoutTime }
        #expect(lines.first?.hasPrefix("ready ") == true)
        #expect(lines.last == "stopped")
        let paths = lines.compactMap { $0.firstMatch(of: #/"path":"/topics/t([0-9]+)/#)?.1 }
        #expect(paths.map { Int($0) } == Array(0..<500))
    }

    @Test func aSecondStopEndsItAtOnceThoughNobodyReadsTheLog() throws {
        let manager = try NotificationSocket(notifications)
        let log = UnreadOutput(.pipe)
        let child = try belfryd(log: log, ["BELFRY_DAEMON_DRAIN_SECONDS": "1h"])
        let client = try client(try manager.receive())
        // A body that never ends holds the drain.
        try client.send(
            "POST /topics/a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n")
        #expect(try client.readInterim().status == 100)
        child.send(SIGTERM)
        #expect(try manager.receive().hasPrefix("STOPPING=1\n"))
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(3))
    }

    @Test func anAccessLogWithoutAReaderHoldsNoStartNoReloadAndNoStop() throws {
        let pipe = "\(folder.path)/access.pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let child = try belfryd(["BELFRY_DAEMON_ACCESS_LOG": pipe])
        let client = try client(try child.line { $0.contains("ready ") })
        #expect(try client.exchange("GET", "/healthz").status == 200)
        _ = try child.line { $0.hasSuffix("the access log \(pipe) cannot be written") }
        child.send(SIGHUP)
        _ = try child.line { $0.hasSuffix("configuration reloaded") }
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        _ = try child.line { $0.hasSuffix("the access log \(pipe) is written again") }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains("/healthz"))
        // It is full now.
        for _ in 0..<1_000 { _ = try client.exchange("GET", "/healthz") }
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }

    @Test func aSupervisorThatReadsNothingHoldsNoReloadAndNoStop() throws {
        let manager = try NotificationSocket(notifications)
        let child = try belfryd()
        let client = try client(try child.line { $0.contains("ready ") })
        try manager.fill()
        child.send(SIGHUP)
        _ = try child.line { $0.hasSuffix("configuration reloaded") }
        child.send(SIGHUP)
        _ = try child.line { $0.hasSuffix("configuration reloaded") }
        #expect(try client.exchange("GET", "/healthz").status == 200)
        child.send(SIGTERM)
        #expect(try child.wait() == .exited(0))
    }
}
