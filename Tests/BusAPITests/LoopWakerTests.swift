import Dispatch
import Glibc
import Protection
import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// A loop is woken for what somebody on it waits for, and for nothing else.
@Suite(.blocking) struct LoopWakerTests {
    @Test func whatNobodyWaitsForWakesNoLoop() throws {
        let server = try StreamServer()
        // Behind a reader that has gone, too.
        let client = try server.connect()
        try client.send("GET", "/topics/t?wait=60s")
        try server.wait { server.service.waitingCount == 1 }
        try server.publish("for it", to: "t")
        #expect(try client.readAnswer().status == 200)
        try server.publish("for nobody", to: "t")
        try passTurns(of: server)
        let turns = server.loops[0].turns
        let before = turns.counts.reduce(0, +)
        for _ in 0..<100 { try server.publish("for nobody", to: "t") }
        try passTurns(of: server)
        // Those that were asked for here.
        #expect(turns.counts.reduce(0, +) - before <= 2)
    }

    /// Returns when the loop has done what it was told before.
    private func passTurns(of server: StreamServer) throws {
        let gate = Gate()
        server.handles.value[0].post { _ in gate.open() }
        try gate.wait()
    }

    /// Readers come and go alone, so that the loop falls asleep and is to listen again for each; an
    /// event is published only when the one before was read. One that is not told is waited for.
    @Test(arguments: ["json", "ndjson", "sse"])
    func whoeverBeginsToWaitIsToldOfWhatComesAtThatMoment(form: String) throws {
        let server = try StreamServer()
        var random = SeededRandom(for: "begins to wait")
        let first = try server.publish("first", to: "t")
        let last = Protected(first)
        let turn = Protected((read: first, isOver: false))
        let published = Gate()
        let pauses = (0..<3_000).map { _ in Int.random(in: 0..<600, using: &random) }
        let (bus, batch) = (server.bus, PublishBatch(topic: try TopicName("t"), payloads: [.empty]))
        DispatchQueue.global().async {
            for pause in pauses {
                while turn.value.read != last.value, !turn.value.isOver { sched_yield() }
                let due = MonotonicClock.microseconds() + pause
                while MonotonicClock.microseconds() < due {}
                guard !turn.value.isOver else { break }
                bus.publish(batch) {
                    if case .success(let receipt) = $0 { last.value = receipt.last }
                }
            }
            published.open()
        }
        defer { turn.write { $0.isOver = true } }
        var cursor = first
        let client = try server.connect()
        for _ in pauses {
            let target = "/topics/t?since=\(cursor)&as=\(form)&max=1&wait=600s"
            try client.send("GET", target)
            let text = try form == "json" ? client.readAnswer().text : stream(client)
            let id = try #require(text.matches(of: #/"?id"?: ?"?(\d+)/#).last?.1)
            cursor = EventID(rawValue: try #require(UInt64(id)))
            turn.write { $0.read = cursor }
        }
        try published.wait()
        #expect(cursor == last.value)
    }

    /// A stream that ends with its first event.
    private func stream(_ client: RawClient) throws -> String {
        #expect(try client.readHead().status == 200)
        var chunks = ChunkedBody()
        var text = ""
        while !chunks.isComplete, let bytes = try client.readSome(within: 60), !bytes.isEmpty {
            text += String(decoding: try chunks.feed(bytes), as: UTF8.self)
        }
        return text
    }
}
