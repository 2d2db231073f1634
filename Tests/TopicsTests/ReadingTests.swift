import Testing
import Topics

struct ReadingTests {
    @Test func readingAfterACursorReturnsWhatFollowsInOrder() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2", "3")
        #expect(try bench.read(after: ids[0], "a").texts == ["2", "3"])
        #expect(try bench.read(after: ids[2], "a").isCaughtUp)
        #expect(try bench.read(after: ids[2], "a").next.after == bench.bus.newest)
    }

    @Test func everyCursorIsTheNewestVisibleIDUnlessTheReadWasCutShort() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2", "3")
        let other = try bench.publish("b", "x")
        guard case .events(let cut, let next, true) = try bench.read(after: ids[0], "a", events: 1)
        else { return #expect(Bool(false), "a read of one of two events is cut short") }
        #expect(cut.map(\.id) == [ids[1]])
        #expect(next.after == ids[1])
        guard case .events(_, let last, false) = try bench.read(next, "a") else {
            return #expect(Bool(false), "the rest is not cut short")
        }
        #expect(last.after == other[0])
    }
}
