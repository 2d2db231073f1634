import Glibc
import TestSupport
import Testing

/// The kernel's table of the daemon's descriptors.
@Suite(.blocking) struct DescriptorTableTests {
    /// The descriptors that the table of a process has room for (proc(5)).
    private func room(of process: pid_t) throws -> Int {
        let stream = try #require(fopen("/proc/\(process)/status", "r"))
        defer { fclose(stream) }
        var text = [UInt8](repeating: 0, count: 4096)
        let count = fread(&text, 1, text.count, stream)
        let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("FDSize:") })
        return try #require(line.split(separator: "\t").last.flatMap { Int($0) })
    }

    @Test func hasRoomForAllConnectionsBeforeTheyCome() throws {
        let connections = min(3_000, FileLimit.raise() - 300)
        let daemon = try RunningDaemon(configuration: "[http]\nconnections = \(connections)\n")
        #expect(try room(of: daemon.pid) >= connections)
    }
}
