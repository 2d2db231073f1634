import TestSupport
import Testing

/// A reader that is cut off in the middle of a stream's opening and comes back with the last cursor
/// that it was told is told the gap again: no cursor behind a gap comes before it.
@Suite(.blocking) struct ContractStreamGapTests {
    private let daemon: RunningDaemon
    private let client: RawClient

    init() throws {
        daemon = try RunningDaemon(configuration: "[retention]\ngrace = 0\n")
        client = try daemon.connect()
    }

    private func told(
        _ asked: StreamAsked, since: String
    ) throws -> (opening: UInt64?, told: [Told]) {
        let stream = try daemon.stream("/topics/t?as=\(asked)&wait=0&since=\(since)", asked.form)
        return (stream.answer.number("event-cursor"), try stream.rest())
    }

    @Test(arguments: StreamAsked.allCases)
    func withNothingRetainedTheCursorBehindTheGapComesLast(asked: StreamAsked) throws {
        try client.register("t", "?keep=0")
        let ids = try (1...3).map { try client.publish("\($0)", to: "t") }
        let (opening, told) = try told(asked, since: "\(ids[0])")
        #expect(opening == ids[0])
        #expect(
            told == [
                .cursor(ids[0]), .gap(ToldGap(after: ids[0], through: ids[2])), .cursor(ids[2]),
            ])
    }

    @Test(arguments: StreamAsked.allCases, ["1h", "@1"])
    func aTimeThatReachesIntoRemovedEventsBeginsBeforeTheGap(
        asked: StreamAsked, since: String
    ) throws {
        for keep in [0, 2] {
            try client.register("t", "?keep=\(keep)")
            for number in 1...5 { try client.publish("\(keep) \(number)", to: "t") }
            let (opening, told) = try told(asked, since: since)
            guard case .cursor(let cursor) = told[0], case .gap(let gap) = told[1] else {
                Issue.record("\(told)")
                continue
            }
            #expect(cursor == gap.after && opening == cursor)
            #expect(told.payloads.count == keep)
        }
    }

    @Test(arguments: StreamAsked.allCases, [0, 1])
    func aCursorOfAnotherLifeIsSaidAgainBeforeItsGap(asked: StreamAsked, keep: Int) throws {
        try client.register("t", "?keep=\(keep)")
        let id = try client.publish("x", to: "t")
        let foreign = id + 1_000_000_000
        let (opening, told) = try told(asked, since: "\(foreign)")
        #expect(opening == foreign && told.first == .cursor(foreign))
        #expect(told.gaps.map(\.after) == [foreign])
        #expect(told.payloads.count == keep)
        #expect(told.last?.cursor == id)
    }
}
