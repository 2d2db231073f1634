import Glibc
import TestSupport
import Testing

/// The daemon on a store on the disk: what was answered is there again.
@Suite(.blocking) struct StoreTests {
    private static func daemon(_ configuration: String = "", sync: String = "normal") throws
        -> RunningDaemon
    {
        try RunningDaemon(
            configuration: "[store]\nstore = sqlite\nsync = \(sync)\n\(configuration)")
    }

    @Test(arguments: ["normal", "full"])
    func everythingIsThereAfterStopsAndKillsAndNoCursorHasAGap(sync: String) throws {
        var daemon = try Self.daemon(sync: sync)
        #expect(daemon.readyLine.contains(" store=sqlite:/"))
        var published: [UInt64] = []
        for round in 0..<4 {
            let client = try daemon.connect()
            if let first = published.first {
                let body = try PollBody(client.get("/topics/t?as=json&since=\(first)&wait=0"))
                #expect(body.gap == nil, "in round \(round)")
                #expect(body.events.map(\.id) == published.dropFirst().map(String.init))
                let last = try PollBody(
                    client.get("/topics/t?as=json&since=\(published.last!)&wait=0"))
                #expect(last.gap == nil && last.events.isEmpty)
            }
            for index in 0..<3 {
                published.append(try client.publish("\(round) \(index)", to: "t"))
            }
            if round % 2 == 0 { try daemon.kill() }
            daemon = try daemon.restarted()
        }
        #expect(zip(published, published.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try daemon.terminate() == .exited(0))
    }

    @Test func settingsAndHeadersOfEventsSurviveAndSignalsAreGapped() throws {
        var daemon = try Self.daemon()
        var client = try daemon.connect()
        try client.register("kept", "?keep=2&for=1h")
        try client.register("signals", "?persist=no")
        for index in 0..<4 {
            try client.publish(
                "\(index)", to: "kept",
                headers: [
                    ("Event-Type", "t"), ("Event-Key", "k"), ("Content-Type", "text/x-\(index)"),
                ])
        }
        let signal = try client.publish("x", to: "signals")
        daemon = try daemon.restarted()
        client = try daemon.connect()
        let answer = try client.get("/topics/kept?since=latest")
        #expect(answer.text == "3" && answer.header("content-type") == "text/x-3")
        #expect(answer.header("event-type") == "t" && answer.header("event-key") == "k")
        let list = try client.get("/topics").text
        #expect(list.contains("\"name\":\"kept\"") && list.contains("\"keep\":2"))
        let gapped = try PollBody(client.get("/topics/signals?as=json&since=\(signal - 1)&wait=0"))
        #expect(gapped.gap?.after == "\(signal - 1)" && gapped.events.isEmpty)
    }

    @Test func aHoldWhoseGroupIsGoneIsOverInTheNextLifeToo() throws {
        var daemon = try Self.daemon()
        var client = try daemon.connect()
        func expect(_ status: Int, _ method: String, _ target: String) throws {
            let body: [UInt8]? = method == "POST" ? [0x78] : nil
            let answer = try client.exchange(method, target, body: body)
            #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        }
        try expect(201, "PUT", "/groups/g?of=t")
        try expect(201, "PUT", "/groups/stays?of=u")
        try expect(201, "PUT", "/topics/t?keep=1&hold=g")
        try expect(201, "PUT", "/topics/u?keep=1&hold=stays")
        for topic in ["t", "u"] {
            try expect(201, "POST", "/topics/\(topic)")
            try expect(507, "POST", "/topics/\(topic)")
        }
        try expect(204, "DELETE", "/groups/g?force=1")
        for round in 0..<2 {
            try daemon.kill()
            daemon = try daemon.restarted()
            client = try daemon.connect()
            try expect(round == 0 ? 201 : 200, "PUT", "/groups/g?of=other")
            for _ in 0..<2 { try expect(201, "POST", "/topics/t") }
            try expect(507, "POST", "/topics/u")
            let list = try client.get("/topics").text
            #expect(list.contains("\"hold\":\"stays\"") && !list.contains("\"hold\":\"g\""))
        }
        try expect(204, "DELETE", "/groups/g")
    }

    @Test func whatMemoryHasNoRoomForIsReadFromTheDisk() throws {
        let daemon = try Self.daemon("[bus]\nmemory_bytes = 2M\nevent_bytes = 64K\n")
        let client = try daemon.connect()
        let payload = String(repeating: "x", count: 20_000)
        let ids = try (0..<300).map { try client.publish("\($0) \(payload)", to: "t") }
        var cursor = ids[0] - 1
        var received: [String] = []
        while received.count < ids.count {
            let body = try PollBody(client.get("/topics/t?as=json&since=\(cursor)&max=50"))
            #expect(body.gap == nil)
            received += body.events.map(\.id)
            cursor = try #require(UInt64(body.cursor))
        }
        #expect(received == ids.map(String.init))
        let raw = try client.get("/topics/t?since=earliest")
        #expect(raw.text == "0 \(payload)")
    }

    @Test func aBackupIsTakenFromARunningDaemonAndTheStoreIsChecked() throws {
        let daemon = try Self.daemon()
        let client = try daemon.connect()
        let ids = try (0..<20).map { try client.publish("\($0)", to: "t") }
        let path = try Self.path(of: daemon)
        let folder = TemporaryFolder()
        func belfryd(_ arguments: [String], _ store: String) throws -> ChildProcess {
            let child = try ChildProcess(
                ChildProcess.product("belfryd"),
                ["--config", "/dev/null", "--store", "sqlite:\(store)"] + arguments,
                environment: ["HOME": folder.path])
            return child
        }
        let copy = "\(folder.path)/copy.db"
        #expect(try belfryd(["--backup", copy], path).wait() == .exited(0))
        let again = try belfryd(["--backup", copy], path)
        #expect(try again.wait() == .exited(1))
        #expect(again.text(of: .errors).contains("there is a file \(copy) already"))
        let inUse = try belfryd(["--check-store"], path)
        #expect(try inUse.wait() == .exited(1))
        #expect(inUse.text(of: .errors).contains("is in use by another bus"))
        let whole = try belfryd(["--check-store"], copy)
        #expect(try whole.wait() == .exited(0))
        #expect(whole.text(of: .output) == "OK\n")
        let restored = try RunningDaemon(arguments: ["--store", "sqlite:\(copy)"])
        let body = try PollBody(
            restored.connect().get("/topics/t?as=json&since=\(ids[0])&wait=0"))
        #expect(body.gap != nil && body.events.map(\.id) == ids.dropFirst().map(String.init))
        let memory = try ChildProcess(
            ChildProcess.product("belfryd"),
            ["--config", "/dev/null", "--store", "memory", "--check-store"],
            environment: ["HOME": folder.path])
        #expect(try memory.wait() == .exited(2))
        #expect(try daemon.terminate() == .exited(0))
        let stopped = try belfryd(["--check-store"], path)
        #expect(try stopped.wait() == .exited(0))
    }

    private static func path(of daemon: RunningDaemon) throws -> String {
        try #require(daemon.readyLine.split(separator: "store=sqlite:").last.map(String.init))
    }

    /// How a second daemon on a store is refused.
    private static func refusal(of store: String) throws -> String {
        do {
            _ = try RunningDaemon(arguments: ["--store", "sqlite:\(store)"])
        } catch RunningDaemon.Failure.notReady(let reason) {
            return reason
        }
        Issue.record("two daemons serve \(store)")
        return ""
    }

    @Test func aSecondDaemonIsRefusedUnderAnyNameOfTheFileAndWithoutItsLockFile() throws {
        let daemon = try Self.daemon()
        let client = try daemon.connect()
        let first = try client.publish("first", to: "t")
        let path = try Self.path(of: daemon)
        let folder = TemporaryFolder()
        try #require(link(path, "\(folder.path)/linked.db") == 0)
        #expect(try Self.refusal(of: "\(folder.path)/linked.db").contains("in use by another bus"))
        try client.publish("second", to: "t")
        unlink("\(path)-life")
        #expect(try Self.refusal(of: path).contains("in use by another bus"))
        let refused = try client.exchange("POST", "/topics/t", body: [0x78])
        #expect(refused.status == 507 && refused.member("code") == "STORE_FAILED")
        #expect(refused.member("detail")?.contains("was removed while it was in use") == true)
        #expect(try client.get("/readyz").status == 503)
        let again = try daemon.restarted()
        let body = try PollBody(again.connect().get("/topics/t?as=json&since=\(first - 1)&wait=0"))
        #expect(body.events.compactMap(\.data) == ["first", "second"])
        try again.connect().publish("third", to: "t")
    }

    @Test(arguments: ["removed", "emptied", "cut", "flipped"])
    func whatAJournalLostWhileTheDaemonWasDownIsAGap(damage: String) throws {
        var daemon = try Self.daemon()
        let ids = try (0..<60).map { try daemon.connect().publish("\($0)", to: "t") }
        let journal = "\(try Self.path(of: daemon))-wal"
        try daemon.kill()
        let file = open(journal, O_RDWR)
        var status = stat()
        try #require(file >= 0 && fstat(file, &status) == 0)
        defer { close(file) }
        switch damage {
        case "removed": unlink(journal)
        case "emptied": ftruncate(file, 0)
        case "cut": ftruncate(file, status.st_size / 2)
        default:
            var byte: UInt8 = 0
            pread(file, &byte, 1, status.st_size / 2)
            byte ^= 1
            pwrite(file, &byte, 1, status.st_size / 2)
        }
        daemon = try daemon.restarted()
        let client = try daemon.connect()
        for cursor in [ids[0] - 1, ids[20], ids[58]] {
            let body = try PollBody(client.get("/topics/t?as=json&since=\(cursor)&wait=0"))
            let isWhole = body.events.map(\.id) == ids.filter { $0 > cursor }.map(String.init)
            #expect(isWhole || body.gap != nil, "after \(cursor)")
        }
    }
}
