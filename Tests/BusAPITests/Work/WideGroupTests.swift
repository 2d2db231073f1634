import TestSupport
import Testing
import Topics
import Work

@testable import BusAPI
@testable import HTTPFront

/// What requests take of a loop's turn that are about many topics in few bytes: it counts by the topics.
@Suite(.blocking) struct WideGroupTests {
    private static let termCount = 100
    private let place: WorkPlace

    init() throws {
        FileLimit.raise()
        let terms = (0..<Self.termCount).map { "a\($0).*" }.joined(separator: ",")
        place = try WorkPlace(group: "of=\(terms)")
    }

    /// The most that `count` rises by in one turn, while clients send their requests together.
    private func mostInATurn(
        of clients: [RawClient], _ method: String, _ target: (Int) -> String,
        counting count: @escaping @Sendable () -> Int
    ) throws -> Int {
        let (before, expected) = (count(), clients.count)
        let watch = try place.server.watch(counting: count)
        for (index, client) in clients.enumerated() { try client.send(method, target(index)) }
        watch.begin()
        try place.server.wait { count() - before == expected }
        return watch.end()
    }

    /// Requests that one turn handles, where each looks at all topics of the group so often.
    private static func requestsMax(looks: Int) -> Int {
        1 + LoopTask.longRequests.stepsMax / (HTTPFrontLimits.requestSteps + looks * termCount)
    }

    @Test func workersThatAskTogetherForAGroupOfManyTopicsAreServedSomeATurn() throws {
        let clients = try (0..<40).map { _ in try place.server.connect() }
        let loop = place.server.loops[0]
        func target(_ index: Int) -> String { "/groups/g/next?wait=60s&for=\(60 + index)s" }
        // The group takes them as its own turns come: what the loop has handled is parked.
        let most = try mostInATurn(of: clients, "POST", target) { loop.parked.value }
        #expect((1...Self.requestsMax(looks: 1)).contains(most))
    }

    @Test func groupsOfManyTopicsAreShownSomeATurn() throws {
        let loop = place.server.loops[0]
        let clients = try (0..<40).map { _ in try place.server.connect() }
        let most = try mostInATurn(of: clients, "GET", { _ in "/groups/g" }) { loop.answers.value }
        #expect((1...Self.requestsMax(looks: 2)).contains(most))
        for client in clients { #expect(try client.readAnswer().status == 200) }
    }

    @Test func whatIsAheadOfAGroupCountsByWhatItTakes() throws {
        let count = 20
        for number in 0..<count { try place.publish("x", to: "a\(number).b") }
        var steps = 0
        let behind = place.server.groups.description(of: try GroupName("g"), &steps)?.behind
        #expect(behind == count)
        #expect(steps >= count * Self.termCount)
        // Only what reads takes them: a hold asks for what a group is.
        #expect(try place.ask("PUT", "/topics/a0.b?hold=g").status == 200)
    }

    @Test func aLookWithManyPatternsAtFewTopicsIsTakenBesideTheLoop() throws {
        let topicCount = 10
        for number in 0..<topicCount { try place.publish("x", to: "t\(number)") }
        let gate = try place.server.service.backgroundReads.hold()
        func patterns(_ count: Int) -> String {
            (0..<count).map { "a\($0).*" }.joined(separator: ",")
        }
        let few = Limits.topicLooksAtOnceMax / topicCount
        #expect(try place.ask("HEAD", "/topics/\(patterns(few))").status == 404)
        let client = try place.server.connect()
        try client.send("HEAD", "/topics/\(patterns(few + 1))")
        try place.server.wait(forParked: 1)
        gate.open()
        #expect(try client.readHead().status == 404)
    }
}
