import Glibc
import TestSupport
import Testing

/// A daemon under access rules, whose unix socket every user reaches.
struct AccessDaemon {
    let daemon: RunningDaemon
    private let folder: String

    /// The address over which callers come.
    enum Door: String, CaseIterable {
        case unix, ipv4, ipv6
    }

    /// Starts one with these rules, a line each, and further settings.
    init(rules: [String], settings: String = "", arguments: [String] = []) throws {
        daemon = try RunningDaemon(
            configuration: Self.text(rules, settings),
            arguments: ["--listen", "[::1]:0", "--log-level", "debug"] + arguments)
        folder = String(
            daemon.socketPath.prefix { $0 != "." }.split(separator: "/").dropLast()
                .reduce("") { $0 + "/" + $1 })
        try #require(chmod(folder, 0o755) == 0)
    }

    private static func text(_ rules: [String], _ settings: String) -> String {
        "[access]\n" + rules.map { "rule = \($0)\n" }.joined() + settings
    }

    /// Replaces its rules and has it reload them, until it says so in a line that ends like this.
    func reload(
        rules: [String], settings: String = "", until end: String = "configuration reloaded"
    ) throws {
        let path = "\(folder)/belfryd.conf"
        let file = try #require(fopen(path, "w"))
        fputs(Self.text(rules, settings), file)
        fclose(file)
        daemon.send(SIGHUP)
        _ = try daemon.line { $0.hasSuffix(end) }
    }

    /// Its port on `[::1]`.
    var port6: UInt16 {
        get throws {
            let word = daemon.readyLine.split(separator: " ").first { $0.hasPrefix("tcp=[::1]:") }
            return try #require(
                word.flatMap { UInt16($0.split(separator: ":").last!) },
                "IPv6 loopback has to be there: \(daemon.readyLine)")
        }
    }

    /// What makes curl come through a door, the address of a path last.
    func curl(_ path: String, by door: Door) throws -> [String] {
        switch door {
        case .unix: ["--unix-socket", daemon.socketPath, "http://localhost\(path)"]
        case .ipv4: ["http://127.0.0.1:\(daemon.port)\(path)"]
        case .ipv6: ["-g", "http://[::1]:\(try port6)\(path)"]
        }
    }
}

/// Another user of this machine, played by a child that root starts.
struct OtherUser {
    let uid: UInt32
    let gid: UInt32
    /// Supplementary ones.
    var groups: [UInt32] = []

    /// Runs a program to its end and returns what it printed.
    func run(_ program: String, _ arguments: [String]) throws -> String {
        try #require(
            getuid() == 0, "other users are played by setpriv: run the tests as root")
        let supplementary =
            groups.isEmpty
            ? "--clear-groups" : "--groups=\(groups.map(String.init).joined(separator: ","))"
        let child = try ChildProcess(
            "/usr/bin/setpriv",
            ["--reuid=\(uid)", "--regid=\(gid)", supplementary, program] + arguments)
        let ending = try child.wait(within: 60)
        try #require(ending == .exited(0), "\(arguments): \(child.text(of: .errors))")
        return child.text(of: .output)
    }

    /// The status of a request, and its answer's body before it.
    func ask(_ method: String, _ address: [String], body: String? = nil) throws -> String {
        let data = body.map { ["--data-binary", $0] } ?? []
        let method = method == "HEAD" ? ["-I"] : ["-X", method]
        return try run(
            ChildProcess.curl,
            ["-sS", "--max-time", "20", "-w", "%{http_code}"] + method + data + address)
    }
}
