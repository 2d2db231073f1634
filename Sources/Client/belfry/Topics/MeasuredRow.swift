internal import JSON

/// How long one thing took, again and again.
struct MeasuredRow {
    private let name: String
    private var events = 0
    private var times: [Duration] = []

    init(_ name: String) { self.name = name }

    /// It took so long, for so many events.
    mutating func add(_ time: Duration, events count: Int = 1) {
        times.append(time)
        events += count
    }

    private var perSecond: Int {
        let sum = times.reduce(Duration.zero, +) / .seconds(1)
        return sum > 0 ? Int(Double(events) / sum) : 0
    }

    /// The microseconds that so large a part took at most; nil where only whole parts were measured.
    private func microseconds(_ part: Double) -> Int? {
        guard times.count == events, !times.isEmpty else { return nil }
        let index = min(Int(Double(times.count) * part), times.count - 1)
        return Int(times.sorted()[index] / .microseconds(1))
    }

    /// For people.
    var cells: [String] {
        let text = { (number: Int?) in number.map { "\($0) µs" } ?? "-" }
        return [
            name, "\(events)", "\(perSecond)", text(microseconds(0.5)), text(microseconds(0.99)),
        ]
    }

    /// For programs.
    var json: String {
        JSONWriter.object { json in
            json.member("what", name)
            json.member("events", events)
            json.member("per_second", perSecond)
            json.member("median_us", microseconds(0.5))
            json.member("p99_us", microseconds(0.99))
        }
    }
}
