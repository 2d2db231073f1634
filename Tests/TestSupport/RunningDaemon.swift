public import Glibc

/// The built `belfryd`, running as a child in a folder of its own, reached over TCP loopback on a
/// port that was free and over a unix socket; gone, with its folder, when this object is. Another
/// build of it runs if `BELFRY_DAEMON` says its path.
///
/// It waits for its clients longer than any test takes, so that how fast a test is decides nothing,
/// unless the test's configuration says how long.
///
/// What it logs is taken in only while a step waits, so a test that makes it log more than a pipe
/// holds, a few hundred lines, calls ``line(within:where:)`` in between.
///
/// Not for use from two threads at once, but for its constants.
public final class RunningDaemon {
    /// Why a daemon could not be used.
    public enum Failure: Error {
        /// It ended before it was ready, and how; what it logged.
        case notReady(String)
        /// Its `ready` line names no TCP port.
        case unexpectedReadyLine(String)
    }

    /// Where it listens on loopback.
    public let port: UInt16
    /// Where its unix socket is.
    public let socketPath: String
    /// What it said when it was ready.
    public let readyLine: String

    private let child: ChildProcess
    private let folder: TemporaryFolder
    private let start: Start

    /// What one was started with.
    private struct Start {
        let configuration: String
        let arguments: [String]
        let variables: [String: String]
        let disk: SmallDisk?
    }

    /// Starts one and waits until it is ready.
    ///
    /// - Parameters:
    ///   - configuration: The text of its configuration file, without addresses and state.
    ///   - arguments: Options besides those that say where it listens and keeps its state.
    ///   - variables: Variables of its environment besides those.
    ///   - disk: Where it is to keep its state; nil is a folder beside its configuration.
    public convenience init(
        configuration: String = "", arguments: [String] = [], variables: [String: String] = [:],
        disk: SmallDisk? = nil
    ) throws {
        try self.init(
            Start(
                configuration: configuration, arguments: arguments, variables: variables,
                disk: disk),
            in: TemporaryFolder())
    }

    /// The keys that bound how long a client may do nothing or a stop may take, and what a test allows.
    private static let patience = [
        (section: "http", key: "header_seconds", time: "1h"),
        (section: "http", key: "body_seconds", time: "1h"),
        (section: "http", key: "idle_seconds", time: "1h"),
        (section: "http", key: "send_seconds", time: "1h"),
        (section: "poll", key: "wait_default", time: "10m"),
        (section: "stream", key: "heartbeat", time: "10m"),
        (section: "daemon", key: "drain_seconds", time: "2m"),
    ]

    /// Variables for those of the keys that a configuration leaves open.
    private static func patience(beside configuration: String) -> [String: String] {
        let open = patience.filter { !configuration.contains($0.key) }
        return Dictionary(
            uniqueKeysWithValues: open.map {
                ("BELFRY_\($0.section)_\($0.key)".uppercased(), $0.time)
            })
    }

    private init(_ start: Start, in folder: TemporaryFolder) throws {
        self.start = start
        self.folder = folder
        socketPath = "\(folder.path)/belfry.sock"
        let configuration = folder.write(start.configuration, to: "belfryd.conf")
        let placement = [
            "HOME": folder.path,
            "BELFRY_STORE_STATE_DIRECTORY": "\(start.disk?.path ?? folder.path)/state",
        ]
        let program =
            getenv("BELFRY_DAEMON").map { String(cString: $0) }
            ?? ChildProcess.product("belfryd")
        let command =
            (start.disk?.entrance ?? []) + [
                program, "--config", configuration, "--listen", "127.0.0.1:0", "--listen",
                "unix:\(socketPath)",
            ] + start.arguments
        child = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ChildProcess.inheritedVariables().merging(placement) { $1 }
                .merging(Self.patience(beside: start.configuration)) { $1 }
                .merging(start.variables) { $1 })
        do {
            readyLine = try child.line { $0.withoutTime.hasPrefix("ready ") }.withoutTime
        } catch {
            throw Failure.notReady("\(error)")
        }
        let word = readyLine.split(separator: " ").first { $0.hasPrefix("tcp=127.0.0.1:") }
        guard let word, let port = UInt16(word.split(separator: ":").last!) else {
            throw Failure.unexpectedReadyLine(readyLine)
        }
        self.port = port
    }

    /// Its process id.
    public var pid: pid_t { child.pid }

    /// Where to connect over TCP.
    public var tcp: RawClient.Address { .tcp(port) }

    /// Where to connect over the unix socket.
    public var unix: RawClient.Address { .unix(socketPath) }

    /// The address of a path, which begins with a slash, for curl.
    public func url(_ path: String) -> String { "http://localhost:\(port)\(path)" }

    /// A new connection over TCP.
    public func connect() throws(RawClient.Failure) -> RawClient { try RawClient(tcp) }

    /// The files and sockets that it has open at this moment.
    public var openDescriptors: Int {
        guard let names = FolderNames.all(in: "/proc/\(pid)/fd") else {
            preconditionFailure("process \(pid) has ended, or its files cannot be seen")
        }
        return names.count
    }

    /// The bytes of memory that it occupies at this moment.
    public var residentBytes: Int {
        guard let stream = fopen("/proc/\(pid)/statm", "r") else {
            preconditionFailure("process \(pid) has ended, or its memory cannot be seen")
        }
        defer { fclose(stream) }
        var line = [UInt8](repeating: 0, count: 256)
        let count = fread(&line, 1, line.count, stream)
        // proc(5): size and resident, in pages.
        let pages = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
        return Int(pages[1])! * Int(getpagesize())
    }

    /// The nanoseconds for which its threads have run on a processor so far, those of threads that
    /// have ended left out.
    public var processorNanoseconds: UInt64 {
        let threads = "/proc/\(pid)/task"
        guard let names = FolderNames.all(in: threads) else {
            preconditionFailure("process \(pid) has ended, or its threads cannot be seen")
        }
        var sum: UInt64 = 0
        for name in names {
            // proc(5): time on the processor, time waited for one, turns.
            guard let stream = fopen("\(threads)/\(name)/schedstat", "r") else { continue }
            defer { fclose(stream) }
            var line = [UInt8](repeating: 0, count: 256)
            let count = fread(&line, 1, line.count, stream)
            sum +=
                String(decoding: line[..<count], as: UTF8.self).split(separator: " ").first
                .flatMap { UInt64($0) } ?? 0
        }
        return sum
    }

    /// The lines that it logged, without their times, as far as they were taken in.
    public var logLines: [String] {
        child.text(of: .errors).split(separator: "\n").map { String($0).withoutTime }
    }

    /// The next line that it logs, without its time, of those that fulfil a condition.
    public func line(
        within seconds: Double = 60, where condition: (String) -> Bool
    ) throws(ChildProcess.Failure) -> String {
        try child.line(within: seconds) { condition($0.withoutTime) }.withoutTime
    }

    /// Sends it a signal.
    public func send(_ signal: Int32) { child.send(signal) }

    /// Waits for its end, and shows what a sanitizer said of it.
    public func wait(within seconds: Double = 60) throws(ChildProcess.Failure)
        -> ChildProcess.Ending
    {
        let ending = try child.wait(within: seconds)
        let said = child.text(of: .errors)
        if said.contains("Sanitizer:") { print(said) }
        return ending
    }

    /// Stops it by SIGTERM and waits for its end.
    public func terminate(within seconds: Double = 60) throws(ChildProcess.Failure)
        -> ChildProcess.Ending
    {
        send(SIGTERM)
        return try wait(within: seconds)
    }

    /// Ends it by SIGKILL and waits until it is gone.
    public func kill() throws(ChildProcess.Failure) {
        send(SIGKILL)
        _ = try wait()
    }

    /// Another one in its folder, with its state and settings but a port of its own; this one is
    /// stopped by SIGTERM first, unless it has ended.
    public func restarted() throws -> RunningDaemon {
        _ = try terminate()
        return try RunningDaemon(start, in: folder)
    }
}
