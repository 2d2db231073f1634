internal import BelfryClient
internal import JSON
internal import Topics

/// The figures, topics and groups that follow from two looks at a bus.
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
        JSONWriter.object { json in
            for (figure, value) in figures {
                json.name(figure.name)
                Self.write(value, to: &json)
            }
            json.member("newest_topics", topics) { json, topic in
                json.object { json in
                    json.member("name", topic.name.text)
                    json.member("events", topic.events)
                    json.member("bytes", topic.bytes)
                    json.member("subscribers", topic.subscribers)
                }
            }
            json.member("busiest_groups", groups) { json, row in
                json.object { Self.write(row.group, row.rate, to: &$0) }
            }
        }
    }

    private static func write(
        _ group: ClientGroupDescription, _ rate: Double, to json: inout JSONWriter
    ) {
        let progress = group.progress
        json.member("name", group.name)
        json.member("behind", progress?.behind)
        // Its former name, for one version.
        json.member("ahead", progress?.behind)
        json.member("open", progress?.open)
        json.member("leased", progress?.leased)
        json.member("workers", progress?.workers)
        json.name("done_per_second")
        write(rate, to: &json)
        json.member("failed", progress?.failed)
    }

    /// Writes a value to the thousandth, and null for one that JSON has no number for.
    private static func write(_ value: Double, to json: inout JSONWriter) {
        guard value.isFinite, abs(value) < 1e15 else { return json.null() }
        let rounded = (value * 1_000).rounded() / 1_000
        guard rounded == rounded.rounded() else {
            return json.value { $0.append(contentsOf: "\(rounded)".utf8) }
        }
        json.integer(Int(rounded))
    }
}
