import Access
import Foundation
import Glibc
import SQLiteStore
import TestSupport
import Testing
import Topics

@testable import BusAPI

/// `GET /topics?since=…`: lists of what changed, and who waits for them.
@Suite(.blocking) struct TopicsPollTests {
    private struct Row: Decodable {
        let name: String
        let events: Int?
        let subscribers: Int?
    }

    private struct List: Decodable {
        let topics: [Row]
        let removed: [String]?
        let all: Bool?
        let cursor: String
        let next: String

        var names: [String] { topics.map(\.name) }
        var isEmpty: Bool { topics.isEmpty && removed == [] && all == false }
    }

    private func list(_ query: String, of server: StreamServer) throws -> List {
        let client = try server.connect()
        try client.send("GET", "/topics\(query)")
        return try list(of: client)
    }

    private func list(of client: RawClient) throws -> List {
        let answer = try client.readAnswer()
        try #require(answer.status == 200, "\(answer.text)")
        let list = try JSONDecoder().decode(List.self, from: Data(answer.body))
        #expect(answer.header("event-cursor") == list.cursor)
        return list
    }

    /// A client that waits for what changes.
    private func waiting(
        since next: String, _ query: String = "", of server: StreamServer
    ) throws -> RawClient {
        let client = try server.connect()
        let before = server.service.waitingCount
        try client.send("GET", "/topics?since=\(next)&wait=1h\(query)")
        try server.wait { server.service.waitingCount == before + 1 }
        return client
    }

    @Test func aListTellsWhereChangesGoOn() throws {
        let server = try StreamServer()
        for topic in ["a", "b"] { try server.publish("1", to: topic) }
        let first = try list("", of: server)
        #expect(first.names == ["a", "b"] && first.all == nil)
        #expect(try list("?since=\(first.next)&wait=0", of: server).isEmpty)
        try server.publish("2", to: "b")
        try server.remove("a")
        let second = try list("?since=\(first.next)", of: server)
        #expect(second.names == ["b"] && second.topics[0].events == 2)
        #expect(second.removed == ["a"] && second.all == false)
        let all = try list("?since=0", of: server)
        #expect(all.all == true && all.names == ["b"])
        // What a cursor is for belongs to it.
        let others = try list("?since=\(second.next)&match=b", of: server)
        #expect(others.all == true && others.names == ["b"])
    }

    @Test func whoWaitsIsToldOfTheNextEventAndIsNoSubscriber() throws {
        let server = try StreamServer()
        try server.publish("1", to: "a.x")
        let first = try list("?match=a.*", of: server)
        let client = try waiting(since: first.next, "&match=a.*", of: server)
        try server.publish("1", to: "b")
        try server.publish("2", to: "a.x")
        let second = try list(of: client)
        #expect(second.names == ["a.x"])
        #expect(second.topics[0].events == 2 && second.topics[0].subscribers == 0)
        #expect(server.service.waitingCount == 0)
        // The same connection waits again, for a removal.
        try client.send("GET", "/topics?since=\(second.next)&wait=1h&match=a.*")
        try server.wait { server.service.waitingCount == 1 }
        try server.remove("a.x")
        #expect(try list(of: client).removed == ["a.x"])
        #expect(server.bus.statistics.subscribers == 0)
    }

    @Test func whoWaitsIsAnsweredWhenTheBusStops() throws {
        let server = try StreamServer()
        try server.publish("1", to: "a")
        let first = try list("", of: server)
        let client = try waiting(since: first.next, of: server)
        let drained = server.beginDrain(within: .seconds(60))
        #expect(try list(of: client).isEmpty)
        try drained.wait()
    }

    @Test func aWaitThatNothingEndsIsOverWithItsTime() throws {
        let server = try StreamServer()
        let next = try list("", of: server).next
        #expect(try list("?since=\(next)&wait=10ms", of: server).isEmpty)
        #expect(server.service.waitingCount == 0)
    }

    @Test func topicsThatTheCallerMayNotReadAreNotTold() throws {
        let server = try StreamServer()
        let rule = try AccessRule("secret.> subscribe uid:\(getuid() + 1)", users: SystemUsers())
        for topic in ["open", "secret.a", "secret.b"] { try server.publish("1", to: topic) }
        let before = try list("", of: server)
        #expect(before.names.count == 3)
        let client = try waiting(since: before.next, of: server)
        server.service.reload(
            BusAPIConfiguration(
                access: AccessPolicy(
                    rules: AccessRules([rule]), administrator: getuid() + 1), version: "0"))
        // What it was told before is not what it may know of now: it begins anew.
        let first = try list(of: client)
        #expect(first.all == true && first.names == ["open"])
        try server.publish("2", to: "secret.a")
        try server.remove("secret.b")
        #expect(try list("?since=\(first.next)&wait=0", of: server).isEmpty)
        #expect(try list("?since=\(first.next)&wait=0&match=secret.*", of: server).names == [])
    }

    @Test func afterARestartAllIsTold() throws {
        let folder = TemporaryFolder(inMemory: true)
        var next = "0"
        for life in 1...2 {
            let server = try StreamServer(
                store: SQLiteStore(
                    SQLiteStoreConfiguration(path: "\(folder.path)/store"), log: StreamServer.log))
            if life == 1 { try server.publish("1", to: "kept") }
            let list = try list("?since=\(next)", of: server)
            #expect(list.all == true && list.names == ["kept"])
            next = list.next
        }
    }

    @Test(
        "numbers that no list has had tell all",
        arguments: [
            "9007199254740991.0.0", "9007199254740992.0.0", "18446744073709551615.0.0",
            "18446744073709551616.0.0", "0.18446744073709551615.0", "0.0.18446744073709551615",
            "18446744073709551615.18446744073709551615.18446744073709551615",
        ])
    func numbersOfNoList(_ since: String) throws {
        let server = try StreamServer()
        try server.publish("1", to: "a")
        let list = try list("?since=\(since)", of: server)
        #expect(list.all == true && list.names == ["a"])
    }

    @Test(arguments: [
        "since=", "since=now", "since=1.2", "since=1.2.x", "since=-1", "since=2", "since=00",
        "wait=1s",
    ])
    func otherWordsAreRefused(_ query: String) throws {
        let server = try StreamServer()
        let answer = try server.connect().exchange("GET", "/topics?\(query)")
        #expect(answer.status == 400)
    }
}
