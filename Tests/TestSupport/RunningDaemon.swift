public import Glibc

/// The built `belfryd`, running as a child in a folder of its own, reached over TCP loopback on a
/// port that was free and over a unix socket; gone, with its folder, when this object is.
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
    }

    /// Starts one and waits until it is ready.
    ///
    /// - Parameters:
    ///   - configuration: The text of its configuration file, without addresses and state.
    ///   - arguments: Options besides those that say where it listens and keeps its state.
    ///   - variables: Variables of its environment besides those.
    public convenience init(
        configuration: String = "", arguments: [String] = [], variables: [String: String] = [:]
    ) throws {
        try self.init(
            Start(configuration: configuration, arguments: arguments, variables: variables),
            in: TemporaryFolder())
    }

    private init(_ start: Start, in folder: TemporaryFolder) throws {
        self.start = start
        self.folder = folder
        socketPath = "\(folder.path)/belfry.sock"
        let configuration = folder.write(start.configuration, to: "belfryd.conf")
        let placement = [
            "HOME": folder.path,
            "BELFRY_STORE_STATE_DIRECTORY": "\(folder.path)/state",
        ]
        child = try ChildProcess(
            ChildProcess.product("belfryd"),
            [
                "--config", configuration, "--listen", "127.0.0.1:0", "--listen",
                "unix:\(socketPath)",
            ] + start.arguments,
            environment: ChildProcess.inheritedVariables().merging(placement) { $1 }
                .merging(start.variables) { $1 })
        do {
            readyLine = try child.line { $0.hasPrefix("ready ") }
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
        guard let folder = opendir("/proc/\(pid)/fd") else {
            preconditionFailure("process \(pid) has ended, or its files cannot be seen")
        }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return count
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

    /// The lines that it logged, as far as they were taken in.
    public var logLines: [String] {
        child.text(of: .errors).split(separator: "\n").map(String.init)
    }

    /// The next line that it logs, of those that fulfil a condition.
    public func line(
        within seconds: Double = 20, where condition: (String) -> Bool
    ) throws(ChildProcess.Failure) -> String {
        try child.line(within: seconds, where: condition)
    }

    /// Sends it a signal.
    public func send(_ signal: Int32) { child.send(signal) }

    /// Waits for its end.
    public func wait(within seconds: Double = 20) throws(ChildProcess.Failure)
        -> ChildProcess.Ending
    {
        try child.wait(within: seconds)
    }

    /// Stops it by SIGTERM and waits for its end.
    public func terminate(within seconds: Double = 20) throws(ChildProcess.Failure)
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
