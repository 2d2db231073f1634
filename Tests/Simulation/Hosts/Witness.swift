import Topics

/// The decisions of hosts, group by group: all of them decide the same.
// @unchecked: it is in the one thread of its simulation.
final class Witness: @unchecked Sendable {
    private var decided: [Int64: (host: String, words: String)] = [:]
    /// The first difference.
    private(set) var finding: String?

    func saw(_ group: OrderedGroup, on host: String) {
        let words = group.entries.map(Self.words).joined(separator: "; ")
        let known = decided[group.place.sequence]
        if let known, known.words != words, finding == nil {
            finding =
                "M5: group \(group.place.sequence) is \(words) on \(host), and \(known.words) on "
                + known.host
        }
        if known == nil { decided[group.place.sequence] = (host, words) }
    }

    private static func words(_ entry: StoreEntry) -> String {
        switch entry {
        case .events(let batch, _, let owner):
            let texts = batch.payloads.map { $0.text.prefix { $0 != " " } }
            return
                "\(batch.topic) \(texts) \(batch.metadata.labels.text) \(String(describing: owner))"
        case .removal(let topic): return "remove \(topic)"
        case .registration(let topic, let settings, _): return "register \(topic) \(settings)"
        case .work(let change):
            return "\(change.group.rawValue) \(change.forgetsJobs) \(change.removesGroup) "
                + "\(words(change.record)) \(change.open.map(words)) \(change.settled)"
        case .together(let entries): return entries.map(words).joined(separator: ", ")
        }
    }

    private static func words(_ record: GroupRecord?) -> String {
        guard let record else { return "-" }
        return "\(record.reach) \(record.reportedThrough) \(record.epoch) \(record.tally) "
            + "\(record.gap.map { "\($0.after)…\($0.through)" } ?? "-") \(record.settings)"
    }

    private static func words(_ job: JobRecord) -> String {
        let lease = if case .leased(let lease) = job.state { "\(lease.token.low)" } else { "-" }
        return "\(job.id)#\(job.attempt) \(lease) \(job.until)"
    }
}
