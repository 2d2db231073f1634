import Glibc
import HTTPFront
import Protection
import Telemetry
import TestSupport
import Testing

@testable import BelfryDaemon

@Suite(.blocking) struct DaemonTests {
    private let folder = TemporaryFolder()
    private var state: String { "\(folder.path)/state/belfry" }

    private func daemon(
        _ listen: [String] = ["127.0.0.1:0"], log: Log = quiet,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Daemon {
        var configuration = Configuration()
        configuration.logLevel = .error
        change(&configuration)
        return Daemon(
            configuration: configuration,
            locations: ResolvedLocations(
                listen: try listen.map { try ListenAddress($0) }, stateDirectory: state),
            administrator: 0, log: log)
    }

    @Test func itServesAtEveryAddressUntilItIsDrained() throws {
        let path = "\(folder.path)/bus.sock"
        let daemon = try daemon(["127.0.0.1:0", "unix:\(path)"])
        let addresses = try daemon.start()
        #expect(addresses.map(\.port).count == 2)
        let port = try #require(addresses[0].port)
        for address in [RawClient.Address.tcp(port), .unix(path)] {
            let client = try RawClient(address)
            let answer = try client.exchange("POST", "/topics/a", body: Array("x".utf8))
            #expect(answer.status == 201)
        }
        daemon.drain()
        #expect(throws: RawClient.Failure.self) { try RawClient(.tcp(port)) }
        #expect(throws: RawClient.Failure.self) { try RawClient(.unix(path)) }
        daemon.drain()
    }

    @Test func whoeverWaitsIsAnsweredByADrain() throws {
        let daemon = try daemon()
        let port = try #require(try daemon.start()[0].port)
        let registered = try RawClient(.tcp(port)).exchange("PUT", "/topics/a")
        #expect(registered.status == 201)
        let waiting = try RawClient(.tcp(port))
        try waiting.send("GET", "/topics/a?wait=30")
        try waitUntilSubscribed(to: "a", at: port)
        daemon.drain()
        let answer = try waiting.readAnswer()
        #expect(answer.status == 204)
        #expect(answer.header("Event-Cursor") != nil)
    }

    @Test func oneStateDirectoryTakesOneDaemonAtATime() throws {
        let first = try daemon()
        _ = try first.start()
        let second = try daemon()
        #expect {
            try second.start()
        } throws: { error in
            "\(error)".contains(state) && "\(error)".contains("BELFRY_STORE_STATE_DIRECTORY=")
        }
        first.drain()
        let third = try withExtendedLifetime((first, second)) { try daemon() }
        _ = try third.start()
        third.drain()
    }

    @Test(arguments: [(0o700, false), (0o755, false), (0o770, true), (0o777, true)])
    func aFolderThatOthersMayWriteIsWarnedOf(mode: mode_t, isWarnedOf: Bool) throws {
        let (state, other) = (TemporaryFolder(), TemporaryFolder())
        let said = Protected<[String]>([])
        let log = Log(level: .warning) { _, text in said.write { $0.append(text) } }
        var configuration = Configuration()
        configuration.store = .sqlite(path: "\(other.path)/belfry.db")
        let daemon = Daemon(
            configuration: configuration,
            locations: ResolvedLocations(
                listen: [try ListenAddress("127.0.0.1:0")], stateDirectory: state.path),
            administrator: 0, log: log)
        for folder in [state, other] { try #require(chmod(folder.path, mode) == 0) }
        _ = try daemon.start()
        daemon.drain()
        for folder in [state, other] {
            let isSaid = said.value.contains {
                $0.contains("other users may write the folder \(folder.path)")
            }
            #expect(isSaid == isWarnedOf)
        }
    }

    @Test func aStartThatFailsLeavesNothingLockedOrOpen() throws {
        let taken = try daemon()
        let port = try #require(try taken.start()[0].port)
        let other = TemporaryFolder()
        let locations = ResolvedLocations(
            listen: [
                try ListenAddress("unix:\(other.path)/a.sock"),
                try ListenAddress("127.0.0.1:\(port)"),
            ], stateDirectory: other.path)
        let failing = Daemon(
            configuration: Configuration(), locations: locations, administrator: 0, log: quiet)
        #expect(throws: DaemonError.self) { try failing.start() }
        #expect(throws: RawClient.Failure.self) { try RawClient(.unix("\(other.path)/a.sock")) }
        taken.drain()
        let next = Daemon(
            configuration: Configuration(), locations: locations, administrator: 0, log: quiet)
        #expect(try next.start().count == 2)
        next.drain()
    }

    @Test func aStartThatFailsEndsTheAccessLogToo() throws {
        let taken = try daemon()
        let port = try #require(try taken.start()[0].port)
        defer { taken.drain() }
        let other = TemporaryFolder()
        let path = "\(other.path)/access.log"
        var configuration = Configuration()
        configuration.accessLog = .file(path)
        let failing = Daemon(
            configuration: configuration,
            locations: ResolvedLocations(
                listen: [try ListenAddress("127.0.0.1:\(port)")], stateDirectory: other.path),
            administrator: 0, log: quiet)
        #expect(throws: DaemonError.self) { try failing.start() }
        #expect(!failing.accessLog.isRunning)
        #expect(access(path, F_OK) == 0)
        let open = OpenDescriptors.all.filter { FolderNames.link("/proc/self/fd/\($0)") == path }
        #expect(open == [])
    }

    @Test func aReloadTakesOverWhatIsLiveAndNamesTheRest() throws {
        let log = Log(level: .error) { _, _ in }
        let daemon = try daemon(log: log)
        let port = try #require(try daemon.start()[0].port)
        defer { daemon.drain() }
        var new = Configuration()
        new.logLevel = .debug
        new.poll.waitMax = 1_000_000
        new.poll.waitDefault = 0
        new.http.loops = 3
        new.http.headerBytesMax = 8 << 10
        #expect(daemon.reload(new).map(\.path) == ["http.loops", "http.header_bytes"])
        #expect(log.level == .debug)
        let client = try RawClient(.tcp(port))
        #expect(try client.exchange("GET", "/topics/a?wait=2s").status == 400)
        #expect(try client.exchange("GET", "/topics/a").status == 204)
        #expect(daemon.reload(new).map(\.path) == ["http.loops", "http.header_bytes"])
    }

    @Test func cursorsOfAnEarlierLifeAreToldWhatIsGone() throws {
        let first = try daemon { $0.store = .memory }
        let port = try #require(try first.start()[0].port)
        let published = try RawClient(.tcp(port)).exchange("POST", "/topics/a", body: [0x31])
        let id = try #require(published.header("Event-ID"))
        first.drain()
        let second = try daemon { $0.store = .memory }
        let again = try #require(try second.start()[0].port)
        let answer = try RawClient(.tcp(again)).exchange(
            "GET", "/topics/a?since=\(try #require(UInt64(id)) - 1)&wait=0&as=json")
        #expect(answer.text.contains("\"gap\":{\"after\""), "\(answer.text)")
        let next = try RawClient(.tcp(again)).exchange("POST", "/topics/a", body: [0x32])
        #expect(try #require(UInt64(next.header("Event-ID") ?? "")) > UInt64(id)!)
        second.drain()
    }

    private func waitUntilSubscribed(to topic: String, at port: UInt16) throws {
        let client = try RawClient(.tcp(port))
        for _ in 0..<10_000 {
            let text = try client.exchange("GET", "/topics?match=\(topic)").text
            if text.contains("\"subscribers\":1") { return }
        }
        Issue.record("nobody subscribed")
    }
}

private let quiet = Log(level: .error) { _, _ in }
