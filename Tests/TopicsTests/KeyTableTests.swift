import TestSupport
import Testing

@testable import Topics

/// Keys of publishes, beside a list that is looked through from its end.
@Suite struct KeyTableTests {
    private typealias Known = KeyTable.Known

    /// All publishes that were noted, and what they mean.
    private struct Model {
        private struct Row {
            let identity: IdempotencyKey.Identity
            let known: Known
        }

        let keysMax: Int
        private var rows: [Row] = []

        init(keysMax: Int) { self.keysMax = keysMax }

        private func valid(at time: Timestamp) -> [Row] { rows.filter { time < $0.known.until } }

        func answer(
            to key: IdempotencyKey, of user: UInt32?, at time: Timestamp
        ) -> KeyTable.Answer {
            let valid = valid(at: time)
            if let last = valid.last(where: { $0.identity == key.identity })?.known {
                switch (key.number, last.number) {
                case (let number?, let other?) where number != other:
                    return number > other ? .new : .passed(last)
                case (nil, _?), (_?, nil): return .differs
                default: return key.print == last.print ? .repeated(last) : .differs
                }
            }
            let own = valid.count { $0.known.user == user }
            if own >= keysMax / 4 * 3 { return .full(isOfUser: true) }
            return valid.count >= keysMax ? .full(isOfUser: false) : .new
        }

        mutating func note(_ identity: IdempotencyKey.Identity, _ known: Known) {
            rows.removeAll { $0.identity == identity }
            rows.append(Row(identity: identity, known: known))
        }

        mutating func forget(_ topic: TopicName) -> [EventID] {
            let gone = rows.filter { $0.known.topic == topic }.map(\.known.first)
            rows.removeAll { $0.known.topic == topic }
            return gone.sorted()
        }

        /// What a store has kept.
        func kept(at time: Timestamp) -> [(IdempotencyKey.Identity, Known)] {
            valid(at: time).map { ($0.identity, $0.known) }
        }
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func theTableDecidesAsAListDoes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let topics = try ["a", "b", "c"].map { try TopicName($0) }
        var (table, model) = (KeyTable(keysMax: 8), Model(keysMax: 8))
        var saved = model
        var (time, first) = (Timestamp(microseconds: 0), UInt64(1))
        var counts: [String: Int] = [:]
        for _ in 0..<4_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<14:
                let topic = topics.randomElement(using: &random)!
                let key = IdempotencyKey(
                    IdempotencyKey.Identity(
                        high: topic.text.utf8.first.map { UInt64($0) } ?? 0,
                        low: UInt64.random(in: 0..<6, using: &random)),
                    print: UInt64.random(in: 0..<2, using: &random),
                    number: Bool.random(using: &random)
                        ? UInt64.random(in: 0..<9, using: &random) : nil,
                    windowSeconds: [1, 5, 60].randomElement(using: &random)!)
                let users: [UInt32?] = [nil, 1, 2]
                let user = users.randomElement(using: &random)!
                let answer = table.answer(to: key, of: user, at: time) { _ in }
                #expect(answer == model.answer(to: key, of: user, at: time))
                counts["\(answer)".prefix { $0 != "(" }.description, default: 0] += 1
                guard answer == .new else { continue }
                let known = Known(
                    first: EventID(rawValue: first), count: 2, time: time, topic: topic, user: user,
                    print: key.print, number: key.number, windowSeconds: key.windowSeconds)
                first += 2
                _ = table.note(key.identity, known)
                model.note(key.identity, known)
            case 14:
                let topic = topics.randomElement(using: &random)!
                table.forget(at: time, atMost: .max) { _ in }
                let kept = model.kept(at: time).filter { $0.1.topic == topic }.map(\.1.first)
                #expect(table.forget(topic) == kept.sorted())
                _ = model.forget(topic)
            case 15..<18:
                time = time.advanced(microseconds: Int64.random(in: 0...2_000_000, using: &random))
                table.forget(at: time, atMost: 2) { _ in }
            case 18:
                table.committed()
                saved = model
            default:
                if Bool.random(using: &random) {
                    table.rolledBack()
                    model = saved
                } else {
                    // A start: what was committed, as far as it is remembered.
                    table = KeyTable(keysMax: 8)
                    for (identity, known) in saved.kept(at: time) {
                        _ = table.load(identity, known)
                    }
                    model = saved
                }
            }
        }
        #expect(counts.count == 5 && counts.values.allSatisfy { $0 > 10 }, "\(counts)")
    }

    @Test func whatIsForgottenIsTold() throws {
        let topic = try TopicName("a")
        var table = KeyTable()
        for index in 1...5 {
            let known = Known(
                first: EventID(rawValue: UInt64(index)), count: 1,
                time: Timestamp(microseconds: Int64(index) * 1_000_000), topic: topic, user: nil,
                print: 0, number: nil, windowSeconds: 1)
            _ = table.note(IdempotencyKey.Identity(high: 0, low: UInt64(index)), known)
        }
        var told: [UInt64] = []
        table.forget(at: Timestamp(microseconds: 4_000_000), atMost: 2) { told.append($0.rawValue) }
        #expect(told == [1, 2] && table.count == 3)
        table.forget(at: Timestamp(microseconds: 4_000_000), atMost: 2) { told.append($0.rawValue) }
        #expect(told == [1, 2, 3] && table.count == 2)
    }

    @Test func removedTopicCostsWhatItsOwnKeysCost() throws {
        let topics = try (0..<20_000).map { try TopicName("t\($0)") }
        var table = KeyTable()
        for (index, topic) in topics.enumerated() {
            let known = Known(
                first: EventID(rawValue: UInt64(index + 1)), count: 1,
                time: Timestamp(microseconds: 0), topic: topic, user: nil, print: 0, number: nil,
                windowSeconds: 60)
            _ = table.note(IdempotencyKey.Identity(high: 0, low: UInt64(index)), known)
        }
        // A look at every key for each topic would take minutes.
        for (index, topic) in topics.enumerated() {
            #expect(table.forget(topic) == [EventID(rawValue: UInt64(index + 1))])
        }
        #expect(table.count == 0)
    }

    @Test func aSeriesThatGoesOnTakesNoMoreMemory() throws {
        let topic = try TopicName("a")
        var table = KeyTable()
        for index in 1...10_000 {
            let known = Known(
                first: EventID(rawValue: UInt64(index)), count: 1, time: Timestamp(microseconds: 0),
                topic: topic, user: nil, print: 0, number: UInt64(index), windowSeconds: 60)
            _ = table.note(IdempotencyKey.Identity(high: 0, low: 0), known)
            table.committed()
        }
        #expect(table.count == 1 && table.endCount < 2_000)
    }
}
