import Access
import Glibc
import TestSupport
import Testing
import Topics

@testable import BusAPI
@testable import HTTPFront

/// What one turn of a loop does about those who wait: the rest is left for the next turns.
@Suite(.blocking) struct TurnTests {
    private let server: StreamServer
    /// Readers that are told in one turn.
    private static let deliveriesMax =
        LoopTask.deliveries.stepsMax / Limits.deliverySteps + 1
    private static let pollsMax = deliveriesMax + 50

    init() throws {
        FileLimit.raise()
        server = try StreamServer()
    }

    private func poll(_ topic: String) throws -> [RawClient] {
        let clients = try (0..<Self.pollsMax).map { _ in try server.connect() }
        for client in clients { try client.send("GET", "/topics/\(topic)?wait=60s") }
        try server.wait { server.service.waitingCount == clients.count }
        return clients
    }

    @Test func aDrainAnswersThoseWhoWaitSomeATurn() throws {
        let clients = try poll("t")
        let service = server.service
        let watch = try server.watch { Self.pollsMax - service.waitingCount }
        let drained = server.beginDrain(within: .seconds(60))
        watch.begin()
        for client in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 204 && answer.header("Event-Cursor") != nil)
        }
        try drained.wait()
        #expect((1...Self.deliveriesMax).contains(watch.end()))
    }

    @Test func aRemovalAnswersThoseWhoWaitSomeATurn() throws {
        try server.publish("1", to: "t")
        let clients = try poll("t")
        let service = server.service
        let watch = try server.watch { Self.pollsMax - service.waitingCount }
        try server.remove("t")
        try server.publish("2", to: "t")
        watch.begin()
        // What is published behind a removal is not for those who waited before it.
        for client in clients { #expect(try client.readAnswer().status == 410) }
        #expect((1...Self.deliveriesMax).contains(watch.end()))
    }

    @Test func aDeliveryRightAfterAReloadIsJudgedSomeTermsATurn() throws {
        let count = 60
        let clients = try (0..<count).map { number in
            let names = (0..<100).map { "n\(number).part\($0)" }.joined(separator: ",")
            return try server.open("/topics/news,\(names)?as=ndjson")
        }
        let service = server.service
        let watch = try server.watch { count - service.waitingCount }
        let rule = try AccessRule("> subscribe uid:\(getuid() + 1)", users: SystemUsers())
        service.reload(
            BusAPIConfiguration(
                access: AccessPolicy(
                    rules: AccessRules([rule]), administrator: getuid() + 1), version: "0"))
        try server.publish("1", to: "news")
        watch.begin()
        // Nobody may have it any more: who was judged is gone.
        try server.wait { service.waitingCount == 0 }
        for client in clients { client.close() }
        let steps = LoopTask.deliveries.stepsMax + LoopTask.judgements.share
        let most = steps / (Limits.judgementSteps + 101) + 2
        #expect((1...most).contains(watch.end()))
    }

    @Test func patternsOfReadersThatGoTogetherAreForgottenSomeATurn() throws {
        let before = server.memory.used(.selectors)
        let clients = try (0..<40).map { number in
            let patterns = (0..<100).map { "*.n\(number).*.part\($0)" }.joined(separator: ",")
            return try server.open("/topics/\(patterns)?as=ndjson")
        }
        let memory = server.memory
        let held = memory.used(.selectors)
        #expect(held > before)
        let watch = try server.watch { held - memory.used(.selectors) }
        for client in clients { client.close() }
        watch.begin()
        try server.wait { memory.used(.selectors) == before }
        let bytes = try Selector("*.n10.*.part10").waitingBytes
        let selectorsMax = LoopTask.removals.stepsMax / (Limits.clearedSelectorSteps + 100) + 1
        #expect(watch.end() <= selectorsMax * 100 * bytes)
        #expect(server.bus.statistics.subscribers == 0)
    }

    @Test(arguments: ["large?since=earliest", "lines?since=earliest&as=ndjson&wait=0"])
    func largeAnswersAreWrittenSomeATurn(_ target: String) throws {
        let line = String(repeating: "x", count: 1_000)
        try server.publish(String(repeating: "x", count: 400_000), to: "large")
        for _ in 0..<400 { try server.publish(line, to: "lines") }
        let clients = try (0..<40).map { _ in try server.connect() }
        let descriptors = clients.map(\.descriptor)
        // Nobody reads meanwhile, so that this is what was written.
        let watch = try server.watch { descriptors.reduce(0) { $0 + Self.bytesUnread(in: $1) } }
        for client in clients { try client.send("GET", "/topics/\(target)") }
        watch.begin()
        try server.wait { descriptors.allSatisfy { Self.bytesUnread(in: $0) > 1_000 } }
        let written = watch.end()
        // Between two looks lie the end of a turn, and the next up to its own end.
        let bound = 2 * LoopTask.writes.stepsMax * HTTPFrontLimits.streamedBytesPerStep
        #expect((1...(bound + HTTPFrontLimits.sendBytesMax)).contains(written))
        for client in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 200 && answer.body.count >= 400_000)
        }
        try server.wait { server.memory.used(.unsent) == 0 }
    }

    private static func bytesUnread(in descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    @Test func whatATurnHasNoRoomForIsWrittenBesideTheLoop() throws {
        try server.publish(String(repeating: "x", count: 60_000), to: "t")
        let (held, gate) = (Gate(), Gate())
        server.service.backgroundReads.add(for: nil, unless: Cancellation()) {
            held.open()
            _ = try? gate.wait()
            return false
        }
        try held.wait()
        let clients = try (0..<60).map { _ in try server.connect() }
        let descriptors = clients.map(\.descriptor)
        // Nobody reads meanwhile, and nothing is written beside the loop, so that it wrote these.
        let answered: @Sendable () -> Int = {
            descriptors.count { Self.bytesUnread(in: $0) > 0 }
        }
        let watch = try server.watch(counting: answered)
        for client in clients { try client.send("GET", "/topics/t?since=earliest&as=json") }
        watch.begin()
        // How many turns that takes is the machine's business.
        try server.wait { answered() + server.loops[0].parked.value == clients.count }
        let steps = 1 + 60_000 / Limits.encodedBytesPerStep
        let inlineLimit = 1 + LoopTask.encodings.stepsMax / steps
        // Between two looks lie the end of a turn, and the next up to its own end.
        #expect((1...2 * inlineLimit).contains(watch.end()))
        gate.open()
        for client in clients { #expect(try client.readAnswer().body.count > 60_000) }
    }
}
