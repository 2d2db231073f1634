internal import BelfryClient
internal import Topics

/// What two looks at a bus say together.
struct TopReport: Sendable {
    /// Every figure with its value, in the order of the table.
    let figures: [(figure: TopFigure, value: Double)]
    /// The topics with the newest events, those first.
    let topics: [TopicDescription]
    /// The groups with the most before them, those first; with the jobs that each does in a second.
    let groups: [(group: ClientGroupDescription, rate: Double)]

    init(from before: BusLook, to now: BusLook) {
        figures = TopFigure.all.map { ($0, $0.value(from: before, to: now)) }
        topics = Array(
            now.topics.sorted {
                ($0.newest ?? .zero, $1.name.text) > ($1.newest ?? .zero, $0.name.text)
            }
            .prefix(Limits.topRowsMax))
        let time = now.instant - before.instant
        let done = Dictionary(
            before.groups.map { ($0.name, $0.progress?.done ?? 0) }, uniquingKeysWith: { $1 })
        groups = now.groups.sorted { (Self.load($0), $1.name) > (Self.load($1), $0.name) }
            .prefix(Limits.topRowsMax).map { group in
                let now = group.progress?.done ?? 0
                return (
                    group,
                    TopFigure.rate(Double(done[group.name] ?? now), Double(now), over: time)
                )
            }
    }

    private static func load(_ group: ClientGroupDescription) -> Int {
        (group.progress?.behind ?? 0) + (group.progress?.open ?? 0)
    }

    // MARK: For people

    static let topicHeads = ["TOPIC", "EVENTS", "BYTES", "SUBSCRIBERS"]
    static let groupHeads = ["GROUP", "BEHIND", "OPEN", "LEASED", "WORKERS", "DONE/S", "FAILED"]

    var figureRows: [[String]] { figures.map { [$0.figure.title, $0.figure.text(of: $0.value)] } }

    var topicRows: [[String]] {
        topics.map {
            [
                TerminalText.line($0.name.text), "\($0.events)",
                TopFigure.bytes(Double($0.bytes)), "\($0.subscribers)",
            ]
        }
    }

    var groupRows: [[String]] {
        groups.map { group, rate in
            let number = { (number: Int?) in number.map { "\($0)" } ?? "-" }
            let progress = group.progress
            return [
                TerminalText.line(group.name), number(progress?.behind), number(progress?.open),
                number(progress?.leased), number(progress?.workers),
                TopFigure.all[0].text(of: rate), number(progress?.failed),
            ]
        }
    }

    /// All of it as tables, one behind the other.
    func print() {
        PrintedTable.print(["FIGURE", "VALUE"], figureRows)
        for (heads, rows) in [(Self.topicHeads, topicRows), (Self.groupHeads, groupRows)]
        where !rows.isEmpty {
            Output.standard.write("\n")
            PrintedTable.print(heads, rows)
        }
    }

    // MARK: For programs

    /// All of it as one object.
    var json: String {
        let numbers = figures.map { "\"\($0.figure.name)\":\(Self.number($0.value))" }
        let names = topics.map { topic in
            "{\"name\":\(EventJSON.string(topic.name.text)),\"events\":\(topic.events)"
                + ",\"bytes\":\(topic.bytes),\"subscribers\":\(topic.subscribers)}"
        }
        let groups = groups.map { group, rate in
            let progress = group.progress
            let number = { (number: Int?) in number.map { "\($0)" } ?? "null" }
            // `ahead` is what it was called before, for one version.
            let behind = number(progress?.behind)
            return "{\"name\":\(EventJSON.string(group.name)),\"behind\":\(behind)"
                + ",\"ahead\":\(behind)"
                + ",\"open\":\(number(progress?.open)),\"leased\":\(number(progress?.leased))"
                + ",\"workers\":\(number(progress?.workers))"
                + ",\"done_per_second\":\(Self.number(rate))"
                + ",\"failed\":\(number(progress?.failed))}"
        }
        return
            "{\(numbers.joined(separator: ",")),\"newest_topics\":[\(names.joined(separator: ","))]"
            + ",\"busiest_groups\":[\(groups.joined(separator: ","))]}"
    }

    /// To the thousandth; JSON has no number for what is none.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "null" }
        let rounded = (value * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
