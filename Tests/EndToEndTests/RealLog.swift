import Foundation
import TestSupport
import Testing

/// Real text of this machine, by lines as the bus splits it.
struct RealLog {
    /// Where it is from.
    let source: String
    /// Its lines without their ends, LF or CRLF; none is empty.
    let lines: [[UInt8]]

    /// The least that is worth the name, and the most that a test has time for.
    private static let linesMin = 5_000
    private static let linesMax = 2_000

    /// The package log if it is long enough, else the history of the repository, else its sources.
    init() throws {
        let candidates: [(String, () throws -> [UInt8])] = [
            ("/var/log/dpkg.log", { Array(try Self.contents(of: "/var/log/dpkg.log")) }),
            ("git log", Self.history),
            ("the package's sources", Self.sources),
        ]
        for (source, bytes) in candidates {
            guard let bytes = try? bytes() else { continue }
            let lines = Self.lines(of: bytes)
            guard lines.count >= Self.linesMin else { continue }
            self.source = source
            self.lines = Array(lines.prefix(Self.linesMax))
            return
        }
        throw Missing()
    }

    /// No text of the machine is long enough.
    struct Missing: Error {}

    private static func contents(of path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private static func history() throws -> [UInt8] {
        let git = try ChildProcess(
            "/usr/bin/git", ["-C", PackageFiles.root, "log", "--patch", "--no-color", "-n", "30"])
        try #require(try git.wait(within: 60) == .exited(0))
        return git.written(to: .output)
    }

    private static func sources() throws -> [UInt8] {
        let files = FileManager.default.enumerator(atPath: "\(PackageFiles.root)/Sources")
        let paths = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
        return try paths.sorted().flatMap { try contents(of: "\(PackageFiles.root)/Sources/\($0)") }
    }

    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0x0A).map { $0.last == 0x0D ? Array($0.dropLast()) : Array($0) }
            .filter { !$0.isEmpty }
    }
}
