import TestSupport
import Testing

@testable import Topics

/// A reader that is told of topics with news reads the same as one that looks at the whole log.
@Suite struct NewsTests {
    /// A reader of a selector that keeps up: by news, or by looking.
    private struct Reader {
        let selector: Selector
        let filter: EventFilter
        let limit: ReadLimit
        var byNews: LogPosition
        var byLooking: LogPosition
        var told: [String] = []
        var expected: [String] = []
    }

    private let bench: Bench

    init() throws { bench = try Bench() }

    /// Reads on to the end, and returns what was told; the position ends where it was led.
    private func look(
        _ position: LogPosition, _ news: LogNews, _ selector: Selector, _ filter: EventFilter,
        _ limit: ReadLimit
    ) -> LogRead {
        var position = position
        let read = bench.bus.shortRead(
            &position, matching: selector, of: news, filter: filter, limit: limit)
        guard let read else {
            Issue.record("so few events are read in one hold of the lock")
            return .caughtUp(next: position)
        }
        return read
    }

    private func drain(
        _ position: inout LogPosition, _ read: (LogPosition) -> LogRead
    ) -> [String] {
        var told: [String] = []
        while true {
            switch read(position) {
            case .events(let events, let next, let isCutShort):
                told += events.map { "\($0.id)" }
                position = next
                if !isCutShort { return told }
            case .caughtUp(let next):
                position = next
                return told
            case .gap(let gap, let next):
                told.append("gap \(gap.through)")
                position = next
            case .older:
                Issue.record("a store in memory has nothing older")
                return told
            }
        }
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func newsTellWhatTheWholeLogTells(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let names = ["a", "b", "a.x", "a.y", "b.x", "c.x.z"]
        let texts = [">", "*", "a.*", "*.x", "a.>,b", "a,b.x,c.>", "a,b"]
        let now = LogPosition(after: bench.bus.newest, isWaiting: true)
        var readers = try (0..<20).map { _ in
            Reader(
                selector: try Selector(texts.randomElement(using: &random)!),
                filter: EventFilter(
                    type: [nil, nil, "red"].randomElement(using: &random)!, key: nil),
                limit: ReadLimit(
                    events: [1, 3, 256].randomElement(using: &random)!, bytes: 1 << 16),
                byNews: now, byLooking: now)
        }
        var delivered = bench.bus.newest
        for _ in 0..<300 {
            var changed: Set<TopicName> = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let name = names.randomElement(using: &random)!
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    try bench.register(name, keep: Int.random(in: 0...3, using: &random))
                case 1:
                    guard bench.bus.description(of: try TopicName(name)) != nil else { continue }
                    try bench.remove(name)
                    changed.insert(try TopicName(name))
                case 2: bench.clock.advance(seconds: Double.random(in: 0...3, using: &random))
                default:
                    try bench.publish(
                        name, "one", "two", type: Bool.random(using: &random) ? "red" : nil)
                    changed.insert(try TopicName(name))
                }
            }
            bench.bus.sweep()
            let through = bench.bus.newest
            for index in readers.indices {
                let reader = readers[index]
                let topics = changed.filter(reader.selector.matches)
                readers[index].expected += drain(&readers[index].byLooking) {
                    bench.bus.read(
                        $0, matching: reader.selector, filter: reader.filter, limit: reader.limit)
                }
                guard !topics.isEmpty else { continue }
                // Nothing was for it up to where the others were.
                readers[index].byNews.after = max(reader.byNews.after, delivered)
                let news = LogNews(topics: Array(topics), after: delivered, through: through)
                readers[index].told += drain(&readers[index].byNews) {
                    #expect(news.concerns($0))
                    return look($0, news, reader.selector, reader.filter, reader.limit)
                }
                #expect(readers[index].byNews.after == through)
                #expect(readers[index].told == readers[index].expected, "\(reader.selector)")
            }
            delivered = through
        }
        for reader in readers { #expect(reader.told == reader.expected, "\(reader.selector)") }
    }

    @Test func aFilterThatSkipsManyEventsEndsAShortReadAndALongOneGoesOnBehindThem() throws {
        let skipped = Limits.examinedEventsMax + 100
        let selector = try Selector("a")
        let wanted = EventFilter(type: "red", key: nil)
        let start = LogPosition(after: bench.bus.newest)
        var position = start
        for _ in 0..<skipped { try bench.publish("a", "x") }
        let red = try bench.publish("a", "y", type: "red")[0]
        let news = LogNews(topics: [try TopicName("a")], after: start.after, through: red)
        for news in [nil, news] {
            position = start
            let short = bench.bus.shortRead(
                &position, matching: selector, of: news, filter: wanted, limit: .standard)
            #expect(short == nil, "it found nothing among as much as one hold has room for")
            #expect(position.after > start.after && position.after < red)
        }
        let read = bench.bus.read(start, matching: selector, filter: wanted, limit: .standard)
        #expect(read.ids == [red])
        // An event that was found on the way is told with those behind.
        for _ in 0..<skipped { try bench.publish("a", "x") }
        let last = try bench.publish("a", "z", type: "red")[0]
        position = LogPosition(after: red.predecessor)
        let short = bench.bus.shortRead(
            &position, matching: selector, filter: wanted, limit: .standard)
        #expect(short == nil && position == LogPosition(after: red.predecessor))
        #expect(
            bench.bus.read(position, matching: selector, filter: wanted, limit: .standard).ids
                == [red, last])
    }

    @Test func whatBecameVisibleBehindTheNewsIsLeftForTheNext() throws {
        let start = LogPosition(after: bench.bus.newest, isWaiting: true)
        let first = try bench.publish("a", "first")[0]
        let news = LogNews(topics: [try TopicName("a")], after: start.after, through: first)
        try bench.publish("a", "second")
        try bench.publish("b", "third")
        var position = start
        let selector = try Selector("a,b")
        let told = drain(&position) { look($0, news, selector, .all, .standard) }
        #expect(told == ["\(first)"] && position.after == first)
    }
}
