import Protection
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import Work

/// Work that requests begin beside the loops: for whom it is done, how often, and what a stop does.
@Suite(.blocking) struct AbandonedWorkTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// What is asked for on the thread of the groups.
    enum Asked: CaseIterable { case seek, group, groupOfANext, revival }

    @Test(arguments: Asked.allCases) func nothingIsDoneForAClientThatHasLeft(
        _ asked: Asked
    ) throws {
        let place = try WorkPlace(group: "of=jobs.>&dead=failed")
        let server = place.server
        try place.publish("dead")
        try place.expect(204, "POST", "/groups/g/dead?lease=\(place.take())")
        let letter = try #require(try server.bus.description(of: TopicName("failed"))?.newest)
        try place.publish("held")
        let lease = try place.take()
        let target =
            switch asked {
            case .seek: "/groups/g/seek?since=now"
            case .group: "/groups/new?of=other"
            case .groupOfANext: "/groups/new/next?of=other"
            case .revival: "/groups/g/revive?id=\(letter)"
            }
        let gate = try server.groups.hold()
        defer { gate.open() }
        let leaver = try server.connect()
        try leaver.send(asked == .group ? "PUT" : "POST", target)
        try server.wait(forParked: 1)
        leaver.close()
        try server.wait(forParked: 0)
        gate.open()
        // Behind it in the line of its user, so that it has passed.
        try place.expect(201, "PUT", "/groups/behind?of=other")
        // A seek would have ended the lease.
        try place.expect(204, "POST", "/groups/g/done?lease=\(lease)")
        try place.refuse(404, "GROUP_UNKNOWN", "GET", "/groups/new")
        try place.expect(201, "POST", "/groups/g/revive?id=\(letter)")
    }

    @Test func aStopWaitsForNothingThatIsDoneBesideTheLoops() throws {
        let place = try WorkPlace()
        let server = place.server
        for index in 0..<300 { try place.publish("x", to: "jobs.t\(index)") }
        let gates = [try server.groups.hold(), try server.service.backgroundReads.hold()]
        defer { for gate in gates { gate.open() } }
        let asked = [
            ("POST", "/groups/g/seek?since=now"), ("PUT", "/groups/new?of=other"),
            ("POST", "/groups/made/next?of=other"), ("GET", "/topics"), ("GET", "/groups"),
            ("DELETE", "/topics?match=jobs.*"),
        ]
        let clients = try asked.map { method, target in
            let client = try server.connect()
            try client.send(method, target)
            return client
        }
        // What waits in front of another request stays in the parser, where nobody hears of its end.
        let pipelined = try server.connect()
        let seek = "POST /groups/g/seek?since=earliest HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try pipelined.send(seek + seek)
        try server.wait(forParked: asked.count)
        let drained = server.beginDrain(within: .seconds(3_600))
        for client in clients + [pipelined] {
            let answer = try client.readAnswer()
            #expect(answer.status == 503 && answer.text.contains("DRAINING"))
        }
        try drained.wait()
        for gate in gates { gate.open() }
        #expect(server.bus.statistics.topics == 300)
    }

    @Test func removalsOfOneUserGoOneAfterTheOtherAndEachTopicCountsOnce() throws {
        let store = DoorStore(in: folder, log: StreamServer.log)
        let server = try StreamServer(store: store)
        for index in 0..<40 { try server.publish("x", to: "a.t\(index)") }
        store.shutCommits()
        let clients = try ["a.*", "a.*", "*.*"].map { pattern in
            let client = try server.connect()
            try client.send("DELETE", "/topics?match=\(pattern)")
            return client
        }
        let leaver = try server.connect()
        try leaver.send("DELETE", "/topics?match=a.*")
        try server.wait(forParked: 4)
        try server.wait { store.waitingCommits >= 40 }
        // Its turns go on meanwhile, and so do those of all.
        #expect(try server.connect().exchange("GET", "/groups").status == 200)
        #expect(store.waitingCommits == 40)
        leaver.close()
        try server.wait(forParked: 3)
        store.openCommits()
        var removed = 0
        for client in clients {
            let text = try client.readAnswer().text
            removed += Int(text.dropFirst(11).prefix { $0.isNumber }) ?? -1
        }
        #expect(removed == 40)
    }

    @Test func aTopicThatTwoRemoveAtOnceCountsForOneOfThem() throws {
        let store = DoorStore(in: folder, log: StreamServer.log)
        let server = try StreamServer(store: store)
        try server.publish("x", to: "a")
        store.shutCommits()
        let counts = Protected<[Int]>([])
        for _ in 0..<2 {
            server.bus.remove([try TopicName("a")]) { removed in
                counts.write { $0.append(removed.count) }
            }
        }
        #expect(store.waitingCommits == 2)
        store.openCommits()
        try server.wait { counts.value.count == 2 }
        #expect(counts.value == [1, 0])
    }
}

extension WorkGroups {
    /// Holds their thread until the gate is opened; whatever is asked meanwhile waits behind it.
    func hold() throws -> Gate {
        let (held, gate) = (Gate(), Gate())
        parts.thread.run(for: nil) {
            held.open()
            _ = try? gate.wait()
        }
        try held.wait()
        return gate
    }
}
