internal import Protection
internal import Topics

/// Keys for publishes that follow one another: each is sent once the one before it has its answer, or was
/// given up.
struct KeySeries: Sendable {
    private let name: String
    private var count: UInt64 = 0

    /// A series that nobody else has.
    init() {
        let number = UInt128.random(in: .min ... .max)
        name = String(number, radix: 36)
    }

    /// The next key. The first ones stand alone: a publisher of a few events leaves no series behind.
    mutating func next() -> PublishKey {
        count += 1
        return count <= Limits.loneKeysMax
            ? PublishKey(known: "\(name)-\(count)") : PublishKey(known: name, number: count)
    }
}

/// The series of a client. Of each topic there are as many as publishes go to it at once: in one series a
/// publish that comes behind a later one would count as a repeat.
final class SeriesPool: Sendable {
    private struct State {
        var idle: [TopicName: [KeySeries]] = [:]
        var count = 0
    }

    private let state = Protected(State())

    /// A series that nobody else uses until it is given back.
    func take(for topic: TopicName) -> KeySeries {
        state.write { state in
            guard let series = state.idle[topic]?.popLast() else { return nil }
            state.count -= 1
            return series
        } ?? KeySeries()
    }

    /// Gives a series back, whose last publish has ended.
    func give(back series: KeySeries, for topic: TopicName) {
        state.write { state in
            if state.count >= Limits.idleSeriesMax { state = State() }
            state.idle[topic, default: []].append(series)
            state.count += 1
        }
    }
}
