import Glibc
import TestSupport
import Testing

/// A unix socket whose file somebody removes while the bus runs.
@Suite(.blocking) struct RemovedSocketTests {
    private func daemon() throws -> RunningDaemon {
        try RunningDaemon(
            configuration: "[http]\nloops = 2\n", arguments: ["--store", "memory"])
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func itIsBoundAnewAndSaidAndWhoeverIsConnectedStays() throws {
        let daemon = try daemon()
        let path = daemon.socketPath
        let kept = try RawClient(daemon.unix)
        #expect(try kept.exchange("GET", "/healthz").status == 200)
        for _ in 0..<2 {
            #expect(unlink(path) == 0)
            _ = try daemon.line { $0 == "unix:\(path) was removed, and is bound anew" }
            for _ in 0..<8 {
                #expect(try RawClient(daemon.unix).exchange("GET", "/healthz").status == 200)
            }
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o666)
        }
        #expect(try kept.exchange("GET", "/healthz").status == 200)
        kept.close()
        let descriptors = daemon.openDescriptors
        #expect(unlink(path) == 0)
        _ = try daemon.line { $0 == "unix:\(path) was removed, and is bound anew" }
        // The socket of before is closed.
        try eventually("no descriptor more") { daemon.openDescriptors <= descriptors }
        #expect(try daemon.terminate() == .exited(0))
        #expect(!isThere(path))
    }

    @Test func theSocketOfAnotherProgramStaysThereAndIsSaid() throws {
        let daemon = try daemon()
        let path = daemon.socketPath
        // A name at once: there is no moment without a file.
        let other = try socket(at: "\(path).new")
        #expect(rename("\(path).new", path) == 0)
        let said = "unix:\(path) does not lead to the bus any more"
        _ = try daemon.line { $0.hasPrefix(said) }
        var found = stat()
        #expect(lstat(path, &found) == 0)
        // A second look changes nothing and says nothing.
        #expect(unlink(path) == 0)
        _ = try daemon.line { $0 == "unix:\(path) was removed, and is bound anew" }
        #expect(daemon.logLines.count { $0.hasPrefix(said) } == 1)
        #expect(try RawClient(daemon.unix).exchange("GET", "/healthz").status == 200)
        close(other)

        let last = try socket(at: "\(path).new")
        defer { close(last) }
        #expect(rename("\(path).new", path) == 0)
        _ = try daemon.line { $0.hasPrefix(said) }
        #expect(try daemon.terminate() == .exited(0))
        #expect(isThere(path))
    }

    @Test func aFolderThatIsRemovedTooIsSaidOnceAndTriedAgain() throws {
        let daemon = try daemon()
        let path = daemon.socketPath
        let folder = String(path[..<path.lastIndex(of: "/")!])
        #expect(rename(folder, "\(folder).away") == 0)
        _ = try daemon.line { $0.hasPrefix("unix:\(path) was removed, and cannot be bound anew: ") }
        #expect(mkdir(folder, 0o700) == 0)
        _ = try daemon.line { $0 == "unix:\(path) was removed, and is bound anew" }
        #expect(try RawClient(daemon.unix).exchange("GET", "/healthz").status == 200)
        #expect(try daemon.terminate() == .exited(0))
        #expect(rmdir(folder) == 0)
        #expect(rename("\(folder).away", folder) == 0)
    }

    /// A listening socket of our own with this name.
    private func socket(at path: String) throws -> Int32 {
        let descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && listen(descriptor, 4) == 0)
        return descriptor
    }
}
