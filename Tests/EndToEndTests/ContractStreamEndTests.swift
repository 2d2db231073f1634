import Glibc
import TestSupport
import Testing

/// Streams that lose something, or end because the bus says so.
@Suite(.blocking) struct ContractStreamEndTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[retention]\ngrace = 0s\n")
        client = try daemon.connect()
    }

    /// A stream whose reader reads nothing beyond its head until it is asked to.
    private func slowReader(_ target: String, _ form: HTTPStream.Form) throws -> HTTPStream {
        try daemon.stream(target, form, receiveBufferBytes: 4_096)
    }

    /// Publishes more than the buffers between hold.
    private func flood(_ topic: String, _ count: Int = 40) throws -> [UInt64] {
        let big = String(repeating: "x", count: 64 << 10)
        return try (0..<count).map { try client.publish("\($0) \(big)", to: topic) }
    }

    @Test(arguments: StreamAsked.allCases)
    func deletionEndsTheStreamsOfExactlyThisName(asked: StreamAsked) throws {
        let exact = try daemon.stream("/topics/t?as=\(asked)&since=earliest", asked.form)
        let wider = try ["t,u", "*"].map {
            try daemon.stream("/topics/\($0)?as=\(asked)", asked.wideForm)
        }
        for stream in wider + [exact] { _ = try stream.next(1) }
        try client.publish("last", to: "t")
        for stream in wider + [exact] { #expect(try stream.next(1).payloads == ["last"]) }
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        let end = try exact.rest()
        #expect(exact.ending == .clean(isKept: true))
        #expect(end.gaps.isEmpty && end.payloads.isEmpty)

        let id = try client.publish("next life", to: "t")
        for stream in wider {
            let told = try stream.next(1)
            #expect(told.cursors == [id] && told.payloads == ["next life"])
            #expect(stream.ending == nil)
        }
        let cursor = try #require(end.cursors.last)
        let resumed = try daemon.stream(
            "/topics/t?as=\(asked)&wait=0&since=\(cursor)", asked.form)
        let told = try resumed.rest()
        #expect(told.payloads == ["next life"] && told.gaps.isEmpty)
    }

    @Test(arguments: StreamAsked.allCases)
    func deletionOfWhatWasNotDeliveredIsAGapAndThenTheEnd(asked: StreamAsked) throws {
        let stream = try slowReader("/topics/t?as=\(asked)", asked.form)
        let wider = try slowReader("/topics/*?as=\(asked)", asked.wideForm)
        let ids = try flood("t")
        #expect(try client.exchange("DELETE", "/topics/t").status == 204)
        let next = try client.publish("next life", to: "t")
        let told = try stream.rest()
        #expect(stream.ending == .clean(isKept: true))
        let delivered = told.filter { $0.payload != nil }.cursors
        #expect(delivered == Array(ids.prefix(delivered.count)) && delivered.count < ids.count)
        #expect(told.gaps == [ToldGap(after: try #require(delivered.last), through: ids.last!)])
        let cursor = try #require(told.cursors.last)
        #expect(cursor >= ids.last! && cursor < next)

        let rest = try wider.next(told.count, within: 60)
        #expect(rest.gaps.count == 1 && rest.gaps[0].through == ids.last!)
        #expect(rest.last?.payload == "next life" && rest.last?.cursor == next)
        #expect(wider.ending == nil)
    }

    @Test(arguments: StreamAsked.allCases)
    func whoFallsOffTheRetentionIsToldAndGoesOn(asked: StreamAsked) throws {
        try client.register("t", "?keep=3")
        let stream = try slowReader("/topics/t?as=\(asked)", asked.form)
        let ids = try flood("t", 60)
        var told: [Told] = []
        while told.cursors.last != ids.last { told += try stream.told(within: 10) }
        let delivered = told.filter { $0.payload != nil }.cursors
        #expect(!told.gaps.isEmpty)
        let missing = ids.filter { id in !delivered.contains(id) }
        for id in missing {
            #expect(told.gaps.contains { $0.after < id && id <= $0.through }, "\(id)")
        }
        #expect(zip(delivered, delivered.dropFirst()).allSatisfy { $0 < $1 })
        #expect(Array(delivered.suffix(3)) == Array(ids.suffix(3)))
        let id = try client.publish("live", to: "t")
        #expect(try stream.next(1).cursors == [id])
    }

    @Test(arguments: StreamAsked.allCases)
    func aStrictStreamEndsWithItsGap(asked: StreamAsked) throws {
        try client.register("t", "?keep=3")
        let stream = try slowReader("/topics/t?as=\(asked)&strict=1", asked.form)
        let ids = try flood("t", 60)
        let told = try stream.rest()
        #expect(stream.ending == .clean(isKept: true))
        guard case .gap(let gap) = try #require(told.last) else {
            return #expect(Bool(false), "\(told.last!)")
        }
        #expect(gap.through >= ids[50])
        let cursor = try #require(told.dropLast().cursors.last)
        #expect(gap.after == cursor)
        let again = try client.get("/topics/t?as=\(asked)&strict=1&since=\(cursor)")
        #expect(again.status == 410)
    }

    @Test func aSlowReaderKeepsNobodyWaitingAndNothingButABatch() throws {
        let slow = try slowReader("/topics/t?as=ndjson", .lines)
        let quick = try daemon.stream("/topics/t?as=ndjson", .lines)
        _ = try quick.next(1)
        let before = daemon.residentBytes
        let ids = try flood("t", 200)
        var seen: [UInt64] = []
        while seen.last != ids.last { seen += try quick.told(within: 10).cursors }
        #expect(seen == ids)
        let kept = 200 * (64 << 10)
        #expect(daemon.residentBytes - before < kept + (12 << 20) || Sanitizer.isOn)
        let late = try slow.next(201, within: 60).dropFirst()
        #expect(late.cursors == ids)
    }

    @Test(arguments: StreamAsked.allCases)
    func aStopEndsStreamsWithTheirLastCursor(asked: StreamAsked) throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let idle = try daemon.stream("/topics/t?as=\(asked)", asked.form)
        let busy = try daemon.stream("/topics/u?as=\(asked)", asked.form)
        _ = try idle.next(1)
        _ = try busy.next(1)
        let last = try client.publish("x", to: "u")
        #expect(try busy.next(1).cursors == [last])
        daemon.send(SIGTERM)
        #expect(try busy.rest().isEmpty)
        for stream in [idle, busy] {
            #expect(try stream.rest().allSatisfy { $0 == .cursor(last) })
            #expect(stream.ending != nil && stream.ending != .cut)
        }
        #expect(try daemon.wait() == .exited(0))
    }

    @Test func aStopEndsAStreamBehindWhatItHasWritten() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.connect()
        let stream = try daemon.stream("/topics/t?as=ndjson", .lines, receiveBufferBytes: 4_096)
        let big = String(repeating: "x", count: 64 << 10)
        let ids = try (0..<40).map { _ in try client.publish(big, to: "t") }
        daemon.send(SIGTERM)
        let told = try stream.rest()
        #expect(stream.ending != .cut)
        let delivered = told.dropFirst().cursors
        #expect(!delivered.isEmpty)
        #expect(delivered == Array(ids.prefix(delivered.count)))
        #expect(try daemon.wait() == .exited(0))
    }
}
