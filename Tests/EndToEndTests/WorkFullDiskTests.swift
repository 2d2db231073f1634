import TestSupport
import Testing

/// Work groups of a daemon whose disk is full, over its unix socket.
@Suite(.blocking) struct WorkFullDiskTests {
    private static let configuration = """
        [store]
        store = sqlite
        [retention]
        keep = none
        bytes = none
        """

    /// A request, and what it is answered when there is room.
    private struct Change {
        let method: String
        let target: String
        var body: String?
        let status: Int

        init(_ status: Int, _ method: String, _ target: String, _ body: String? = nil) {
            (self.method, self.target, self.body, self.status) = (method, target, body, status)
        }
    }

    private static func changes(leases: [String], letter: UInt64) -> [Change] {
        [
            Change(204, "POST", "/groups/g/extend?lease=\(leases[4])&for=2h"),
            Change(200, "POST", "/groups/g/next?wait=0&worker=w&done=\(leases[0])"),
            Change(204, "POST", "/groups/g/done?lease=\(leases[1])"),
            Change(204, "POST", "/groups/g/done?lease=\(leases[2])&to=out", "output"),
            Change(204, "POST", "/groups/g/retry?lease=\(leases[3])&delay=12h"),
            Change(204, "POST", "/groups/g/dead?lease=\(leases[4])"),
            Change(201, "POST", "/groups/g/revive?id=\(letter)"),
            Change(200, "PUT", "/groups/g?attempts=7"),
            Change(201, "PUT", "/groups/new?of=other"),
            Change(201, "PUT", "/topics/held?hold=holder"),
            Change(204, "DELETE", "/groups/old"),
            Change(200, "POST", "/groups/begun/next?of=jobs.a&wait=0"),
        ]
    }

    @Test func eachChangeIsRefusedOnAFullDiskAndDoneOnceThereIsRoom() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try RunningDaemon(configuration: Self.configuration, disk: disk)
        var client = try RawClient(daemon.unix)
        try Self.expect(201, client, "PUT", "/groups/g?of=jobs.a&dead=failed&lease=1h")
        try Self.expect(201, client, "PUT", "/groups/old?of=jobs.a")
        try Self.expect(201, client, "PUT", "/groups/holder?of=held")
        try client.publish("letter", to: "jobs.a")
        let first = try Self.take(client).header("work-lease")
        try Self.expect(204, client, "POST", "/groups/g/dead?lease=\(try #require(first))")
        let letter = try client.get("/topics/failed?since=earliest").number("event-id")
        for text in ["a", "b", "c", "d", "e", "f"] { try client.publish(text, to: "jobs.a") }
        let leases = try (0..<5).map { _ in
            try #require(try Self.take(client).header("work-lease"))
        }
        let changes = Self.changes(leases: leases, letter: try #require(letter))

        for moment in ["while it runs", "after a start there"] {
            try Self.fill(disk, client)
            try Self.refuseAll(changes, client, moment)
            try daemon.kill()
            try disk.fill("filling")
            daemon = try daemon.restarted()
            client = try RawClient(daemon.unix)
        }
        try Self.refuseAll(changes, client, "after another one")

        try Self.makeRoom(on: disk, client)
        for change in changes {
            let answer = try Self.expect(
                change.status, client, change.method, change.target, change.body)
            guard change.target.contains("&done=") else { continue }
            #expect(answer.text == "f" && answer.header("work-attempt") == "1")
        }
        try daemon.kill()
        daemon = try daemon.restarted()
        client = try RawClient(daemon.unix)
        let revived = try Self.take(client)
        #expect(revived.text == "letter" && revived.header("work-attempt") == "1")
        #expect(
            try Self.figures(client)
                == ["open": 3, "leased": 2, "waiting": 1, "done": 3, "failed": 2, "gone": 0])
        #expect(try Self.texts(of: "out", client) == ["output"])
        #expect(try Self.texts(of: "failed", client) == ["letter", "e", ""])
        try Self.expect(409, client, "DELETE", "/groups/holder")
        try Self.expect(404, client, "GET", "/groups/old")
        try Self.expect(200, client, "GET", "/groups/new")
        try Self.expect(200, client, "POST", "/groups/g/seek?since=now")
        try Self.expect(204, client, "POST", "/groups/g/next?wait=0")
    }

    /// Each start leaves the journal nearly empty, so that a change soon has to write beyond it.
    @Test(arguments: [
        "next?wait=0&to=out&done=", "next?wait=0&delay=0&retry=", "next?wait=0&worker=w",
    ])
    func theChangeThatFindsTheDiskFullLeavesEverythingAsItWas(change: String) throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try RunningDaemon(configuration: Self.configuration, disk: disk)
        let settings = "of=jobs.a&lease=1h&attempts=1000"
        try Self.expect(201, RawClient(daemon.unix), "PUT", "/groups/g?\(settings)")
        for index in 0..<100 { try RawClient(daemon.unix).publish("\(index)", to: "jobs.a") }
        var held = try Self.take(RawClient(daemon.unix), "&worker=w")
        daemon = try daemon.restarted()
        let client = try RawClient(daemon.unix)
        try disk.fill("filling")

        let body = change.contains("done") ? String(repeating: "x", count: 20_000) : nil
        var count: UInt64 = 0
        func exchange() throws -> RawClient.Answer {
            let lease = change.hasSuffix("=") ? try #require(held.header("work-lease")) : ""
            let answer = try client.exchange(
                "POST", "/groups/g/\(change)\(lease)", body: body.map { Array($0.utf8) })
            guard answer.status == 200 else { return answer }
            count += 1
            if body == nil {
                #expect(answer.header("event-id") == held.header("event-id"))
                #expect(answer.number("work-attempt") == count + 1)
            } else {
                #expect(answer.text == "\(count)" && answer.header("work-attempt") == "1")
            }
            held = answer
            return answer
        }

        var refusal: RawClient.Answer?
        var before = try Self.figures(client)
        for _ in 0..<90 where refusal == nil {
            let answer = try exchange()
            if answer.status == 200 { before = try Self.figures(client) } else { refusal = answer }
        }
        #expect(refusal?.status == 507 && refusal?.member("code") == "STORE_FULL")
        #expect(try Self.figures(client) == before)
        try Self.makeRoom(on: disk, client)
        #expect(try Self.figures(client) == before)
        #expect(try exchange().status == 200)
        guard body != nil else { return }
        let outputs = try client.exchange("HEAD", "/topics/out")
        #expect(outputs.header("event-count") == "\(count)")
    }

    /// Leases of a group with `persist=no` are only in memory, and its replies need no disk.
    @Test func aReplyWaitsForTheDiskOnlyWhereItsGroupIsStored() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        let daemon = try RunningDaemon(configuration: Self.configuration, disk: disk)
        let client = try RawClient(daemon.unix)
        var askers: [String: RawClient] = [:]
        var leases: [String: String] = [:]
        for persist in ["yes", "no"] {
            let settings = "of=asked.\(persist)&replies=yes&lease=1h&persist=\(persist)"
            try Self.expect(201, client, "PUT", "/groups/\(persist)?\(settings)")
            try Self.expect(204, client, "POST", "/groups/\(persist)/next?wait=0")
            let asker = try RawClient(daemon.unix)
            try asker.send("POST", "/topics/asked.\(persist)?reply=10m", body: Array("?".utf8))
            let job = try Self.expect(200, client, "POST", "/groups/\(persist)/next?wait=10m")
            #expect(job.header("work-reply") == "wanted")
            (askers[persist], leases[persist]) = (asker, job.header("work-lease"))
        }
        try client.publish("job", to: "asked.no")
        try Self.fill(disk, client)

        let (kept, light) = (try #require(leases["yes"]), try #require(leases["no"]))
        let reply = Change(204, "POST", "/groups/yes/done?lease=\(kept)", "kept")
        try Self.refuse(client, reply.method, reply.target, reply.body, "while it runs")
        try Self.expect(204, client, "POST", "/groups/no/done?lease=\(light)", "light")
        #expect(try #require(askers["no"]).readAnswer().text == "light")
        let next = try Self.expect(200, client, "POST", "/groups/no/next?wait=0")
        let lease = try #require(next.header("work-lease"))
        #expect(next.text == "job")
        try Self.expect(204, client, "POST", "/groups/no/done?lease=\(lease)")
        try Self.refuse(client, "POST", "/topics/asked.no?reply=10m", "?", "while it runs")

        try Self.makeRoom(on: disk, client)
        try Self.expect(reply.status, client, reply.method, reply.target, reply.body)
        #expect(try #require(askers["yes"]).readAnswer().text == "kept")
    }

    // MARK: What these tests share

    private static func refuseAll(
        _ changes: [Change], _ client: RawClient, _ moment: String
    ) throws {
        let before = try figures(client)
        #expect(before["leased"] == 5 && before["open"] == 5, "\(moment)")
        for next in ["", "&worker=w", "&as=json&max=10"] {
            try refuse(client, "POST", "/groups/g/next?wait=0\(next)", nil, moment)
        }
        for change in changes + [Change(200, "POST", "/groups/g/seek?since=now")] {
            try refuse(client, change.method, change.target, change.body, moment)
            #expect(try figures(client) == before, "\(moment): \(change.target)")
        }
        for group in ["new", "begun"] { try expect(404, client, "GET", "/groups/\(group)") }
        #expect(try texts(of: "failed", client) == ["letter"], "\(moment)")
    }

    private static func refuse(
        _ client: RawClient, _ method: String, _ target: String, _ body: String?, _ moment: String
    ) throws {
        let answer = try client.exchange(method, target, body: body.map { Array($0.utf8) })
        #expect(
            answer.status == 507 && answer.member("code") == "STORE_FULL",
            "\(moment): \(method) \(target): \(answer.statusLine) \(answer.text)")
    }

    @discardableResult
    private static func expect(
        _ status: Int, _ client: RawClient, _ method: String, _ target: String,
        _ body: String? = nil
    ) throws -> RawClient.Answer {
        let answer = try client.exchange(method, target, body: body.map { Array($0.utf8) })
        #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        return answer
    }

    /// Takes a job that is at hand.
    private static func take(
        _ client: RawClient, _ query: String = ""
    ) throws -> RawClient.Answer {
        try expect(200, client, "POST", "/groups/g/next?wait=0\(query)")
    }

    /// What the group says of its jobs.
    private static func figures(_ client: RawClient) throws -> [String: Int] {
        let answer = try expect(200, client, "GET", "/groups/g")
        let names = ["open", "leased", "waiting", "done", "failed", "gone"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, answer.integer($0) ?? -1) })
    }

    private static func texts(of topic: String, _ client: RawClient) throws -> [String] {
        let body = try PollBody(
            client.get("/topics/\(topic)?as=json&wait=0&max=10000&since=earliest"))
        return body.events.map { $0.data ?? "" }
    }

    /// Takes all room of the disk, and then what lies free in the store's own files.
    private static func fill(_ disk: SmallDisk, _ client: RawClient) throws {
        try disk.fill("filling")
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
        for _ in 0..<2_000 {
            let answer = try client.exchange("POST", "/topics/filling", body: body)
            guard answer.status == 201 else {
                #expect(answer.status == 507)
                return
            }
        }
        Issue.record("the disk was never full")
    }

    private static func makeRoom(on disk: SmallDisk, _ client: RawClient) throws {
        try disk.remove("filling")
        try eventually("the daemon is ready again", within: 60) {
            try client.get("/readyz").status == 200
        }
    }
}
