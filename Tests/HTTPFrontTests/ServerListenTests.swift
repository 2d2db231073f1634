import Glibc
import Protection
import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

@Suite(.blocking) struct ServerListenTests {
    private func server(_ addresses: ListenAddress...) -> HTTPServer {
        let backstage = Backstage()
        return HTTPServer(
            configuration: HTTPServerConfiguration(listen: addresses), log: Log(level: .error),
            memory: MemoryBudget(bytesMax: 1 << 20)
        ) { loop, _ in LoopHandler(backstage, loop) }
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/front-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { rmdir(path) }
        try body(path)
    }

    @Test func staleSocketIsReplacedAndALiveOneIsNot() throws {
        try withDirectory { (directory: String) throws in
            let address = ListenAddress.unix(path: directory + "/s", mode: 0o600)
            let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(SocketFile.withAddress(of: directory + "/s") { bind(stale, $0, $1) } == 0)
            close(stale)
            let first = server(address)
            #expect(try first.start() == [.unix(path: directory + "/s")])
            #expect(throws: ServerError.self) { try server(address).start() }
            #expect(try RawClient(.unix(directory + "/s")).exchange("GET", "/a").text == "a")
            first.stop()
            #expect(access(directory + "/s", F_OK) != 0)
        }
    }

    @Test func fileThatIsNoSocketIsLeftAlone() throws {
        try withDirectory { (directory: String) throws in
            let path = directory + "/s"
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            defer { unlink(path) }
            #expect(throws: ServerError.self) {
                try server(.unix(path: path, mode: 0o600)).start()
            }
            #expect(access(path, F_OK) == 0)
        }
    }

    @Test func socketHasItsPermissionsWhateverTheUmask() throws {
        try withDirectory { (directory: String) throws in
            let server = server(.unix(path: directory + "/s", mode: 0o666))
            _ = try server.start()
            var status = stat()
            #expect(lstat(directory + "/s", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o666)
            server.stop()
        }
    }

    /// In a process of its own, for all of its threads have one umask.
    @Test func socketHasItsPermissionsFromTheMomentItHasAName() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            umask(0o077)
            var template = Array("/tmp/front-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            defer { rmdir(directory) }
            let path = directory + "/s"
            let modes = Protected<Set<UInt32>>([])
            let isOver = Protected(false)
            @Sendable func look() {
                var status = stat()
                guard lstat(path, &status) == 0 else { return }
                modes.write { _ = $0.insert(status.st_mode & 0o777) }
            }
            try await inParallel(2) { index in
                while index == 1, !isOver.value { look() }
                guard index == 0 else { return }
                defer { isOver.value = true }
                for round in 0..<200 {
                    // Some programs start others with this.
                    if round == 100 { signal(SIGCHLD, SIG_IGN) }
                    let socket = try ListeningSocket.open(
                        .unix(path: path, mode: 0o666), sendBufferBytes: 1 << 16)
                    look()
                    socket?.removeFile()
                }
            }
            #expect(modes.value == [0o666])
        }
    }

    /// A child process with copies of them would hold them open for its time. In a process of its
    /// own, for other tests start some.
    @Test func bindingLeavesOtherSocketsAlone() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            var template = Array("/tmp/front-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            defer { rmdir(directory) }
            let (isOver, held) = (Protected(false), Protected(0))
            try await inParallel(2) { index in
                guard index == 1 else {
                    defer { isOver.value = true }
                    for _ in 0..<300 {
                        let socket = try ListeningSocket.open(
                            .unix(path: directory + "/s", mode: 0o666), sendBufferBytes: 1 << 16)
                        socket?.removeFile()
                    }
                    return
                }
                while !isOver.value {
                    var ends: [Int32] = [-1, -1]
                    let type = Int32(SOCK_STREAM.rawValue)
                    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
                    close(ends[0])
                    // Where nobody holds the other end, nothing can be sent.
                    let sent = send(ends[1], "x", 1, Int32(MSG_NOSIGNAL))
                    if sent == 1 { held.write { $0 += 1 } }
                    close(ends[1])
                }
            }
            #expect(held.value == 0)
        }
    }

    @Test func closedListenerTakesNobodyThoughAChildStillHoldsIt() throws {
        let address = try ListenAddress("127.0.0.1:0")
        var open = try ListeningSocket.open(address, sendBufferBytes: 1 << 16)
        let port = try #require(open?.address.port)
        // What a child that was forked holds until it calls `exec`.
        let copy = dup(try #require(open?.descriptor))
        defer { close(copy) }
        _ = try RawClient(.tcp(port))
        open = nil
        #expect(throws: RawClient.Failure.self) { try RawClient(.tcp(port)) }
    }

    @Test func socketOfASuccessorIsNotRemoved() throws {
        try withDirectory { (directory: String) throws in
            let path = directory + "/s"
            let first = server(.unix(path: path, mode: 0o600))
            _ = try first.start()
            unlink(path)
            let second = server(.unix(path: path, mode: 0o600))
            _ = try second.start()
            first.stop()
            #expect(try RawClient(.unix(path)).exchange("GET", "/a").text == "a")
            second.stop()
        }
    }

    @Test func aSocketThatWasHandedOverIsNotBoundAnew() throws {
        try withDirectory { (directory: String) throws in
            let path = directory + "/s"
            let handed = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(handed) }
            #expect(SocketFile.withAddress(of: path) { bind(handed, $0, $1) } == 0)
            #expect(listen(handed, 4) == 0)
            let server = server(.inherited(descriptor: handed))
            #expect(try server.start() == [.unix(path: path)])
            #expect(unlink(path) == 0)
            server.mendSockets { Issue.record("a folder for a socket of others") }
            #expect(access(path, F_OK) != 0)
            server.stop()
        }
    }

    @Test func whatWaitsAtARemovedSocketIsServedAndADrainRemovesTheNewOne() throws {
        let server = try LoopServer()
        let gate = Gate()
        let held = Gate()
        let kept = try server.connect()
        #expect(try kept.exchange("GET", "/a").text == "a")
        server.backstage.state.value.loops[0].post { _ in
            held.open()
            try? gate.wait()
        }
        try held.wait()
        let early = try server.connect(.unix)
        try early.send("GET", "/early")
        #expect(unlink(server.path) == 0)
        let made = Protected(0)
        server.server.mendSockets { made.write { $0 += 1 } }
        let late = try server.connect(.unix)
        try late.send("GET", "/late")
        server.server.mendSockets { made.write { $0 += 1 } }
        gate.open()
        #expect(try early.readAnswer().text == "early")
        #expect(try late.readAnswer().text == "late")
        #expect(made.value == 1)
        server.server.stop()
        #expect(access(server.path, F_OK) != 0)
        server.server.mendSockets { made.write { $0 += 1 } }
        #expect(made.value == 1)
    }

    @Test func addressInUseIsSaidAndNothingStays() throws {
        let listener = try LoopbackListener(.ipv4)
        guard case .tcp(let port) = listener.address else { return }
        let taken = ListenAddress.tcp(
            SocketAddress(numeric: "127.0.0.1", port: port)!, optional: true)
        try withDirectory { (directory: String) throws in
            let server = server(.unix(path: directory + "/s", mode: 0o600), taken)
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.detail.contains("127.0.0.1:\(port)") == true)
            #expect(access(directory + "/s", F_OK) != 0)
        }
    }

    @Test func missingOptionalAddressIsLeftOut() throws {
        // 192.0.2.0/24 is kept for documentation (RFC 5737): no machine has it.
        let absent = SocketAddress(numeric: "192.0.2.1", port: 0)!
        let present = SocketAddress(numeric: "127.0.0.1", port: 0)!
        let server = server(.tcp(absent, optional: true), .tcp(present, optional: false))
        #expect(try server.start().count == 1)
        server.stop()
        #expect(throws: ServerError.self) {
            try self.server(.tcp(absent, optional: false)).start()
        }
    }

    @Test func descriptorThatDoesNotListenIsRefused() throws {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        #expect(throws: ServerError.self) { try server(.inherited(descriptor: client)).start() }
    }

    /// In a process of its own, for all descriptors of it are taken.
    @Test func acceptingPausesWithoutDescriptorsAndGoesOn() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            var limit = rlimit(rlim_cur: 128, rlim_max: 128)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let server = try LoopServer()
            let kept = try server.connect()
            #expect(try kept.exchange("GET", "/a").text == "a")
            let gate = Gate()
            let held = Gate()
            server.backstage.state.value.loops[0].post { _ in
                held.open()
                try? gate.wait()
            }
            try held.wait()
            let clients = try (0..<5).map { _ in try server.connect() }
            for client in clients { try client.send("GET", "/b") }
            var fillers: [Int32] = []
            while true {
                let filler = dup(0)
                if filler < 0 { break }
                fillers.append(filler)
            }
            let opened = MonotonicClock.milliseconds()
            gate.open()
            let meters = server.server.loops[0]
            server.expect(min(meters.acceptPauses.value, 1), becomes: 1)
            #expect(try kept.exchange("GET", "/c").text == "c")
            let paused = MonotonicClock.milliseconds() - opened
            let pausesMax = paused / HTTPFrontLimits.acceptPauseMilliseconds + 1
            #expect(meters.acceptPauses.value <= Int(pausesMax))
            for filler in fillers { close(filler) }
            for client in clients { #expect(try client.readAnswer().text == "b") }
        }
    }
}
