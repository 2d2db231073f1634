import Glibc
import TestSupport
import Testing

@testable import BusAPI

/// Clients that leave while what they asked for is looked up beside the loop.
@Suite(.blocking) struct LeavingClientTests {
    private let server: StreamServer

    init() throws {
        server = try StreamServer()
        for index in 0..<300 { try server.publish("x", to: "a.t\(index)") }
        try server.publish(String(repeating: "x", count: 300_000), to: "large")
    }

    /// As many patterns as a selector has at the most: to compare all topics with them takes turns.
    private static let patterns = (0..<128).map { "*.t\($0)" }.joined(separator: ",")

    private var turns: Int { server.bus.tasks.all.reduce(0) { $0 + $1.turns.value } }

    @Test(
        arguments: [
            ("GET", "/topics"), ("GET", "/topics?match=a.*"), ("HEAD", "/topics/a.*"),
            ("GET", "/topics/\(patterns)?since=earliest&as=json"),
            ("GET", "/topics/\(patterns)?since=earliest&as=ndjson"),
            ("GET", "/topics/large?since=earliest&as=json"),
            ("GET", "/topics/large?since=earliest&as=ndjson"),
        ])
    func nothingIsLookedUpForAClientThatHasLeft(_ method: String, _ target: String) throws {
        let gate = try server.service.backgroundReads.hold()
        let leaver = try server.connect()
        try leaver.send(method, target)
        try server.wait(forParked: 1)
        let before = turns
        leaver.close()
        try server.wait(forParked: 0)
        gate.open()
        // Behind it in the line of all that wait, so that it has passed.
        let stayer = try server.connect()
        #expect(try stayer.exchange("GET", "/topics?match=none").text.contains("\"topics\":[]"))
        #expect(turns == before + 1)
    }

    @Test func whoStaysIsAnsweredAndAsksOn() throws {
        let client = try server.connect()
        for _ in 0..<3 {
            let list = try client.exchange("GET", "/topics")
            #expect(list.status == 200 && list.text.contains("\"a.t299\""))
            let summary = try client.exchange("HEAD", "/topics/a.*")
            #expect(summary.status == 200 && summary.header("event-count") == "300")
        }
    }
}
