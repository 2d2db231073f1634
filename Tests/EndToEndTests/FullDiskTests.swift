import TestSupport
import Testing

/// The daemon on a disk of its own that is full, cannot be written, or fails.
@Suite(.blocking) struct FullDiskTests {
    private static let configuration = """
        [store]
        store = sqlite
        [bus]
        memory_bytes = 2M
        [retention]
        keep = none
        bytes = none
        """

    private static func daemon(on disk: SmallDisk) throws -> RunningDaemon {
        try RunningDaemon(configuration: configuration, disk: disk)
    }

    /// What publishers were told, by the texts of their events.
    private struct Told {
        var answered: [(id: UInt64, text: String)] = []
        var refused: [String] = []

        /// Publishes until it is refused, or so often. Returns the refusal.
        mutating func publish(
            _ name: String, upTo count: Int, through client: RawClient
        ) throws -> RawClient.Answer? {
            let filling = String(repeating: "x", count: 20_000)
            for index in 0..<count {
                let text = "\(name) \(index) \(filling)"
                let answer = try client.exchange("POST", "/topics/t", body: Array(text.utf8))
                guard answer.status == 201 else {
                    refused.append(text)
                    return answer
                }
                answered.append((try #require(answer.number("event-id")), text))
            }
            return nil
        }

        /// Reads everything, and expects what was answered and nothing that was refused.
        func check(_ client: RawClient, _ moment: String) throws {
            var cursor = answered[0].id - 1
            var found: [PollBody.Envelope] = []
            while found.count < answered.count {
                let body = try PollBody(client.get("/topics/t?as=json&since=\(cursor)&wait=0"))
                #expect(body.gap == nil, "\(moment)")
                if body.events.isEmpty { break }
                found += body.events
                cursor = try #require(UInt64(body.cursor))
            }
            #expect(found.map(\.id) == answered.map { String($0.id) }, "\(moment)")
            #expect(found.map(\.data) == answered.map(\.text), "\(moment)")
        }
    }

    private static func readiness(_ client: RawClient) throws -> RawClient.Answer {
        try client.get("/readyz")
    }

    private static func becomesReady(_ client: RawClient) throws {
        try eventually("the daemon is ready again", within: 60) {
            try readiness(client).status == 200
        }
    }

    /// Lets files that the daemon writes have so many bytes.
    private static func limitFiles(of daemon: RunningDaemon, to bytes: String) throws {
        let prlimit = try ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(daemon.pid)", "--fsize=\(bytes):"])
        try #require(try prlimit.wait() == .exited(0), "\(prlimit.text(of: .errors))")
    }

    @Test func aFullDiskIsToldReadingGoesOnAndPublishingResumesByItself() throws {
        let disk = try SmallDisk(bytes: 24 << 20)
        var daemon = try Self.daemon(on: disk)
        var client = try daemon.connect()
        try client.register("signals", "?persist=no")
        var told = Told()
        #expect(try told.publish("before", upTo: 300, through: client) == nil)
        #expect(try Self.readiness(client).status == 200)

        try disk.fill("filling")
        // What lies free in the store's own files is still taken.
        let refusal = try #require(try told.publish("full", upTo: 2_000, through: client))
        #expect(refusal.status == 507 && refusal.member("code") == "STORE_FULL")
        #expect(refusal.member("detail")?.contains("has no room") == true)
        #expect(try told.publish("full, too", upTo: 1, through: client)?.status == 507)
        let readiness = try Self.readiness(client)
        #expect(readiness.status == 503 && readiness.text.contains("has no room"))
        #expect(try client.get("/healthz").status == 200)
        try told.check(client, "while the disk is full")
        let signal = try client.publish("y", to: "signals")
        #expect(try client.get("/topics/signals?since=\(signal - 1)").text == "y")

        // Nobody publishes: it finds out by itself.
        try disk.remove("filling")
        try Self.becomesReady(client)
        #expect(try told.publish("after", upTo: 20, through: client) == nil)
        try told.check(client, "with room again")
        try daemon.kill()
        daemon = try daemon.restarted()
        client = try daemon.connect()
        try told.check(client, "after a restart")
        #expect(try told.publish("restarted", upTo: 1, through: client) == nil)
    }

    @Test func whatWasAnsweredOnAFullDiskSurvivesItsEndThere() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try Self.daemon(on: disk)
        var told = Told()
        #expect(try told.publish("before", upTo: 50, through: daemon.connect()) == nil)
        try disk.fill("filling")
        #expect(try told.publish("full", upTo: 2_000, through: daemon.connect()) != nil)
        try daemon.kill()
        try disk.fill("filling")
        daemon = try daemon.restarted()
        let client = try daemon.connect()
        try told.check(client, "on the full disk")
        let readiness = try Self.readiness(client)
        #expect(readiness.status == 503 && readiness.text.contains("oom"), "\(readiness.text)")
        #expect(try told.publish("still full", upTo: 1, through: client)?.status == 507)
        try disk.remove("filling")
        try Self.becomesReady(client)
        #expect(try told.publish("after", upTo: 20, through: client) == nil)
        try told.check(client, "with room again")
        try daemon.kill()
        daemon = try daemon.restarted()
        try told.check(daemon.connect(), "after another restart")
    }

    @Test func aStartOnADiskThatCanOnlyBeReadIsRefusedWithTheReason() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try Self.daemon(on: disk)
        var told = Told()
        #expect(try told.publish("before", upTo: 20, through: daemon.connect()) == nil)
        #expect(try daemon.terminate() == .exited(0))
        try disk.setReadOnly(true)
        do {
            _ = try daemon.restarted()
            Issue.record("it started")
        } catch RunningDaemon.Failure.notReady(let reason) {
            #expect(reason.contains("Read-only file system") && reason.contains("cannot start: "))
        }
        try disk.setReadOnly(false)
        daemon = try daemon.restarted()
        try told.check(daemon.connect(), "when it can be written again")
    }

    /// No file system becomes read-only by order while a file of it is open to write; a file that
    /// may not grow refuses every write as well.
    @Test func aDiskThatRefusesEveryWriteIsToldAndPublishingResumesByItself() throws {
        let disk = try SmallDisk(bytes: 12 << 20)
        var daemon = try Self.daemon(on: disk)
        let client = try daemon.connect()
        var told = Told()
        #expect(try told.publish("before", upTo: 200, through: client) == nil)
        try Self.limitFiles(of: daemon, to: "0")
        // The disk may have done its work all the same: nobody is told before that is certain.
        let first = try daemon.connect()
        try first.send("POST /topics/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
        try eventually("the daemon refuses") { try Self.readiness(client).status == 503 }
        let refusal = try #require(try told.publish("refused", upTo: 1, through: client))
        #expect(refusal.status == 507 && refusal.member("code") == "STORE_FAILED")
        #expect(refusal.member("detail")?.contains("cannot be written") == true)
        try told.check(client, "while nothing can be written")
        try Self.limitFiles(of: daemon, to: "unlimited")
        try Self.becomesReady(client)
        #expect(try first.readAnswer().status == 507)
        let answer = try told.publish("after", upTo: 20, through: client)
        #expect(answer == nil, "\(answer?.text ?? "")")
        try daemon.kill()
        daemon = try daemon.restarted()
        try told.check(daemon.connect(), "after a restart")
    }
}
